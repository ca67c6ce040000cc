/// A monotonic counter for each row of a table.
struct CounterColumn: Sendable {
    /// Exact up to 2⁵³; never traps.
    private var values: [Double] = []

    mutating func add(_ amount: Double, at row: Int) {
        while self.values.count <= row { self.values.append(0) }
        self.values[row] += amount
    }

    /// The counter of a row; `nil` if it was never incremented.
    subscript(row: Int) -> Double? {
        guard row < self.values.count, self.values[row] > 0 else { return nil }
        return self.values[row]
    }
}

/// A histogram for each row of a table; all numbers are in one array, bucket beside bucket.
struct HistogramColumn: Sendable {
    private let bounds: [Double]
    private var counts: [UInt64] = []
    private var sums: [Double] = []

    init(bounds: [Double]) {
        self.bounds = bounds
    }

    /// Counts a value in the first bucket whose bound is not below it.
    mutating func record(_ value: Double, at row: Int) {
        while self.sums.count <= row {
            self.sums.append(0)
            self.counts.append(contentsOf: repeatElement(0, count: self.bounds.count + 1))
        }
        var bucket = 0
        while bucket < self.bounds.count, self.bounds[bucket] < value { bucket += 1 }
        self.counts[row * (self.bounds.count + 1) + bucket] &+= 1
        self.sums[row] += value
    }

    /// The histogram of a row; `nil` if it has no values.
    subscript(row: Int) -> HistogramValue? {
        guard row < self.sums.count else { return nil }
        let start = row * (self.bounds.count + 1)
        let counts = self.counts[start...start + self.bounds.count]
        guard counts.contains(where: { $0 > 0 }) else { return nil }
        return HistogramValue(bounds: self.bounds, counts: Array(counts), sum: self.sums[row])
    }
}

extension Duration {
    /// The duration in seconds; zero if it is negative, because a clock went back.
    var metricSeconds: Double {
        guard self > .zero else { return 0 }
        // Both parts are exact for whole microseconds, so that a value equal to a bound is in its bucket.
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
