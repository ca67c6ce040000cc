#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Sees whether a body that ends with its connection is whole, over TLS: only a server that says that nothing more comes
    /// (`close_notify`) ends it, and no one in between who cuts the connection (RFC 9112 §9.8).
    ///
    /// libcurl with OpenSSL takes either for the end. So TLS is asked while there is the connection, each time libcurl tells
    /// of its progress, which it does for the last time before it gives the connection up.
    ///
    /// Belongs to the exchange that owns the handle. Safe for that reason: the handle outlives the uses here.
    @safe
    final class CurlClosing {
        private let easy: OpaquePointer
        /// Whether the body ends with its connection.
        private var isAwaited = false
        /// Whether the server has said that nothing more comes, or that is not known.
        private var hasCome = false

        init(_ easy: OpaquePointer) {
            unsafe self.easy = easy
        }

        /// The head of a response has come whose body ends with its connection.
        func awaitEnd(of request: HTTPRequest) {
            guard request.url.isSecure, request.method != .head else { return }
            let version = unsafe errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_HTTP_VERSION.rawValue))
            self.isAwaited = version <= 2
        }

        /// libcurl tells of its progress.
        func progressed() {
            guard self.isAwaited, !self.hasCome else { return }
            self.hasCome = unsafe errand_curl_tls_was_closed(self.easy) != ERRAND_TLS_NO
        }

        /// The body has ended.
        ///
        /// - Throws: ``ErrandError`` when it may have been cut.
        func check() throws(ErrandError) {
            guard self.isAwaited, !self.hasCome else { return }
            throw ErrandError(
                .connectionLost,
                "the connection was closed without the end of TLS (close_notify), so the body may have been cut")
        }

        /// The exchange is over.
        func exchangeEnded() {
            (self.isAwaited, self.hasCome) = (false, false)
        }
    }
#endif
