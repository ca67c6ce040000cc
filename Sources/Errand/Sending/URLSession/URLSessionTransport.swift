#if canImport(FoundationNetworking)
    package import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A transport over Foundation's URLSession.
///
/// One session serves every exchange for as long as the transport lives. It keeps no cache, no cookies and no
/// credentials, follows no redirection, and sets no deadline that a client could notice: those are Errand's.
///
/// What it can and cannot do:
///
/// - Response bodies go to memory, into files, and on Apple's systems to streams.
/// - Request bodies are bytes, a file or a stream, which goes through a file; any body of a `GET` or `HEAD` is refused.
/// - Compressed bodies arrive decompressed, under the head that came with them.
/// - URLSession hands the fields of a head over without their order, and those of one name joined: they come sorted by
///   name, and `Set-Cookie` is taken apart again. Repeated fields of a request are sent as one.
/// - Credentials in a URL are not sent, and fields that frame a message are URLSession's own.
/// - A request without a body may be sent anew, by URLSession itself, when a kept connection turns out to be closed.
/// - How many idle connections are kept, and how long addresses are remembered, URLSession decides; whatever else
///   ``TransportSettings`` ask for that it cannot do is refused with ``ErrandError/Code/unsupported``, and nothing is
///   sent.
///
/// While a stream is full its task is suspended, and it is resumed when half of the buffer was read. What URLSession
/// had taken off the network by then is still handed over, so more than the buffer may wait: how much, URLSession does
/// not say. Files are written on the transport's own queue, where other exchanges wait as long as the disk takes. What
/// was written is removed before an exchange that fails, or is cancelled, ends.
///
/// A stream is written into a file first, in the system's temporary folder and for this user alone, and sent from there
/// when it has ended: so its length is known and sent, a stream that fails or is not as long as it says is never sent
/// in part, and the disk needs room for all of it. It is read as fast as the disk takes it, or as it comes; throttling
/// it delays the sending and does not slow it down. Nothing is heard of the exchange meanwhile, and the deadlines of
/// the client run. The file is removed before the exchange ends, whichever way that is.
///
/// On Linux URLSession cannot be held back: a task that is suspended sends its request once more when it is resumed,
/// and what comes is handed over however much of it waits. So a stream as the destination is refused there with
/// ``ErrandError/Code/unsupported``, and of a body that goes into a file, what the disk has not taken waits in memory.
///
/// It works with libcurl there, which takes proxies from the environment (`http_proxy`, `https_proxy`,
/// `no_proxy`), and drops the body of a redirection that does not say where to; files are read into memory before
/// they are sent. The system's own rules for TLS are the only ones it goes by, so that hosts with others are refused,
/// and so are all settings but the standard ones.
///
/// On Apple's systems it keeps a ``TLSPolicy``, but has no client certificates, and the hosts of one transport have
/// the lowest of their minimum versions in common: those that want more are refused. Proxies may be `http`, `https`,
/// `socks5` or `socks5h`, which all resolve names themselves.
public final class URLSessionTransport: Transport {
    private let settings: URLSessionSettings
    private let streaming: URLSessionStreaming
    /// Where streams are written before they are sent.
    private let uploadFolder: URL
    private let session: URLSession
    private let bridge: URLSessionBridge

    /// Creates a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - settings: How servers are reached; what is wrong with them, or cannot be done, fails each exchange that it
    ///     concerns. Reads the files that the rules for TLS name.
    ///   - maximumConnectionsPerHost: How many connections to one host may be open at once; more exchanges wait inside
    ///     of URLSession, so this should not be less than the client's limit for one host.
    public convenience init(settings: TransportSettings = TransportSettings(), maximumConnectionsPerHost: Int = 64) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
        self.init(settings, configuration, streaming: .platform, nil)
    }

    /// Creates a transport with a session that is configured like one that an app has.
    ///
    /// What the configuration says of the network counts: proxies, service type, additional header fields, versions of
    /// TLS, protocol classes, connections per host. Its cache, cookies, credentials and timeouts do not: those are
    /// Errand's.
    ///
    /// - Parameter configuration: The configuration; it is copied. Not one for the background, whose sessions outlive
    ///   their process and have no use for a client in it.
    public convenience init(adopting configuration: URLSessionConfiguration) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        self.init(TransportSettings(), copy, streaming: .platform, nil)
    }

    /// Creates a transport that does what is asked for, and not what is right for the platform.
    ///
    /// - Parameters:
    ///   - streaming: What to do with a stream as the destination.
    ///   - uploadFolder: Where streams are written before they are sent.
    package convenience init(streaming: URLSessionStreaming? = nil, uploadFolder: URL) {
        self.init(TransportSettings(), .many, streaming: streaming ?? .platform, uploadFolder)
    }

    /// Creates a transport that does with streams what is asked for, and not what is right for the platform.
    package convenience init(streaming: URLSessionStreaming) {
        self.init(TransportSettings(), .many, streaming: streaming, nil)
    }

    private init(
        _ settings: TransportSettings, _ configuration: URLSessionConfiguration, streaming: URLSessionStreaming,
        _ uploadFolder: URL?
    ) {
        let settings = URLSessionSettings(settings)
        let bridge = URLSessionBridge(settings.tls)
        configuration.leaveAllToErrand()
        settings.apply(to: configuration)
        self.settings = settings
        self.streaming = streaming
        self.uploadFolder = uploadFolder ?? FileManager.default.temporaryDirectory
        self.bridge = bridge
        self.session = URLSession(configuration: configuration, delegate: bridge, delegateQueue: bridge.queue)
    }

    deinit {
        self.shutdown()
    }

    /// How many exchanges there are, including those that were cancelled and are not yet wound down.
    package var inFlightCount: Int {
        self.bridge.callCount
    }

    // MARK: - Exchanging

    /// Sends a request and receives its response.
    ///
    /// May be called from anywhere. When the calling task is cancelled the call ends at once, and URLSession winds the
    /// connection down behind it; only files are removed first, and a stream that is to be sent is no longer read. A
    /// stream that is received is there as soon as the head is, and ends the exchange when it is let go of.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - context: Where the body goes, and whom to tell about progress; told on a queue of this transport.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``ErrandError`` when there is no complete response.
    public func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        if let notice = try self.settings.check(request.url) { context.report(.notice(notice)) }
        let call = try URLSessionCall(request, context, self.streaming)
        guard !Task.isCancelled else { throw .cancelled() }
        guard self.bridge.enter(call) else { throw .sessionShutDown }
        guard let result = await self.result(of: call, sending: request.body) else {
            self.bridge.abandon(call)
            // Woken by what was just put on the delegate queue, which never stops.
            await call.waitForEnd()
            throw .cancelled()
        }
        return try result.get()
    }

    /// Starts a call and waits for its result, or returns `nil` when the waiting task was cancelled.
    private func result(
        of call: URLSessionCall, sending body: HTTPRequest.Body
    ) async -> Result<HTTPResponse, ErrandError>? {
        guard case .stream(let stream, let length) = body else {
            self.bridge.start(call, in: self.session)
            return await call.result()
        }
        // The stream is read beside the wait, which a shutdown ends too, and no longer than it.
        return await withTaskGroup(of: Void.self, returning: Result<HTTPResponse, ErrandError>?.self) { group in
            group.addTask { await self.write(stream, length, for: call) }
            let result = await call.result()
            group.cancelAll()
            return result
        }
    }

    /// Writes a stream into a file, and starts the call that sends it.
    private func write(_ stream: BodyStream, _ length: Int64?, for call: URLSessionCall) async {
        let upload = URLSessionUpload(in: self.uploadFolder, on: self.bridge.fileQueue)
        do throws(ErrandError) {
            try await upload.write(stream, length: length)
        } catch {
            return self.bridge.refuse(call, error)
        }
        guard call.take(upload) else {
            // The call has ended meanwhile.
            await upload.remove()
            return self.bridge.refuse(call, .cancelled())
        }
        self.bridge.start(call, in: self.session)
    }

    /// Tells answers apart where the settings change who answers, or who is trusted; empty for the standard ones.
    public var cachePartition: String { self.settings.cachePartition }

    /// Ends what is under way with ``ErrandError/Code/clientShutDown`` and invalidates the session; returns at once.
    ///
    /// Exchanges that start later fail with the same code. Does nothing the second time. A transport that is let go of
    /// does this by itself.
    public func shutdown() {
        self.bridge.shutDown(self.session)
    }
}

extension URLSessionConfiguration {
    /// One without limits that a client could notice.
    fileprivate static var many: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        return configuration
    }

    /// Switches off what a session would do by itself.
    fileprivate func leaveAllToErrand() {
        self.urlCache = nil
        self.httpCookieStorage = nil
        self.httpShouldSetCookies = false
        self.httpCookieAcceptPolicy = .never
        self.urlCredentialStorage = nil
        self.requestCachePolicy = .reloadIgnoringLocalCacheData
        // A year: deadlines are the client's, and whole seconds are all that is counted here.
        self.timeoutIntervalForRequest = 365 * 24 * 3600
        self.timeoutIntervalForResource = 365 * 24 * 3600
    }
}

extension ErrandError {
    static var sessionShutDown: ErrandError {
        ErrandError(.clientShutDown, "the transport was shut down")
    }
}
