#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Waits for sockets.
    ///
    /// Safe although it holds a pointer: the poller is created and freed with it, and confined to the loop's thread.
    @safe
    struct CurlPoller: ~Copyable {
        private let poller: OpaquePointer
        private var found = [errand_poller_event](repeating: errand_poller_event(), count: 128)

        init() throws(ErrandError) {
            guard let poller = unsafe errand_poller_make() else {
                throw ErrandError(system: "the transport cannot wait for sockets")
            }
            unsafe self.poller = poller
        }

        deinit {
            unsafe errand_poller_free(self.poller)
        }

        /// Watches a socket for the events that libcurl asks for, or stops watching it; returns true on success.
        func watch(_ socket: Int32, interest: Int32) -> Bool {
            unsafe errand_poller_watch(self.poller, socket, interest)
        }

        /// Waits for an event or a number of milliseconds; -1 waits forever.
        mutating func wait(milliseconds: Int32) -> ArraySlice<errand_poller_event> {
            let count = unsafe errand_poller_wait(
                self.poller, &self.found, Int32(self.found.count), milliseconds)
            return self.found[..<Int(count)]
        }
    }
#endif
