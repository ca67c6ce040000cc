internal import ErrandLocks
internal import ErrandMachines

/// How long the calls of each type of endpoint took, for a client.
final class Latencies: Sendable {
    private let windows = Locked<[String: LatencyWindow]>([:])
    /// A program has so many types of endpoints at most, or makes them as it goes.
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
