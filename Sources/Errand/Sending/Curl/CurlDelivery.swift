#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The way of a request onto connections: how often it was sent, and what is known of what became of it there.
    ///
    /// libcurl sends a request again by itself where a connection that was kept is closed without a response, and where a
    /// server has not processed it. It does not say which of the two it was, so that is found out here: what may have been
    /// processed must not be sent again unless its method is idempotent (RFC 9110 §9.2.2).
    ///
    /// Belongs to the exchange that owns the handle. Safe for that reason: the handle outlives the uses here.
    @safe
    final class CurlDelivery {
        /// The next step with a request that is about to go onto a connection.
        enum Step {
            case send
            /// The connection must not be used.
            case avoid
            /// It was sent before, and may have been processed.
            case refuse
            /// It has a response, which is delivered.
            case deliver
        }

        /// The most times that a request which was not processed is sent again besides what libcurl does.
        private static let repeatLimit = 3

        private let easy: OpaquePointer
        private let settings: CurlSettings
        private let sockets: CurlSockets
        private let tracing: CurlTracing
        private let words: UnsafePointer<CChar>
        /// Whether the server of the request may speak HTTP/2.
        private var maySpeakHTTP2 = false
        private var connection: CurlConnection?
        private var trace = CurlStreamTrace()
        /// How often libcurl began to send it since it was given to libcurl, and how often it was given.
        private var (sendings, repeats) = (0, 0)
        /// The number of bytes of it libcurl had passed on when it began to send it last.
        private var sizeBefore = 0
        /// Whether libcurl sends it again because it was not processed.
        private var wasUnprocessed = false
        /// Whether it was broken off only because its connection must not be used.
        private(set) var avoidsConnection = false
        /// Whether it was broken off only because there is a response.
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

        /// A request is given to libcurl.
        func begin(_ request: HTTPRequest) {
            self.maySpeakHTTP2 = self.settings.maySpeakHTTP2(to: request.url)
            self.tracing.set(.streams, self.maySpeakHTTP2)
            self.sizeBefore = 0
            self.sendings = 0
            self.avoidsConnection = false
            self.isAnswered = false
        }

        /// libcurl is about to send the request, perhaps although there is a response.
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

        /// libcurl traces something.
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

        /// libcurl has done a step of the transfer without an error.
        func progressed() {
            unsafe self.sockets.noteProgress(of: self.easy)
        }

        /// A response has come; over HTTP/2 others may learn from what follows on the connection.
        func responded() {
            if !self.speaksHTTP2 { self.tracing.set(.streams, false) }
        }

        // MARK: - What became of it

        /// libcurl has given up the connection that the request went onto, and takes another one.
        private func noteRetry(of request: HTTPRequest) {
            guard self.connection != nil else { return }
            self.wasUnprocessed = self.isUnprocessed(request) || self.wasRefusedSilently
            self.leaveConnection()
            self.trace = CurlStreamTrace()
        }

        /// Whether the server has certainly not processed the request on its last connection.
        func isUnprocessed(_ request: HTTPRequest) -> Bool {
            guard self.connection != nil else { return false }
            return self.trace.isUnprocessed(on: self.connection) || self.isUnsent(request)
        }

        /// Whether the request went onto a connection, and may have been processed there.
        func mayBeProcessed(_ request: HTTPRequest) -> Bool {
            self.sendings > 0 && !self.wasUnprocessed && !self.isUnprocessed(request)
        }

        /// Whether libcurl has sent the request again by itself.
        var wasSentAgain: Bool { self.sendings > 1 }

        /// Whether not a byte of the request has left.
        ///
        /// Over TLS, and in frames, a part of it may have left where libcurl says that none has.
        private func isUnsent(_ request: HTTPRequest) -> Bool {
            guard !request.url.isSecure, !self.maySpeakHTTP2, self.size == self.sizeBefore
            else { return false }
            return unsafe errand_curl_get_size(self.easy, Int32(ERRAND_CURL_INFO_UPLOADED.rawValue)) == 0
        }

        /// Whether a stream that libcurl sends again was refused (RFC 9113 §8.7), of which libcurl 7 says nothing.
        ///
        /// It sends again where it has read nothing. An error of the connection it puts into words. The end of the
        /// connection it takes for the end of the response, and tells of its progress before it sees that there was none.
        /// What it does neither with is a stream that was refused.
        private var wasRefusedSilently: Bool {
            guard self.settings.version < 0x08_00_00, self.trace.stream != nil, unsafe self.words[0] == 0 else {
                return false
            }
            // Without content it takes the time of a first byte only at the end of a response.
            return unsafe !self.sockets.hasJustProgressed(self.easy)
                || errand_curl_get_size(self.easy, Int32(ERRAND_CURL_INFO_START_TRANSFER.rawValue)) == 0
        }

        private var size: Int {
            unsafe errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_REQUEST_SIZE.rawValue))
        }

        /// Whether the request may be given to libcurl once more: it was not processed, or not even sent.
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

        /// The exchange is over, and has a response.
        ///
        /// - Parameter limit: How long the server keeps the connection open; `nil` if it does not say so.
        func end(keptFor limit: Duration?) {
            self.leaveConnection(isQuiet: !self.speaksHTTP2, keptFor: limit)
            self.reset()
        }

        /// The exchange is over, and its connection may be broken.
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

        /// Whether the response came over HTTP/2.
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
        /// Whether HTTP/2 may be spoken with the server of a URL.
        fileprivate func maySpeakHTTP2(to url: HTTPURL) -> Bool {
            switch self.network.httpVersions {
            case .automatic: url.isSecure
            case .http1_1: false
            case .http2PriorKnowledge: true
            }
        }
    }
#endif
