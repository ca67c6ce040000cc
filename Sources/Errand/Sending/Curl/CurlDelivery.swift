#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The delivery of a request: how often it was sent, and whether it may have been processed.
    ///
    /// libcurl sends a request again by itself if a reused connection is closed without a response, and if a server has
    /// not processed it. It does not report which of the two it was, so that is determined here: a request that may
    /// have been processed must not be sent again unless its method is idempotent (RFC 9110 §9.2.2).
    ///
    /// Owned by the exchange that owns the handle. Safe for that reason: the handle outlives all uses here.
    @safe
    final class CurlDelivery {
        /// The decision about a request that is about to be sent on a connection.
        enum Step {
            case send
            /// Do not use the connection.
            case avoid
            /// Do not send: the request was sent before, and may have been processed.
            case refuse
            /// Do not send: deliver the existing response.
            case deliver
        }

        /// The maximum number of repetitions of an unprocessed request, besides those of libcurl.
        private static let repeatLimit = 3

        private let easy: OpaquePointer
        private let settings: CurlSettings
        private let sockets: CurlSockets
        private let tracing: CurlTracing
        private let words: UnsafePointer<CChar>
        /// True if the server of the request may use HTTP/2.
        private var maySpeakHTTP2 = false
        private var connection: CurlConnection?
        private var trace = CurlStreamTrace()
        /// The number of times libcurl started to send the request since the last handover, and the number of repeated
        /// handovers.
        private var (sendings, repeats) = (0, 0)
        /// The number of its bytes that libcurl had passed on when it last started to send it.
        private var sizeBefore = 0
        /// True if libcurl sends it again because it was not processed.
        private var wasUnprocessed = false
        /// True if it was aborted only because its connection must not be used.
        private(set) var avoidsConnection = false
        /// True if it was aborted only because there is a response.
        private(set) var isAnswered = false

        init(
            _ easy: OpaquePointer, _ settings: CurlSettings, _ sockets: CurlSockets, _ tracing: CurlTracing,
            words: UnsafePointer<CChar>
        ) {
            unsafe self.easy = easy
            self.settings = settings
            self.sockets = sockets
            self.tracing = tracing
            unsafe self.words = words
        }

        // MARK: - Sending

        /// Handles the handover of a request to libcurl.
        func begin(_ request: HTTPRequest) {
            self.maySpeakHTTP2 = self.settings.maySpeakHTTP2(to: request.url)
            self.tracing.set(.streams, self.maySpeakHTTP2)
            self.sizeBefore = 0
            self.sendings = 0
            self.avoidsConnection = false
            self.isAnswered = false
        }

        /// Decides about a request that libcurl is about to send, possibly although there is a response.
        func next(
            _ request: HTTPRequest, between endPoints: CurlSockets.EndPoints, _ plainHTTP2: PlainHTTP2, isAnswered: Bool
        ) -> Step {
            self.isAnswered = isAnswered
            if isAnswered { return .deliver }
            self.noteRetry(of: request)
            guard self.sendings == 0 || request.method.isIdempotent || self.wasUnprocessed else { return .refuse }
            let connection = self.sockets.connection(between: endPoints)
            let isStale = connection.map { unsafe self.sockets.isStale($0, of: self.easy) }
            self.avoidsConnection = isStale ?? self.mayBeUnnamedStale || !plainHTTP2.mayUse(connection)
            guard !self.avoidsConnection else { return .avoid }
            self.sendings += 1
            self.wasUnprocessed = false
            self.sizeBefore = self.size
            self.connection = connection ?? CurlConnection(-1)
            if let connection { self.sockets.begin(connection) }
            return .send
        }

        private var mayBeUnnamedStale: Bool {
            let network = self.settings.network
            guard network.unixSocket != nil, network.httpVersions != .http2PriorKnowledge else { return false }
            let isNew = unsafe errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_NEW_CONNECTIONS.rawValue)) > 0
            return !isNew && self.sockets.hasBytesOnUnnamed
        }

        /// Reads a trace line of libcurl.
        func look(_ text: UnsafeRawBufferPointer, _ request: HTTPRequest) {
            guard self.tracing.viewers.contains(.streams), let line = unsafe CurlStreamTrace.Line(text) else { return }
            self.trace.take(line)
            switch line {
            case .goAway(let last): self.connection?.noteGoAway(lastStream: last)
            case .retrying: self.noteRetry(of: request)
            case .downgrading:
                self.noteRetry(of: request)
                self.wasUnprocessed = true
            case .opened, .refused: break
            }
        }

        /// Records that libcurl has made progress without an error.
        func progressed() {
            unsafe self.sockets.noteProgress(of: self.easy)
        }

        /// Handles the response; over HTTP/2, tracing continues, because later frames may concern other exchanges.
        func responded() {
            if !self.speaksHTTP2 { self.tracing.set(.streams, false) }
        }

        // MARK: - What became of it

        /// Records that libcurl abandons the request's connection and uses another one.
        private func noteRetry(of request: HTTPRequest) {
            guard self.connection != nil else { return }
            self.wasUnprocessed = self.isUnprocessed(request) || self.wasRefusedSilently
            self.leaveConnection()
            self.trace = CurlStreamTrace()
        }

        /// Returns true if the server has certainly not processed the request on its last connection.
        func isUnprocessed(_ request: HTTPRequest) -> Bool {
            guard self.connection != nil else { return false }
            return self.trace.isUnprocessed(on: self.connection) || self.isUnsent(request)
        }

        /// Returns true if the request was sent and may have been processed.
        func mayBeProcessed(_ request: HTTPRequest) -> Bool {
            self.sendings > 0 && !self.wasUnprocessed && !self.isUnprocessed(request)
        }

        /// True if libcurl has sent the request again by itself.
        var wasSentAgain: Bool { self.sendings > 1 }

        /// Returns true if no byte of the request has been sent.
        ///
        /// Over TLS and in frames, some may have been sent although libcurl reports none.
        private func isUnsent(_ request: HTTPRequest) -> Bool {
            guard !request.url.isSecure, !self.maySpeakHTTP2, self.size == self.sizeBefore
            else { return false }
            return unsafe errand_curl_get_size(self.easy, Int32(ERRAND_CURL_INFO_UPLOADED.rawValue)) == 0
        }

        /// True if libcurl repeats a stream because it was refused (RFC 9113 §8.7), which libcurl 7 does not report.
        ///
        /// libcurl repeats a request if it has read no response. For a connection error, it has an error text. For the
        /// end of the connection, it reports progress first, because it takes it for the end of the response. In the
        /// remaining case, the stream was refused.
        private var wasRefusedSilently: Bool {
            guard self.settings.version < 0x08_00_00, self.trace.stream != nil, unsafe self.words[0] == 0 else {
                return false
            }
            // Without content, libcurl sets the time of the first byte only at the end of a response.
            return unsafe !self.sockets.hasJustProgressed(self.easy)
                || errand_curl_get_size(self.easy, Int32(ERRAND_CURL_INFO_START_TRANSFER.rawValue)) == 0
        }

        private var size: Int {
            unsafe errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_REQUEST_SIZE.rawValue))
        }

        /// Returns true if the request may be given to libcurl once more: it was not processed, or not even sent.
        func mayRepeat(_ request: HTTPRequest) -> Bool {
            guard self.repeats < Self.repeatLimit, self.avoidsConnection || self.isUnprocessed(request) else {
                return false
            }
            self.repeats += 1
            self.leaveConnection()
            self.trace = CurlStreamTrace()
            return true
        }

        // MARK: - Ending

        /// Handles the end of the exchange with a response.
        ///
        /// - Parameter limit: The time for which the server keeps the connection open; `nil` if it is unknown.
        func end(keptFor limit: Duration?) {
            self.leaveConnection(isQuiet: !self.speaksHTTP2, keptFor: limit)
            self.reset()
        }

        /// Handles the end of the exchange without a response; its connection may be broken.
        func endWithoutResponse() {
            self.leaveConnection()
            self.reset()
        }

        private func reset() {
            self.trace = CurlStreamTrace()
            self.tracing.set(.streams, false)
            self.repeats = 0
            self.wasUnprocessed = false
        }

        /// True if the response came over HTTP/2.
        private var speaksHTTP2: Bool {
            unsafe self.maySpeakHTTP2
                && errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_HTTP_VERSION.rawValue)) > 2
        }

        private func leaveConnection(isQuiet: Bool? = nil, keptFor limit: Duration? = nil) {
            guard let connection = self.connection.take(), connection.socket >= 0 else { return }
            self.sockets.end(connection, isQuiet: isQuiet, keptFor: limit)
        }
    }

    extension CurlSettings {
        /// Returns true if HTTP/2 may be used with the server of a URL.
        fileprivate func maySpeakHTTP2(to url: HTTPURL) -> Bool {
            switch self.network.httpVersions {
            case .automatic: url.isSecure
            case .http1_1: false
            case .http2PriorKnowledge: true
            }
        }
    }
#endif
