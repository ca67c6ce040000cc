#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The way of a request onto a connection over HTTP/2 without TLS (RFC 9113 §3.3).
    ///
    /// libcurl 7.88 lets HTTP/2 begin anew with each request that it knows to be sent so, also on a connection on which it
    /// has begun: nothing comes of that. But a request for HTTP/2 over TLS, which it sends over HTTP/1.1 where there is
    /// none, joins such a connection, and is sent as it should. So the first request on a connection is sent in one way,
    /// and later ones in the other; and before anything is sent it is known whether the connection is one to join.
    enum PlainHTTP2 {
        /// libcurl needs no help, or there is no help.
        case asKnown
        /// A new connection is opened.
        case opening
        /// One is joined that was opened so.
        case joining

        /// What libcurl is told to speak.
        var version: errand_curl_number {
            self == .joining ? ERRAND_CURL_HTTP_2_OVER_TLS : ERRAND_CURL_HTTP_2_PRIOR_KNOWLEDGE
        }

        /// Whether a request can be sent on a connection that libcurl has chosen for it.
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
