#if canImport(CErrandCurl)
    /// What a transport holds at one moment, for tests of what it lets go of.
    package struct CurlLedger: Sendable, Hashable {
        /// How many exchanges libcurl works on.
        package let active: Int
        /// How many handles wait to be used again.
        package let idle: Int

        package init(active: Int, idle: Int) {
            self.active = active
            self.idle = idle
        }
    }
#endif
