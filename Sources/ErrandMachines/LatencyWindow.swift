/// How long the last requests of a kind took.
package struct LatencyWindow: Sendable {
    private static let capacity = 128
    /// With fewer than these a percentile says nothing.
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

    /// The time that so many of a hundred did not take longer than; `nil` while too few are known.
    ///
    /// - Parameter percent: From 0 to 100; what is out of bounds is taken as the bound.
    /// - Returns: The time.
    package func percentile(_ percent: Double) -> Duration? {
        guard self.samples.count >= Self.fewest else { return nil }
        let part = percent.isNaN ? 1 : min(max(percent, 0), 100) / 100
        let rank = Int((part * Double(self.samples.count)).rounded(.up))
        return self.samples.sorted()[max(0, rank - 1)]
    }
}
