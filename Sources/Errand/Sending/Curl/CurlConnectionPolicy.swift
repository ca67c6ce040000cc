#if canImport(CErrandCurl)
    /// The connections that an exchange may use.
    struct CurlConnectionPolicy {
        /// The connections that it may join.
        var share = CurlConnections.Share()
        /// True if a new one is opened in any case.
        var isFresh = false
        /// True if it may join an HTTP/2 connection without TLS.
        var joinsPlainHTTP2 = false
        /// True if there are too many exchanges for large buffers.
        var isCrowded = false
    }
#endif
