#if canImport(CErrandCurl)
    /// Which connections an exchange may be sent on.
    struct CurlWay {
        /// Those that it may join.
        var share = CurlConnections.Share()
        /// Whether a new one is opened, whatever others there are.
        var isFresh = false
    }
#endif
