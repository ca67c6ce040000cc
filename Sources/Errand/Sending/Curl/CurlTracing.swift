#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Has libcurl trace what it does for as long as somebody wants to see it: that is slow.
    ///
    /// Belongs to the exchange that owns the handle. Safe for that reason: the handle outlives the uses here.
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
