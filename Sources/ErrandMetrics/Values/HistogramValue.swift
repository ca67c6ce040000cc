/// A histogram of values.
public struct HistogramValue: Sendable, Hashable {
    /// The upper bounds of the buckets, ascending and inclusive.
    public let bounds: [Double]
    /// The number of values in each bucket; the last bucket, above all bounds, has the rest.
    public let counts: [UInt64]
    /// The sum of all values.
    public let sum: Double
    /// The number of values.
    public let count: UInt64

    package init(bounds: [Double], counts: [UInt64], sum: Double) {
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
        self.count = counts.reduce(0, &+)
    }

    /// The mean of all values; `nil` if there are none.
    public var mean: Double? { self.count > 0 ? self.sum / Double(self.count) : nil }

    /// Estimates the value that the given share of all values does not exceed.
    ///
    /// The estimate is as precise as the buckets are narrow. As in Prometheus, values are assumed to be evenly
    /// distributed within their bucket, and those above the last bound to equal it.
    ///
    /// - Parameter share: The share, such as 0.95, clamped to 0...1.
    /// - Returns: The estimate, or `nil` if there are no values or the share is NaN.
    /// - Complexity: O(*n*) in the number of buckets.
    public func percentile(_ share: Double) -> Double? {
        guard self.count > 0, !share.isNaN else { return nil }
        let rank = min(max(share, 0), 1) * Double(self.count)
        var below = 0.0
        for (index, bound) in self.bounds.enumerated() {
            let inBucket = Double(self.counts[index])
            if inBucket > 0, below + inBucket >= rank {
                let start = index == 0 ? 0 : self.bounds[index - 1]
                return start + (bound - start) * (rank - below) / inBucket
            }
            below += inBucket
        }
        return self.bounds.last
    }

    /// The sum of two histograms with the same bounds.
    func adding(_ other: HistogramValue) -> HistogramValue {
        HistogramValue(
            bounds: self.bounds, counts: zip(self.counts, other.counts).map { $0 &+ $1 }, sum: self.sum + other.sum)
    }

    /// The difference from an earlier histogram with the same bounds.
    func subtracting(_ earlier: HistogramValue) -> HistogramValue {
        HistogramValue(
            bounds: self.bounds, counts: zip(self.counts, earlier.counts).map { $0 > $1 ? $0 - $1 : 0 },
            sum: max(0, self.sum - earlier.sum))
    }
}
