/// The figures of a ``MetricsAccessory`` at one moment; a value that does not change any more.
public struct MetricsSnapshot: Sendable, Hashable {
    /// All figures of which there are any, in a fixed order.
    public let families: [MetricFamily]
    /// How long they were counted: since the accessory was made, or since the snapshot that they are the change from.
    public let age: Duration

    private let totals: RequestTotals

    package init(families: [MetricFamily]) {
        self.init(families: families, totals: RequestTotals(), age: .zero)
    }

    init(families: [MetricFamily], totals: RequestTotals, age: Duration) {
        self.families = families
        self.totals = totals
        self.age = age
    }

    // MARK: - Looking up

    /// Everything there is under a name.
    ///
    /// - Complexity: O(1): the number of figures is fixed.
    public func family(_ name: MetricName) -> MetricFamily? {
        self.families.first { $0.name == name }
    }

    /// Adds up all series of a counter that have some labels.
    ///
    /// - Parameters:
    ///   - name: The name of a counter.
    ///   - labels: What it should be about; labels that are not named may be anything.
    /// - Returns: The sum; zero when there is none.
    /// - Complexity: O(*n*) in the series of the counter.
    public func counter(_ name: MetricName, where labels: [MetricLabel: String] = [:]) -> Double {
        self.values(name, labels).reduce(0) { sum, value in
            if case .counter(let number) = value { sum + number } else { sum }
        }
    }

    /// Adds up all series of a gauge that have some labels.
    ///
    /// - Parameters:
    ///   - name: The name of a gauge.
    ///   - labels: What it should be about; labels that are not named may be anything.
    /// - Returns: The sum; zero when there is none.
    /// - Complexity: O(*n*) in the series of the gauge.
    public func gauge(_ name: MetricName, where labels: [MetricLabel: String] = [:]) -> Double {
        self.values(name, labels).reduce(0) { sum, value in
            if case .gauge(let number) = value { sum + number } else { sum }
        }
    }

    /// Adds up all series of a histogram that have some labels.
    ///
    /// - Parameters:
    ///   - name: The name of a histogram.
    ///   - labels: What it should be about; labels that are not named may be anything.
    /// - Returns: All of them in one, or `nil` when there is none.
    /// - Complexity: O(*n*) in the series of the histogram.
    public func histogram(_ name: MetricName, where labels: [MetricLabel: String] = [:]) -> HistogramValue? {
        self.values(name, labels).reduce(nil) { (sum: HistogramValue?, value) in
            guard case .histogram(let histogram) = value else { return sum }
            return sum?.adding(histogram) ?? histogram
        }
    }

    private func values(_ name: MetricName, _ labels: [MetricLabel: String]) -> [MetricValue] {
        (self.family(name)?.series ?? []).compactMap { series in
            labels.allSatisfy { series.labels[$0] == $1 } ? series.value : nil
        }
    }
}

// MARK: - Usual questions

extension MetricsSnapshot {
    /// How many requests are in flight.
    public var activeRequests: Int { Int(self.gauge(.activeRequests)) }
    /// How many requests wait for a slot.
    public var waitingRequests: Int { Int(self.gauge(.waitingRequests)) }
    /// How many batches are in flight.
    public var activeBatches: Int { Int(self.gauge(.activeBatches)) }
    /// How many chains are in flight.
    public var activeChains: Int { Int(self.gauge(.activeChains)) }
    /// How many requests have ended, however they did.
    public var finishedRequests: Int { self.succeededRequests + self.failedRequests + self.cancelledRequests }
    /// How many requests have ended with a response.
    public var succeededRequests: Int { Int(clamping: self.totals.succeeded) }
    /// How many requests have ended with an error, but for those that were cancelled.
    public var failedRequests: Int { Int(clamping: self.totals.failed) }
    /// How many requests were cancelled.
    public var cancelledRequests: Int { Int(clamping: self.totals.cancelled) }
    /// How long all requests took.
    public var requestDuration: HistogramValue? { self.histogram(.requestDuration) }

    /// The share of requests that ended with a response, from 0 to 1; those that were cancelled are left out.
    ///
    /// `nil` when none has ended with a response or an error. It is exact whatever the labels and their limit.
    public var successRate: Double? {
        let all = self.succeededRequests + self.failedRequests
        return all > 0 ? Double(self.succeededRequests) / Double(all) : nil
    }

    /// The share of looks into the cache that found a response, from 0 to 1; `nil` when it was not asked.
    public var cacheHitRate: Double? {
        let (hits, misses) = (self.counter(.cacheHits), self.counter(.cacheMisses))
        return hits + misses > 0 ? hits / (hits + misses) : nil
    }
}

// MARK: - Changes

extension MetricsSnapshot {
    /// What came since an earlier snapshot of the same accessory: for rates, and for those who want differences.
    ///
    /// - Parameter earlier: The earlier one.
    /// - Returns: Counters and histograms of what came since, gauges as they are now, and the time between the two.
    /// - Complexity: O(*n*) in the series of both.
    public func change(since earlier: MetricsSnapshot) -> MetricsSnapshot {
        let families = self.families.map { family in
            let before = Dictionary(
                (earlier.family(family.name)?.series ?? []).map { ($0.labels, $0.value) }, uniquingKeysWith: { $1 })
            var change = family
            change.series = family.series.map { series in
                MetricSeries(labels: series.labels, value: series.value.change(since: before[series.labels]))
            }
            return change
        }
        return MetricsSnapshot(
            families: families, totals: self.totals.subtracting(earlier.totals), age: max(.zero, self.age - earlier.age)
        )
    }
}

extension MetricValue {
    fileprivate func change(since earlier: MetricValue?) -> MetricValue {
        switch (self, earlier) {
        case (.counter(let now), .counter(let before)?): .counter(max(0, now - before))
        case (.histogram(let now), .histogram(let before)?): .histogram(now.subtracting(before))
        default: self
        }
    }
}
