/// The latencies of the most recent requests of one kind.
package struct LatencyWindow: Sendable {
    private static let capacity = 128
    /// The number of samples below which a percentile is meaningless.
    private static let fewest = 20

    private var samples: [Duration] = []
    private var next = 0

    package init() {}

    package mutating func add(_ sample: Duration) {
        if self.samples.count < Self.capacity {
            self.samples.append(sample)
        } else {
            self.samples[self.next] = sample
            self.next = (self.next + 1) % Self.capacity
        }
    }

    /// Returns a percentile of the latencies, or `nil` while there are too few samples.
    ///
    /// - Parameter percent: The percentile, clamped to 0 through 100.
    /// - Returns: The latency that this percentage of the requests did not exceed.
    package func percentile(_ percent: Double) -> Duration? {
        guard self.samples.count >= Self.fewest else { return nil }
        let part = percent.isNaN ? 1 : min(max(percent, 0), 100) / 100
        let rank = Int((part * Double(self.samples.count)).rounded(.up))
        return self.samples.sorted()[max(0, rank - 1)]
    }
}
