#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Waits for sockets.
    ///
    /// Safe although it holds a pointer: the poller is made and freed with it, and it belongs to the loop's thread.
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

        /// Watches a socket for what libcurl wants to know of it, or no longer; returns whether that could be done.
        func watch(_ socket: Int32, interest: Int32) -> Bool {
            unsafe errand_poller_watch(self.poller, socket, interest)
        }

        /// Waits until something happens, or so many milliseconds have passed; -1 waits for ever.
        mutating func wait(milliseconds: Int32) -> ArraySlice<errand_poller_event> {
            let count = unsafe errand_poller_wait(
                self.poller, &self.found, Int32(self.found.count), milliseconds)
            return self.found[..<Int(count)]
        }
    }
#endif
