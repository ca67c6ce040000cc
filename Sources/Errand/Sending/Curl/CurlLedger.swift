#if canImport(CErrandCurl)
    /// The resources that a transport holds at one moment, for tests of their release.
    package struct CurlLedger: Sendable, Hashable {
        /// The number of active exchanges in libcurl.
        package let active: Int
        /// The number of idle handles.
        package let idle: Int

        package init(active: Int, idle: Int) {
            self.active = active
            self.idle = idle
        }
    }
#endif
