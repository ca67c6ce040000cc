#if canImport(CErrandCurl)
    /// Which connections an exchange may be sent on.
    struct CurlWay {
        /// Those that it may join.
        var share = CurlConnections.Share()
        /// Whether a new one is opened, whatever others there are.
        var isFresh = false
        /// Whether there may be a connection over HTTP/2 without TLS.
        var joinsPlainHTTP2 = false
        /// Whether there are so many exchanges that large buffers for all of them would be too much.
        var isCrowded = false
    }
#endif
