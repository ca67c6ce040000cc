#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Keeps a folded line that no field comes before away from a handle that had a response before.
    ///
    /// From 7.84 until 8.1 such a handle keeps a pointer to the last field of the response before, frees that one when
    /// the next exchange begins, and follows the pointer when a folded line comes before there is another field: a server
    /// could break the memory of the process. libcurl shows a line in its trace before it stores it, and stores nothing
    /// of a transfer that is paused meanwhile. Tracing is slow, so it ends with the first field that libcurl has stored;
    /// from then on the pointer is good until the exchange is over.
    ///
    /// It goes by what libcurl takes for the end of a head, which is not what ``CurlHead`` does.
    ///
    /// Belongs to the exchange that owns the handle. Safe for that reason: the handle outlives the uses here.
    @safe
    struct CurlFoldGuard {
        private let easy: OpaquePointer
        private let tracing: CurlTracing
        /// Whether a folded line would make libcurl follow the pointer.
        private var isNeeded = false
        private let isNeededForUsedHandles: Bool
        /// Whether a head begins with the next line, by that of its status.
        private var isAtStart = true

        init(_ easy: OpaquePointer, _ settings: CurlSettings, _ tracing: CurlTracing) {
            unsafe self.easy = easy
            self.tracing = tracing
            self.isNeededForUsedHandles = settings.followsFoldedLines
        }

        /// A line of a head was handed over by libcurl.
        mutating func take(_ line: UnsafeRawBufferPointer) {
            guard self.isNeeded else { return }
            let isEnd = unsafe line.first == 0x0A || line.first == 0x0D
            // What is neither is a field, and was stored.
            self.isNeeded = isEnd || self.isAtStart
            self.isAtStart = isEnd
            self.tracing.set(.folds, self.isNeeded)
        }

        /// Looks at something that libcurl traces; returns whether the transfer was paused because of it.
        mutating func look(_ kind: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
            guard self.tracing.viewers.contains(.folds), kind == Int32(ERRAND_CURL_TRACED_HEADER_LINE.rawValue),
                let first = unsafe bytes.first, first == 0x20 || first == 0x09
            else { return false }
            unsafe errand_curl_easy_pause(self.easy, Int32(ERRAND_CURL_PAUSE_ALL.rawValue))
            return true
        }

        /// The exchange is over.
        mutating func exchangeEnded() {
            self.isNeeded = self.isNeededForUsedHandles
            self.isAtStart = true
            self.tracing.set(.folds, false)
        }
    }
#endif
