#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Detects a truncated body over TLS that is delimited by the end of its connection.
    ///
    /// Only a `close_notify` alert of the server ends such a body; without one, an attacker may have cut the connection
    /// (RFC 9112 §9.8). libcurl with OpenSSL does not distinguish the two. So TLS is queried while the connection
    /// exists, in each progress callback, of which libcurl makes the last one before it releases the connection.
    ///
    /// Owned by the exchange that owns the handle. Safe for that reason: the handle outlives all uses here.
    @safe
    final class CurlClosing {
        private let easy: OpaquePointer
        /// True if the body ends with its connection.
        private var isAwaited = false
        /// True if the server has sent `close_notify`, or if that is unknown.
        private var hasCome = false

        init(_ easy: OpaquePointer) {
            unsafe self.easy = easy
        }

        /// Handles the head of a response whose body ends with its connection.
        func awaitEnd(of request: HTTPRequest) {
            guard request.url.isSecure, request.method != .head else { return }
            let version = unsafe errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_HTTP_VERSION.rawValue))
            self.isAwaited = version <= 2
        }

        /// Handles a progress callback.
        func progressed() {
            guard self.isAwaited, !self.hasCome else { return }
            self.hasCome = unsafe errand_curl_tls_was_closed(self.easy) != ERRAND_TLS_NO
        }

        /// Handles the end of the body.
        ///
        /// - Throws: ``ErrandError`` if it may be truncated.
        func check() throws(ErrandError) {
            guard self.isAwaited, !self.hasCome else { return }
            throw ErrandError(
                .connectionLost,
                "the connection was closed without a TLS close_notify, so the body may be truncated")
        }

        /// Handles the end of the exchange.
        func exchangeEnded() {
            (self.isAwaited, self.hasCome) = (false, false)
        }
    }
#endif
