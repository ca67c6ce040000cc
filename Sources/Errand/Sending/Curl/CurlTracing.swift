#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Enables libcurl's tracing while it has viewers, because tracing is slow.
    ///
    /// Owned by the exchange that owns the handle. Safe for that reason: the handle outlives all uses here.
    @safe
    final class CurlTracing {
        /// The viewers of a trace.
        struct Viewers: OptionSet {
            let rawValue: Int
            static let folds = Viewers(rawValue: 1)
            static let streams = Viewers(rawValue: 2)
        }

        private let easy: OpaquePointer
        private(set) var viewers: Viewers = []

        init(_ easy: OpaquePointer) {
            unsafe self.easy = easy
        }

        func set(_ viewer: Viewers, _ isViewing: Bool) {
            let wasOn = !self.viewers.isEmpty
            if isViewing { self.viewers.formUnion(viewer) } else { self.viewers.subtract(viewer) }
            guard wasOn == self.viewers.isEmpty else { return }
            unsafe errand_curl_set_long(self.easy, Int32(ERRAND_CURL_VERBOSE.rawValue), wasOn ? 0 : 1)
        }
    }
#endif
