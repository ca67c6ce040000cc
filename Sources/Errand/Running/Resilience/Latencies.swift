internal import ErrandLocks
internal import ErrandMachines

/// The latencies of the calls of a client, by type of endpoint.
final class Latencies: Sendable {
    private let windows = Locked<[String: LatencyWindow]>([:])
    /// The maximum number of endpoint types.
    ///
    /// A program with more of them creates names dynamically.
    private static let limit = 1_000

    func add(_ sample: Duration, of name: String) {
        self.windows.withLock { windows in
            if windows.count >= Self.limit, windows[name] == nil { windows = [:] }
            windows[name, default: LatencyWindow()].add(sample)
        }
    }

    func percentile(_ percent: Double, of name: String) -> Duration? {
        self.windows.withLock { $0[name]?.percentile(percent) }
    }
}
