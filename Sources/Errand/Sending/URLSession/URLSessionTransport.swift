#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable public import Errand
    #endif
    #if canImport(FoundationNetworking)
        package import Foundation
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    /// A transport over Foundation's URLSession.
    ///
    /// One session serves all exchanges of the transport. It has no cache, cookies or credentials, follows no redirects,
    /// and sets no deadlines that affect a client: Errand implements these.
    ///
    /// Capabilities and limitations:
    ///
    /// - Response bodies go to memory, to files, and on Apple platforms to streams.
    /// - Request bodies are bytes, a file or a stream, which is written to a file first; a body of a `GET` or `HEAD` is
    ///   rejected.
    /// - Compressed bodies are delivered decompressed, with the original head.
    /// - URLSession delivers header fields without their order, and joins those of the same name: they are sorted by name,
    ///   and `Set-Cookie` is split again. Repeated fields of a request are sent as one.
    /// - Credentials in a URL are not sent, and URLSession sets the fields for message framing.
    /// - URLSession itself may send a request without a body again if a reused connection turns out to be closed.
    /// - URLSession determines the number of idle connections and the time for which addresses are cached. Other
    ///   ``TransportSettings`` that it does not support are rejected with ``ErrandError/Code/unsupported`` before the
    ///   request is sent.
    ///
    /// While a stream is full, its task is suspended until half of the buffer has been read. Bytes that URLSession has
    /// already received are still delivered, so more than the buffer may be unread; URLSession does not document how much.
    /// Files are written on the transport's own queue, which other exchanges wait for. The file of a failed or cancelled
    /// exchange is removed before the exchange ends.
    ///
    /// A request body stream is first written to a file in the system's temporary folder, readable by this user only, and
    /// sent from there when it has ended. So its length is known and sent, a stream that fails or has a wrong length is
    /// never partly sent, and the disk needs space for all of it. It is read as fast as the disk or the stream allows;
    /// throttling delays the sending and does not slow it down. Meanwhile, the exchange reports no events, and the
    /// deadlines of the client run. The file is removed before the exchange ends, in any case.
    ///
    /// On Linux, URLSession cannot be held back: a suspended task sends its request again when it is resumed, and received
    /// bytes are delivered whatever the backlog. So a stream as the destination is rejected with
    /// ``ErrandError/Code/unsupported``, and the bytes of a body for a file wait in memory until they are written.
    ///
    /// URLSession on Linux is based on libcurl. It takes proxies from the environment (`http_proxy`, `https_proxy`,
    /// `no_proxy`), and drops the body of a redirect without a target; files are read into memory before they are sent. It
    /// uses only the system's TLS rules, so hosts with other rules are rejected, and so are all settings except the
    /// standard ones.
    ///
    /// On Apple platforms, it applies a ``TLSPolicy`` without client certificates. All hosts of a transport share the
    /// lowest of their minimum versions: hosts that require a higher one are rejected. Proxies can be `http`, `https`,
    /// `socks5` or `socks5h`, which all resolve names themselves.
    public final class URLSessionTransport: Transport {
        private let settings: URLSessionSettings
        private let streaming: URLSessionStreaming
        /// The folder for streams before they are sent.
        private let uploadFolder: URL
        private let session: URLSession
        private let bridge: URLSessionBridge

        /// Creates a transport with its own session.
        ///
        /// - Parameters:
        ///   - settings: The connection settings; an invalid or unsupported one fails each exchange that it concerns. The
        ///     files that the TLS rules name are read.
        ///   - maximumConnectionsPerHost: The maximum number of connections to one host; further exchanges wait inside
        ///     URLSession, so this should not be lower than the client's limit per host.
        public convenience init(settings: TransportSettings = TransportSettings(), maximumConnectionsPerHost: Int = 64)
        {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
            self.init(settings, configuration, streaming: .platform, nil)
        }

        /// Creates a transport with a session configured like an existing one of the app.
        ///
        /// The network settings of the configuration are used: proxies, service type, additional header fields, TLS
        /// versions, protocol classes, connections per host. Its cache, cookies, credentials and timeouts are not: Errand
        /// implements these.
        ///
        /// - Parameter configuration: The configuration, which is copied. It must not be a background configuration, whose
        ///   sessions outlive their process.
        public convenience init(adopting configuration: URLSessionConfiguration) {
            let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
            self.init(TransportSettings(), copy, streaming: .platform, nil)
        }

        /// Creates a transport with a given streaming behavior, instead of the platform's.
        ///
        /// - Parameters:
        ///   - streaming: The behavior with a stream as the destination.
        ///   - uploadFolder: The folder for streams before they are sent.
        package convenience init(streaming: URLSessionStreaming? = nil, uploadFolder: URL) {
            self.init(TransportSettings(), .many, streaming: streaming ?? .platform, uploadFolder)
        }

        /// Creates a transport with a given streaming behavior, instead of the platform's.
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

        /// The number of exchanges, including cancelled ones that have not ended yet.
        package var inFlightCount: Int {
            self.bridge.callCount
        }

        // MARK: - Exchanging

        /// Sends a request and receives its response.
        ///
        /// Can be called from any thread. If the calling task is cancelled, the call ends at once, and URLSession closes
        /// the connection afterwards; only files are removed first, and the reading of a request stream ends. A response
        /// stream is returned with the head, and ends the exchange when it is released.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - context: The destination of the body, and the observer of progress, which is called on a queue of this
        ///     transport.
        /// - Returns: The response, whatever its status.
        /// - Throws: ``ErrandError`` if there is no complete response.
        public func exchange(
            _ request: HTTPRequest, _ context: ExchangeContext
        ) async throws(ErrandError) -> HTTPResponse {
            if let notice = try self.settings.check(request.url) { context.report(.notice(notice)) }
            let call = try URLSessionCall(request, context, self.streaming)
            guard !Task.isCancelled else { throw .cancelled() }
            guard self.bridge.enter(call) else { throw .sessionShutDown }
            guard let result = await self.result(of: call, sending: request.body) else {
                self.bridge.abandon(call)
                // Woken by the operation just added to the delegate queue, which never stops.
                await call.waitForEnd()
                throw .cancelled()
            }
            return try result.get()
        }

        /// Starts a call and waits for its result, or returns `nil` if the waiting task was cancelled.
        private func result(
            of call: URLSessionCall, sending body: HTTPRequest.Body
        ) async -> Result<HTTPResponse, ErrandError>? {
            guard case .stream(let stream, let length) = body else {
                self.bridge.start(call, in: self.session)
                return await call.result()
            }
            // The stream is read concurrently with the wait, which a shutdown ends too, and no longer than it.
            return await withTaskGroup(of: Void.self, returning: Result<HTTPResponse, ErrandError>?.self) { group in
                group.addTask { await self.write(stream, length, for: call) }
                let result = await call.result()
                group.cancelAll()
                return result
            }
        }

        /// Writes a stream to a file, and starts the call that sends it.
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

        /// Separates cached responses if settings change the responding or trusted servers; empty for the standard
        /// settings.
        public var cachePartition: String { self.settings.cachePartition }

        /// Ends all exchanges with ``ErrandError/Code/clientShutDown`` and invalidates the session; returns at once.
        ///
        /// Exchanges that start later fail with the same code. Further calls have no effect. A transport that is
        /// deallocated shuts itself down.
        public func shutdown() {
            self.bridge.shutDown(self.session)
        }
    }

    extension URLSessionConfiguration {
        /// A configuration without limits that affect a client.
        fileprivate static var many: URLSessionConfiguration {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = 64
            return configuration
        }

        /// Disables the session's own features.
        fileprivate func leaveAllToErrand() {
            self.urlCache = nil
            self.httpCookieStorage = nil
            self.httpShouldSetCookies = false
            self.httpCookieAcceptPolicy = .never
            self.urlCredentialStorage = nil
            self.requestCachePolicy = .reloadIgnoringLocalCacheData
            // A year: the client has its own deadlines, and these are counted in whole seconds.
            self.timeoutIntervalForRequest = 365 * 24 * 3600
            self.timeoutIntervalForResource = 365 * 24 * 3600
        }
    }

    extension ErrandError {
        static var sessionShutDown: ErrandError {
            ErrandError(.clientShutDown, "the transport was shut down")
        }
    }
#endif
