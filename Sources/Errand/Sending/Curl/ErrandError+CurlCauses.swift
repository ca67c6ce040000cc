#if canImport(CErrandCurl)
    internal import CErrandCurl

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Causes of failures that libcurl reports as other errors.
    extension ErrandError {
        /// The error for a request that may have been processed, if libcurl failed only with the next connection.
        var afterSending: ErrandError {
            guard self.isUnprocessed else { return self }
            var error = self
            if [.cannotConnect, .hostNotFound].contains(self.code) {
                error = ErrandError(
                    .connectionLost, "the connection was closed without a response; then \(self.message)",
                    cause: self.cause)
            }
            error.context.isUnprocessed = false
            return error
        }

        /// Creates the error for a proxy that rejects or requests credentials; `nil` for other failures.
        init?(proxyRefusing easy: OpaquePointer, _ settings: CurlSettings, _ url: HTTPURL?) {
            let status = unsafe errand_curl_get_long(easy, Int32(ERRAND_CURL_INFO_TUNNEL_STATUS.rawValue))
            let socks = unsafe errand_curl_get_long(easy, Int32(ERRAND_CURL_INFO_PROXY_ERROR.rawValue))
            let isRefused = [ERRAND_CURL_PROXY_WANTS_OTHER_CREDENTIALS, ERRAND_CURL_PROXY_REJECTED_USER]
                .contains { Int($0.rawValue) == socks }
            guard status == 407 || isRefused else { return nil }
            self = .proxyRefused(url.flatMap { settings.way(to: $0) }, overHTTP: status == 407)
        }

        /// Returns the error for a proxy that rejects or requests credentials.
        ///
        /// - Parameters:
        ///   - way: The proxy, as in "through the proxy".
        ///   - isHTTP: True if it responded with the status 407.
        /// - Returns: The error.
        static func proxyRefused(_ way: String?, overHTTP isHTTP: Bool) -> ErrandError {
            let way = way.map { " \($0)" } ?? ""
            var error = ErrandError(
                .proxyAuthenticationFailed,
                "nothing was sent\(way): it rejects the user and password, or requires them\(isHTTP ? " (407)" : "")"
            )
            error.context.isUnprocessed = true
            if isHTTP { error.context.status = 407 }
            return error
        }

        /// Creates the error for exhausted system resources; `nil` for other failures.
        ///
        /// - Parameters:
        ///   - easy: The handle of the transfer.
        ///   - code: The libcurl code.
        ///   - failure: The error number of a socket that could not be opened, or 0.
        init?(shortageOf easy: OpaquePointer, _ code: Int32, _ failure: Int32) {
            guard let (what, number) = unsafe Self.shortage(easy, code, failure) else { return nil }
            self.init(.transportFailed, "\(what): \(unsafe String(cString: strerror(number)))")
            self.context.isUnprocessed = true
        }

        private static func shortage(_ easy: OpaquePointer, _ code: Int32, _ failure: Int32) -> (String, Int32)? {
            let what = "this machine lacks the resources to open a connection"
            switch code {
            // No connection.
            case 7 where [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure): return (what, failure)
            case 7:
                let number = unsafe Int32(
                    clamping: errand_curl_get_long(easy, Int32(ERRAND_CURL_INFO_SYSTEM_ERROR.rawValue)))
                let address = unsafe errand_curl_get_text(easy, Int32(ERRAND_CURL_INFO_ADDRESS.rawValue)).map {
                    unsafe String(cString: $0)
                }
                // For IPv6, this error may mean that the machine has none.
                guard number == EADDRNOTAVAIL, address?.contains(":") == false else { return nil }
                return ("this machine has no port left to connect from", number)
            // Failed lookups and unreadable certificates, whose codes do not reveal a shortage of descriptors.
            case 2, 5, 6, 27, 35, 58, 60, 77:
                let number = errand_descriptor_shortage()
                return number == 0 ? nil : (what, number)
            default: return nil
            }
        }
    }

    extension CurlSettings {
        /// Returns true if a request without TLS uses an HTTP proxy, which may respond itself.
        func usesProxy(for url: HTTPURL) -> Bool {
            guard !url.isSecure, self.network.unixSocket == nil, self.way(to: url) != nil else { return false }
            return self.proxy.map { $0.scheme == .http || $0.scheme == .https } ?? true
        }
    }
#endif
