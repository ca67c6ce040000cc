#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The HTTP/2 mode of a request without TLS (RFC 9113 §3.3).
    ///
    /// libcurl 7.88 restarts HTTP/2 for each request with prior knowledge, even on a connection that already uses it,
    /// which fails. But a request for HTTP/2 over TLS, which falls back to HTTP/1.1, joins such a connection, and is
    /// sent correctly. So the first request on a connection is sent in the first mode, and later ones in the second;
    /// the mode of the connection is checked before sending.
    enum PlainHTTP2 {
        /// libcurl needs no workaround, or has none.
        case asKnown
        /// Open a new connection.
        case opening
        /// Join a connection opened in that mode.
        case joining

        /// The version set in libcurl.
        var version: errand_curl_number {
            self == .joining ? ERRAND_CURL_HTTP_2_OVER_TLS : ERRAND_CURL_HTTP_2_PRIOR_KNOWLEDGE
        }

        /// Returns true if a request can be sent on the connection that libcurl has chosen.
        func mayUse(_ connection: CurlConnection?) -> Bool {
            switch self {
            case .asKnown: return true
            case .opening:
                connection?.speaksPlainHTTP2 = true
                return true
            case .joining: return connection?.speaksPlainHTTP2 == true
            }
        }
    }
#endif
