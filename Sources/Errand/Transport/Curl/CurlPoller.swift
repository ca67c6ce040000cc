#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import Glibc

    /// Waits for sockets.
    struct CurlPoller: ~Copyable {
        private let descriptor: Int32
        private var found = [errand_poller_event](repeating: errand_poller_event(), count: 128)

        init() throws(ErrandError) {
            self.descriptor = errand_poller_make()
            guard self.descriptor >= 0 else { throw ErrandError(curlSystem: "the transport cannot wait for sockets") }
        }

        deinit {
            close(self.descriptor)
        }

        /// Watches a socket for what libcurl wants to know of it, or no longer.
        func watch(_ socket: Int32, interest: Int32) {
            errand_poller_watch(self.descriptor, socket, interest)
        }

        /// Waits until something happens, or so many milliseconds have passed; -1 waits for ever.
        mutating func wait(milliseconds: Int32) -> ArraySlice<errand_poller_event> {
            let count = unsafe errand_poller_wait(
                self.descriptor, &self.found, Int32(self.found.count), milliseconds)
            return self.found[..<Int(max(0, count))]
        }
    }
#endif
