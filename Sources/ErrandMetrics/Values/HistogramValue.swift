/// How many values there were, by their size.
public struct HistogramValue: Sendable, Hashable {
    /// The upper bounds of the buckets, ascending; a value that equals one belongs to its bucket.
    public let bounds: [Double]
    /// How many values are in each bucket; the last one, behind all bounds, has the rest.
    public let counts: [UInt64]
    /// The sum of all values.
    public let sum: Double
    /// How many values there were.
    public let count: UInt64

    package init(bounds: [Double], counts: [UInt64], sum: Double) {
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
        self.count = counts.reduce(0, &+)
    }

    /// The mean of all values; `nil` when there are none.
    public var mean: Double? { self.count > 0 ? self.sum / Double(self.count) : nil }

    /// Estimates a value that so large a share of all values does not exceed.
    ///
    /// The estimate is as good as the buckets are narrow: values are taken to lie evenly in theirs, and those behind
    /// the last bound on it. Prometheus estimates in the same way.
    ///
    /// - Parameter share: The share, such as 0.95; less than 0 is 0, more than 1 is 1.
    /// - Returns: The estimate, or `nil` when there are no values or the share is no number.
    /// - Complexity: O(*n*) in the buckets.
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

    /// Both together; both have the same bounds.
    func adding(_ other: HistogramValue) -> HistogramValue {
        HistogramValue(
            bounds: self.bounds, counts: zip(self.counts, other.counts).map { $0 &+ $1 }, sum: self.sum + other.sum)
    }

    /// What came since an earlier one, which has the same bounds.
    func subtracting(_ earlier: HistogramValue) -> HistogramValue {
        HistogramValue(
            bounds: self.bounds, counts: zip(self.counts, earlier.counts).map { $0 > $1 ? $0 - $1 : 0 },
            sum: max(0, self.sum - earlier.sum))
    }
}
