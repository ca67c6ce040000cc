/// The figures of a ``MetricsAccessory`` at one moment.
public struct MetricsSnapshot: Sendable, Hashable {
    /// All metrics that have figures, in a fixed order.
    public let families: [MetricFamily]
    /// The time covered: since the accessory was created, or since the earlier snapshot of a ``change(since:)``.
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

    // MARK: - Lookup

    /// Returns the metric with the given name, if it has figures.
    ///
    /// - Complexity: O(1): the number of metrics is fixed.
    public func family(_ name: MetricName) -> MetricFamily? {
        self.families.first { $0.name == name }
    }

    /// Returns the sum of all series of a counter that have the given labels.
    ///
    /// - Parameters:
    ///   - name: The name of a counter.
    ///   - labels: The labels to match; other labels may have any value.
    /// - Returns: The sum; zero if no series matches.
    /// - Complexity: O(*n*) in the number of series of the counter.
    public func counter(_ name: MetricName, where labels: [MetricLabel: String] = [:]) -> Double {
        self.values(name, labels).reduce(0) { sum, value in
            if case .counter(let number) = value { sum + number } else { sum }
        }
    }

    /// Returns the sum of all series of a gauge that have the given labels.
    ///
    /// - Parameters:
    ///   - name: The name of a gauge.
    ///   - labels: The labels to match; other labels may have any value.
    /// - Returns: The sum; zero if no series matches.
    /// - Complexity: O(*n*) in the number of series of the gauge.
    public func gauge(_ name: MetricName, where labels: [MetricLabel: String] = [:]) -> Double {
        self.values(name, labels).reduce(0) { sum, value in
            if case .gauge(let number) = value { sum + number } else { sum }
        }
    }

    /// Returns the sum of all series of a histogram that have the given labels.
    ///
    /// - Parameters:
    ///   - name: The name of a histogram.
    ///   - labels: The labels to match; other labels may have any value.
    /// - Returns: The combined histogram, or `nil` if no series matches.
    /// - Complexity: O(*n*) in the number of series of the histogram.
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

// MARK: - Common figures

extension MetricsSnapshot {
    /// The number of requests in flight.
    public var activeRequests: Int { Int(self.gauge(.activeRequests)) }
    /// The number of requests that wait for a slot.
    public var waitingRequests: Int { Int(self.gauge(.waitingRequests)) }
    /// The number of batches in flight.
    public var activeBatches: Int { Int(self.gauge(.activeBatches)) }
    /// The number of chains in flight.
    public var activeChains: Int { Int(self.gauge(.activeChains)) }
    /// The number of requests that have ended, in any way.
    public var finishedRequests: Int { self.succeededRequests + self.failedRequests + self.cancelledRequests }
    /// The number of requests that ended with a response.
    public var succeededRequests: Int { Int(clamping: self.totals.succeeded) }
    /// The number of requests that ended with an error, other than cancellation.
    public var failedRequests: Int { Int(clamping: self.totals.failed) }
    /// The number of requests that were cancelled.
    public var cancelledRequests: Int { Int(clamping: self.totals.cancelled) }
    /// The duration of all requests.
    public var requestDuration: HistogramValue? { self.histogram(.requestDuration) }

    /// The share of requests that ended with a response, from 0 to 1, without cancelled requests.
    ///
    /// `nil` if no request has ended with a response or an error. It is exact whatever the labels and their limit.
    public var successRate: Double? {
        let all = self.succeededRequests + self.failedRequests
        return all > 0 ? Double(self.succeededRequests) / Double(all) : nil
    }

    /// The share of cache lookups that found a response, from 0 to 1; `nil` if there was no lookup.
    public var cacheHitRate: Double? {
        let (hits, misses) = (self.counter(.cacheHits), self.counter(.cacheMisses))
        return hits + misses > 0 ? hits / (hits + misses) : nil
    }
}

// MARK: - Changes

extension MetricsSnapshot {
    /// Returns the change since an earlier snapshot of the same accessory, for example to compute rates.
    ///
    /// - Parameter earlier: The earlier snapshot.
    /// - Returns: The increase of counters and histograms, the current gauges, and the time between the two snapshots.
    /// - Complexity: O(*n*) in the number of series of both.
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
