#if canImport(CErrandCurl)
    /// What is set once for all exchanges of a transport.
    struct CurlSettings: Sendable {
        var maximumIdleConnections = 64
        var nameCacheSeconds = 60
    }
#endif
