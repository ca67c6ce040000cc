#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Keeps a folded line that follows no field from a handle that had a response before.
    ///
    /// From 7.84 until 8.1, such a handle keeps a pointer to the last field of the previous response, frees that field
    /// when the next exchange starts, and follows the pointer if a folded line comes before another field: a server
    /// could corrupt the memory of the process. libcurl traces a line before it stores it, and stores no line of a
    /// transfer that is paused meanwhile. Tracing is slow, so it ends with the first stored field; from then on, the
    /// pointer is valid until the exchange is over.
    ///
    /// The end of a head is detected as in libcurl, which differs from ``CurlHead``.
    ///
    /// Owned by the exchange that owns the handle. Safe for that reason: the handle outlives all uses here.
    @safe
    struct CurlFoldGuard {
        private let easy: OpaquePointer
        private let tracing: CurlTracing
        /// True if a folded line would make libcurl follow the pointer.
        private var isNeeded = false
        private let isNeededForUsedHandles: Bool
        /// True if the next line starts a head with its status.
        private var isAtStart = true

        init(_ easy: OpaquePointer, _ settings: CurlSettings, _ tracing: CurlTracing) {
            unsafe self.easy = easy
            self.tracing = tracing
            self.isNeededForUsedHandles = settings.followsFoldedLines
        }

        /// Handles a line of a head that libcurl has delivered.
        mutating func take(_ line: UnsafeRawBufferPointer) {
            guard self.isNeeded else { return }
            let isEnd = unsafe line.first == 0x0A || line.first == 0x0D
            // Any other line is a field, and was stored.
            self.isNeeded = isEnd || self.isAtStart
            self.isAtStart = isEnd
            self.tracing.set(.folds, self.isNeeded)
        }

        /// Reads a trace message; returns true if the transfer was paused because of it.
        mutating func look(_ kind: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
            guard self.tracing.viewers.contains(.folds), kind == Int32(ERRAND_CURL_TRACED_HEADER_LINE.rawValue),
                let first = unsafe bytes.first, first == 0x20 || first == 0x09
            else { return false }
            unsafe errand_curl_easy_pause(self.easy, Int32(ERRAND_CURL_PAUSE_ALL.rawValue))
            return true
        }

        /// Handles the end of the exchange.
        mutating func exchangeEnded() {
            self.isNeeded = self.isNeededForUsedHandles
            self.isAtStart = true
            self.tracing.set(.folds, false)
        }
    }
#endif
