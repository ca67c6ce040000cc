#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Forwards libcurl's socket callbacks of one handle, and keeps the error of a socket that could not be opened.
    ///
    /// Owned by the exchange that owns the handle. Safe although it holds a pointer: libcurl reads its target for this
    /// handle only, which is freed first. Callbacks that may come later use the sockets of the loop, which outlive its
    /// connections.
    @safe
    final class CurlSocketNews {
        /// The system's error number for the last socket that could not be opened, or 0.
        private(set) var failure: Int32 = 0
        private let all: CurlSockets
        private let told = UnsafeMutablePointer<errand_curl_socket_opened>.allocate(capacity: 1)

        init(_ easy: OpaquePointer, _ all: CurlSockets) {
            self.all = all
            unsafe self.told.initialize(
                to: errand_curl_socket_opened(
                    opened: { user, socket, error in unsafe CurlSocketNews.from(user)?.opened(socket, error) },
                    user: unsafe Unmanaged.passUnretained(self).toOpaque()))
            unsafe errand_curl_follow_sockets(
                easy, self.told,
                { user, socket in
                    unsafe user.map { unsafe Unmanaged<CurlSockets>.fromOpaque($0).takeUnretainedValue() }?
                        .closed(socket)
                    errand_socket_close(socket)
                    return 0
                }, unsafe Unmanaged.passUnretained(all).toOpaque())
        }

        deinit {
            unsafe self.told.deallocate()
        }

        private static func from(_ user: UnsafeMutableRawPointer?) -> CurlSocketNews? {
            unsafe user.map { unsafe Unmanaged<CurlSocketNews>.fromOpaque($0).takeUnretainedValue() }
        }

        /// The time of the loop's last wakeup.
        var wokeAt: ContinuousClock.Instant { self.all.wokeAt }

        /// Handles the start of an exchange.
        func begin() {
            self.failure = 0
        }

        private func opened(_ socket: Int32, _ error: Int32) {
            if socket < 0 { self.failure = error } else { self.all.opened(socket) }
        }
    }
#endif
