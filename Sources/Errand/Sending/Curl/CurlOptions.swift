#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import struct Foundation.Data

    /// Sets the options of a handle: some for its lifetime, others for each request.
    ///
    /// Owned by the exchange that owns the handle, and released with it. Safe for that reason: the handle outlives all
    /// uses here, and header lines are released only after libcurl has new ones or will not read them again.
    @safe
    final class CurlOptions {
        let easy: OpaquePointer
        let settings: CurlSettings
        /// The TLS rules of the hosts that the handle is used for.
        let rules: LoadedTLSRules
        /// The header lines that libcurl uses without copying.
        private var lines: CurlHeaderLines?
        private let lineCache: CurlLineCache
        /// The addresses that libcurl uses without copying.
        var addresses: OpaquePointer?
        /// True if the last request was a GET without a body: most are, and then these options stay.
        private var isPlain = false
        private var version: errand_curl_number?
        /// True if the last request bypassed the proxy.
        private var isDirect: Bool?
        private var bypass = CurlBypass()
        private var tellsProgress = false
        private var bufferSize = 0
        private(set) var plainHTTP2 = PlainHTTP2.asKnown
        /// True if the connection cannot be reused because libcurl does not support it.
        private var isUsedOnce = false
        /// True if a new connection is opened for the exchange in any case.
        private var isFresh = false
        /// True if exchanges over this version can share a connection.
        private var mayShare = false
        private var share = CurlConnections.Share()
        private var waitsForOthers = false
        /// True if the connection is closed after its last exchange, because it is dead.
        private var isGivenUp = false
        /// True if the connection is closed after its last exchange, for any reason.
        private var isLast = false
        private var connectMilliseconds = 0
        private var hasPatientSockets: Bool?

        /// For files and streams, unless there are many: sixteen times libcurl's default, for fewer calls for a large
        /// body.
        private static let largeBufferSize = 256 << 10
        /// For other bodies, which are usually small: libcurl allocates a buffer for each exchange, and memory that
        /// returns to the system each time costs more than fewer calls save.
        private static let usualBufferSize = 16 << 10

        /// Bodies up to this size are copied to libcurl, which sends them together with the head.
        private static let copyLimit = 64 << 10

        init(_ easy: OpaquePointer, _ settings: CurlSettings, _ rules: LoadedTLSRules, _ lineCache: CurlLineCache) {
            unsafe self.easy = easy
            self.settings = settings
            self.lineCache = lineCache
            self.rules = rules
        }

        deinit {
            unsafe errand_curl_list_free(self.addresses)
        }

        // MARK: - For one request

        func set(
            _ request: HTTPRequest, source: (any CurlSource)?, isObserved: Bool, _ way: CurlConnectionPolicy
        ) throws(ErrandError) {
            try self.set(ERRAND_CURL_URL, request.url.stringForTransport)
            try self.setVersion(request.url.isSecure, way)
            try self.setProxyUse(request.url)
            try self.setProgress(request.url.isSecure)
            try self.setShare(way.share)
            try self.setFreshness(request.method, way.isFresh)
            try self.setBody(request, source, isObserved)
            try self.setLines(request)
        }

        /// Sets the connect timeout of libcurl and of a socket.
        func setConnecting(_ pace: CurlConnectPace, at now: ContinuousClock.Instant) throws(ErrandError) {
            if self.hasPatientSockets != pace.isPatient {
                unsafe errand_curl_set_sockets(self.easy, pace.isPatient)
                self.hasPatientSockets = pace.isPatient
            }
            let milliseconds = pace.milliseconds(at: now)
            guard self.connectMilliseconds != milliseconds else { return }
            self.connectMilliseconds = milliseconds
            try self.set(ERRAND_CURL_CONNECT_MILLISECONDS, milliseconds)
        }

        /// Sets the size of the receive buffer.
        ///
        /// libcurl refuses it while it still has the buffer of an exchange that ended while waiting for a connection;
        /// that one is then reused.
        func setBuffer(for destination: ExchangeContext.BodyDestination, _ way: CurlConnectionPolicy) {
            let size =
                switch destination {
                case .file where !way.isCrowded: Self.largeBufferSize
                // A stream must not hold more than was requested.
                case .stream(let limit) where !way.isCrowded:
                    min(max(limit, Self.usualBufferSize), Self.largeBufferSize)
                case .memory, .file, .stream: Self.usualBufferSize
                }
            guard self.bufferSize != size else { return }
            let code = unsafe errand_curl_set_long(self.easy, Int32(ERRAND_CURL_BUFFER_SIZE.rawValue), size)
            if code == 0 { self.bufferSize = size }
        }

        /// Sets the HTTP version; over HTTP/2, waits for a connection that is being opened, to share it.
        private func setVersion(_ isSecure: Bool, _ way: CurlConnectionPolicy) throws(ErrandError) {
            let isKnown = self.settings.network.httpVersions == .http2PriorKnowledge
            let isPlain = isKnown && !isSecure && !self.settings.sharesPlainHTTP2
            self.isUsedOnce = isPlain && !self.settings.joinsPlainHTTP2
            self.plainHTTP2 = !isPlain || self.isUsedOnce ? .asKnown : way.joinsPlainHTTP2 ? .joining : .opening
            let version =
                switch self.settings.network.httpVersions {
                case .automatic: isSecure ? ERRAND_CURL_HTTP_2_OVER_TLS : ERRAND_CURL_HTTP_1_1
                case .http1_1: ERRAND_CURL_HTTP_1_1
                case .http2PriorKnowledge: self.plainHTTP2.version
                }
            self.mayShare = version != ERRAND_CURL_HTTP_1_1 && !self.isUsedOnce
            try self.setVersion(version)
            try self.setReuse()
        }

        private func setVersion(_ version: errand_curl_number) throws(ErrandError) {
            guard self.version != version else { return }
            self.version = version
            try self.set(ERRAND_CURL_HTTP_VERSION, Int(version.rawValue))
        }

        /// Keeps exchanges from joining connections of another share, and sets whether one that is being opened is
        /// waited for.
        ///
        /// libcurl has no such option, but joins only connections with equal values of these two, which have no other
        /// effect here: GSS delegation, and certificate checks on Windows. It compares the latter since 7.83.1.
        private func setShare(_ share: CurlConnections.Share) throws(ErrandError) {
            if self.share.number != share.number {
                let bits = [
                    ERRAND_CURL_SCHANNEL_NO_REVOCATION, ERRAND_CURL_SCHANNEL_LAX_REVOCATION,
                    ERRAND_CURL_SCHANNEL_ANY_CERTIFICATE,
                ].enumerated().map { share.number >> $0.offset & 1 == 0 ? 0 : Int($0.element.rawValue) }
                try self.set(ERRAND_CURL_TLS_OPTIONS, bits.reduce(0, |))
                // Without GSS support, libcurl does not know the option.
                _ = unsafe errand_curl_set_long(
                    self.easy, Int32(ERRAND_CURL_GSS_DELEGATION.rawValue), share.number & 3)
            }
            self.share = share
            let waits = self.mayShare && share.waits
            guard self.waitsForOthers != waits else { return }
            self.waitsForOthers = waits
            try self.set(ERRAND_CURL_PIPE_WAIT, waits ? 1 : 0)
        }

        /// Lets the connection be closed when its last exchange is over.
        func giveUpConnection() {
            self.isGivenUp = true
            // This never fails, and a failure could not be handled.
            try? self.setReuse()
        }

        /// Makes libcurl use a proxy for every host or for none, because it does not support all forms of bypass lists.
        private func setProxyUse(_ url: HTTPURL) throws(ErrandError) {
            let isDirect = self.bypass.contains(url, by: self.settings)
            guard self.isDirect != isDirect else { return }
            self.isDirect = isDirect
            // An empty list overrides that of the environment.
            try self.set(ERRAND_CURL_NO_PROXY, isDirect ? "*" : "")
        }

        /// Enables progress callbacks where they are used: over TLS, and in streams.
        private func setProgress(_ isSecure: Bool) throws(ErrandError) {
            let isTold = isSecure || self.settings.network.httpVersions == .http2PriorKnowledge
            guard self.tellsProgress != isTold else { return }
            self.tellsProgress = isTold
            try self.set(ERRAND_CURL_NO_PROGRESS, isTold ? 0 : 1)
        }

        /// Makes the next transfer use HTTP/1.1, but not later ones.
        func setHTTP1() throws(ErrandError) {
            try self.setVersion(ERRAND_CURL_HTTP_1_1)
            guard self.waitsForOthers else { return }
            self.waitsForOthers = false
            try self.set(ERRAND_CURL_PIPE_WAIT, 0)
        }

        /// Opens a new connection if reusing one would be harmful.
        ///
        /// A libcurl without a callback before sending repeats a request on a reused connection, so a request that must
        /// not be sent twice needs a new one. A libcurl that cannot reuse a connection must not join one either.
        private func setFreshness(_ method: HTTPMethod, _ isFreshAnyway: Bool) throws(ErrandError) {
            let isFresh =
                isFreshAnyway || self.isUsedOnce || self.plainHTTP2 == .opening
                || !self.settings.tellsOfSending && !method.isIdempotent
            if self.isGivenUp {
                self.isGivenUp = false
                try self.setReuse()
            }
            guard self.isFresh != isFresh else { return }
            self.isFresh = isFresh
            try self.set(ERRAND_CURL_FRESH_CONNECT, isFresh ? 1 : 0)
        }

        /// Opens a new connection for the request, because an existing one must not be used.
        func useNewConnection() throws(ErrandError) {
            self.isFresh = true
            if self.plainHTTP2 == .joining {
                self.plainHTTP2 = .opening
                try self.setVersion(self.plainHTTP2.version)
            }
            try self.set(ERRAND_CURL_FRESH_CONNECT, 1)
        }

        private func setReuse() throws(ErrandError) {
            let isLast = self.isUsedOnce || self.isGivenUp || self.lines?.asksToClose == true
            guard self.isLast != isLast else { return }
            self.isLast = isLast
            try self.set(ERRAND_CURL_FORBID_REUSE, isLast ? 1 : 0)
        }

        private func setBody(
            _ request: HTTPRequest, _ source: (any CurlSource)?, _ isObserved: Bool
        ) throws(ErrandError) {
            let isPlain = source == nil && request.method == .get
            guard !isPlain || !self.isPlain else { return }
            self.isPlain = isPlain
            // First the common state: no body, none expected.
            try self.set(ERRAND_CURL_HTTP_GET, 1)
            try self.set(ERRAND_CURL_CUSTOM_REQUEST, isPlain ? nil : request.method.rawValue)
            guard !isPlain else { return }
            guard let source else { return try self.setNoBody(request.method) }
            guard request.method != .head else {
                throw ErrandError(.unsupported, "a HEAD request cannot have a body here")
            }
            if let bytes = source as? CurlBytesSource, bytes.data.count <= Self.copyLimit, !isObserved {
                try self.setCopy(of: bytes.data)
            } else {
                try self.set(ERRAND_CURL_UPLOAD, 1)
                try self.setSize(ERRAND_CURL_UPLOAD_SIZE, source.length ?? -1)
            }
        }

        private func setNoBody(_ method: HTTPMethod) throws(ErrandError) {
            if method == .head {
                try self.set(ERRAND_CURL_NO_BODY, 1)
                try self.set(ERRAND_CURL_CUSTOM_REQUEST, nil)
            } else if method.announcesContent {
                // These methods send an empty body explicitly: Content-Length: 0 (RFC 9110 §8.6).
                try self.setCopy(of: Data())
            }
        }

        private func setCopy(of data: Data) throws(ErrandError) {
            try self.set(ERRAND_CURL_POST, 1)
            try self.setSize(ERRAND_CURL_POST_SIZE, Int64(data.count))
            // At least one byte: without an address, libcurl would ask for the body.
            var bytes = data
            if bytes.isEmpty { bytes.append(0) }
            let code = unsafe bytes.withUnsafeBytes { bytes in
                let address = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return unsafe errand_curl_set_pointer(self.easy, Int32(ERRAND_CURL_COPY_POST_FIELDS.rawValue), address)
            }
            try self.check(code, ERRAND_CURL_COPY_POST_FIELDS)
        }

        func setLines(_ request: HTTPRequest) throws(ErrandError) {
            let lines = try self.lineCache.lines(for: request.headers)
            guard lines !== self.lines else { return }
            let code = unsafe errand_curl_set_list(self.easy, Int32(ERRAND_CURL_HTTP_HEADER.rawValue), lines.list)
            try self.check(code, ERRAND_CURL_HTTP_HEADER)
            // Only now: until here, libcurl uses the previous ones.
            self.lines = lines
            try self.setReuse()
        }

        // MARK: - Options

        func set(_ option: errand_curl_number, _ value: Int) throws(ErrandError) {
            try self.check(unsafe errand_curl_set_long(self.easy, Int32(option.rawValue), value), option)
        }

        func set(_ option: errand_curl_number, _ text: String?) throws(ErrandError) {
            try self.check(unsafe errand_curl_set_text(self.easy, Int32(option.rawValue), text), option)
        }

        /// Sets bytes, which libcurl copies.
        func set(_ option: errand_curl_number, _ data: Data) throws(ErrandError) {
            let code = unsafe data.withUnsafeBytes { bytes in
                // Not empty, as checked before.
                unsafe bytes.baseAddress.map {
                    unsafe errand_curl_set_bytes(self.easy, Int32(option.rawValue), $0, bytes.count)
                } ?? 0
            }
            try self.check(code, option)
        }

        private func setSize(_ option: errand_curl_number, _ value: Int64) throws(ErrandError) {
            try self.check(unsafe errand_curl_set_size(self.easy, Int32(option.rawValue), value), option)
        }

        private func check(_ code: Int32, _ option: errand_curl_number) throws(ErrandError) {
            guard code != 0 else { return }
            throw ErrandError(curl: code, "option \(option.rawValue) was refused")
        }
    }
#endif
