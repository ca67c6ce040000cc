internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A transport over Foundation's URLSession.
///
/// One session serves every exchange for as long as the transport lives. It keeps no cache, no cookies and no
/// credentials, follows no redirection, and sets no deadline that a client could notice: those are Errand's.
///
/// What it can and cannot do:
///
/// - Response bodies go to memory, into files, and on Apple's systems to streams.
/// - Request bodies are bytes or a file; streams are refused, and so is any body of a `GET` or `HEAD`.
/// - Compressed bodies arrive decompressed, under the head that came with them.
/// - URLSession hands the fields of a head over without their order, and those of one name joined: they come sorted by
///   name, and `Set-Cookie` is taken apart again. Repeated fields of a request are sent as one.
/// - Credentials in a URL are not sent, and fields that frame a message are URLSession's own.
/// - A request without a body may be sent anew, by URLSession itself, when a kept connection turns out to be closed.
/// - How many idle connections are kept, and how long addresses are remembered, URLSession decides; whatever else
///   ``TransportSettings`` ask for that it cannot do is refused with ``ErrandError/Code/unsupported``, and nothing is
///   sent.
///
/// While a stream is full its task is suspended, and it is resumed when half of the buffer was read. What URLSession had
/// taken off the network by then is still handed over, so more than the buffer may wait: how much, URLSession does not
/// say. Files are written on the transport's own queue, where other exchanges wait as long as the disk takes. What was
/// written is removed before an exchange that fails, or is cancelled, ends.
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
        self.init(settings, maximumConnectionsPerHost, streaming: .platform)
    }

    /// Creates a transport that does with streams what is asked for, and not what is right for the platform.
    package convenience init(streaming: URLSessionStreaming) {
        self.init(TransportSettings(), 64, streaming: streaming)
    }

    private init(
        _ settings: TransportSettings, _ maximumConnectionsPerHost: Int, streaming: URLSessionStreaming
    ) {
        let settings = URLSessionSettings(settings)
        let bridge = URLSessionBridge(settings.tls)
        let configuration = Self.configuration(maximumConnectionsPerHost)
        settings.apply(to: configuration)
        self.settings = settings
        self.streaming = streaming
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
    /// connection down behind it; only a file is removed first. A stream is there as soon as the head is, and ends the
    /// exchange when it is let go of.
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
        guard self.bridge.start(call, in: self.session) else { throw .sessionShutDown }
        guard let result = await call.result() else {
            self.bridge.abandon(call)
            // Woken by what was just put on the delegate queue, which never stops.
            await call.waitForEnd()
            throw .cancelled()
        }
        return try result.get()
    }

    /// Ends what is under way with ``ErrandError/Code/clientShutDown`` and invalidates the session; returns at once.
    ///
    /// Exchanges that start later fail with the same code. Does nothing the second time. A transport that is let go of
    /// does this by itself.
    public func shutdown() {
        self.bridge.shutDown(self.session)
    }

    private static func configuration(_ maximumConnectionsPerHost: Int) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
        // A year: deadlines are the client's, and whole seconds are all that is counted here.
        configuration.timeoutIntervalForRequest = 365 * 24 * 3600
        configuration.timeoutIntervalForResource = 365 * 24 * 3600
        return configuration
    }
}

extension ErrandError {
    static var sessionShutDown: ErrandError {
        ErrandError(.clientShutDown, "the transport was shut down")
    }
}
