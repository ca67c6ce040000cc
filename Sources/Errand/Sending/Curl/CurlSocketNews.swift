#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Passes on what libcurl does with the sockets of one handle, and keeps why one could not be opened.
    ///
    /// Belongs to the exchange that owns the handle. Safe although it holds a pointer: libcurl reads what it points to for
    /// this handle alone, which is freed before. What may be called after that is tied to the sockets of the loop, which
    /// outlive its connections.
    @safe
    final class CurlSocketNews {
        /// The number of the system's error with which the last socket could not be opened, or 0.
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

        /// When the loop woke up last.
        var wokeAt: ContinuousClock.Instant { self.all.wokeAt }

        /// An exchange begins.
        func begin() {
            self.failure = 0
        }

        private func opened(_ socket: Int32, _ error: Int32) {
            if socket < 0 { self.failure = error } else { self.all.opened(socket) }
        }
    }
#endif
