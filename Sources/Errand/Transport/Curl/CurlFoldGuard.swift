#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Keeps a folded line that no field comes before away from a handle that had a response before.
    ///
    /// From 7.84 until 8.1 such a handle keeps a pointer to the last field of the response before, frees that one when
    /// the next exchange begins, and follows the pointer when the next head begins with a folded line: a server could
    /// break the memory of the process. libcurl shows a line in its trace before it stores it, and stores nothing of a
    /// transfer that is paused meanwhile. Tracing is slow, so only the line behind the one of the status is traced.
    ///
    /// Belongs to the exchange that owns the handle. Safe for that reason: the handle outlives the uses here.
    @safe
    struct CurlFoldGuard {
        private let easy: OpaquePointer
        private let isNeeded: Bool
        /// Whether the handle had a response before: a new one has no pointer to follow.
        private var wasUsed = false
        private var isTracing = false
        /// Whether such a line came: what libcurl has of it must not be gone on with.
        private(set) var hasTripped = false

        init(_ easy: OpaquePointer, _ settings: CurlSettings) {
            unsafe self.easy = easy
            self.isNeeded = settings.followsFoldedLines
        }

        /// The status line of a head was taken in.
        mutating func statusLineCame() {
            guard self.isNeeded, self.wasUsed else { return }
            self.trace(true)
        }

        /// Looks at something that libcurl traces; answers whether the transfer was paused because of it.
        mutating func look(_ kind: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
            guard self.isTracing, kind == Int32(ERRAND_CURL_TRACED_HEADER_LINE.rawValue) else { return false }
            self.trace(false)
            guard let first = unsafe bytes.first, first == 0x20 || first == 0x09 else { return false }
            self.hasTripped = true
            unsafe errand_curl_easy_pause(self.easy, Int32(ERRAND_CURL_PAUSE_ALL.rawValue))
            return true
        }

        /// The exchange is over.
        mutating func exchangeEnded() {
            self.wasUsed = true
            self.trace(false)
        }

        private mutating func trace(_ isOn: Bool) {
            guard self.isTracing != isOn else { return }
            self.isTracing = isOn
            unsafe errand_curl_set_long(self.easy, Int32(ERRAND_CURL_VERBOSE.rawValue), isOn ? 1 : 0)
        }
    }
#endif
