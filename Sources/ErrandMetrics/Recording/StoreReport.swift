internal import Errand

/// Converts the counted figures to metric families.
struct StoreReport {
    private let store: MetricsStore
    private let inFlight: InFlight
    private let constants: [MetricLabel: String]
    private let choice: LabelChoice
    /// The labels of each origin, by row.
    private let origins: [Int: [MetricLabel: String]]

    init(_ store: MetricsStore, _ inFlight: InFlight, _ options: MetricsOptions, _ choice: LabelChoice) {
        self.store = store
        self.inFlight = inFlight
        self.constants = options.constantLabels.filter { !$0.value.isEmpty }
        self.choice = choice
        self.origins = Dictionary(uniqueKeysWithValues: store.origins.rows.all.map { ($0.row, $0.key?.labels ?? [:]) })
    }

    /// All families that have figures.
    var families: [MetricFamily] {
        (self.requestFamilies + self.originFamilies + self.coordinatorFamilies).filter { !$0.series.isEmpty }
    }

    // MARK: - By outcome

    private var requestFamilies: [MetricFamily] {
        let ends = self.rows(of: self.store.outcomes) { self.origin($0.origin, and: $0.labels(self.choice)) }
        let attempts = self.rows(of: self.store.attemptKeys) { $0.labels(self.choice) }
        return [
            MetricFamily(.attemptDuration, .histogram, .seconds, "Duration of HTTP client requests.")
                .filled(attempts) { self.store.attemptDuration[$0].map { .histogram($0) } }.merged,
            MetricFamily(.requestDuration, .histogram, .seconds, "How long requests took from start to end.")
                .filled(ends) { self.store.duration[$0].map { .histogram($0) } },
            MetricFamily(.queueDuration, .histogram, .seconds, "How long requests waited for slots.")
                .filled(ends) { self.store.queueDuration[$0].map { .histogram($0) } },
            MetricFamily(.requestBodySize, .histogram, .bytes, "How large the bodies of requests were.")
                .filled(ends) { self.store.requestSize[$0].map { .histogram($0) } },
            MetricFamily(.responseBodySize, .histogram, .bytes, "How large the bodies of responses were.")
                .filled(ends) { self.store.responseSize[$0].map { .histogram($0) } },
            MetricFamily(.attempts, .counter, .none, "How often requests went to the transport.")
                .filled(ends) { self.store.attempts[$0].map { .counter($0) } },
        ]
    }

    // MARK: - By origin

    private var originFamilies: [MetricFamily] {
        let origins = self.rows(of: self.store.origins.rows) { $0.labels }
        let failures = self.rows(of: self.store.failures) { key in
            self.origin(key.origin, and: key.error.map { [.error: $0.description] } ?? [:])
        }
        let misses = self.rows(of: self.store.misses) { self.origin($0.origin, and: [.cacheMiss: $0.reason]) }
        return [
            MetricFamily(.activeRequests, .gauge, .none, "How many requests are in flight.")
                .filled(origins) { self.gauge(self.inFlight.requests, $0) },
            MetricFamily(.waitingRequests, .gauge, .none, "How many requests wait for a slot.")
                .filled(origins) { self.gauge(self.inFlight.waiting, $0) },
            MetricFamily(.suspendedRequests, .gauge, .none, "How many requests are suspended.")
                .filled(origins) { self.gauge(self.inFlight.suspended, $0) },
            MetricFamily(.suspendedDuration, .histogram, .seconds, "How long requests were suspended.")
                .filled(origins) { self.store.suspended[$0].map { .histogram($0) } },
            MetricFamily(.firstByteDuration, .histogram, .seconds, "How long attempts took to the head of a response.")
                .filled(origins) { self.store.firstByte[$0].map { .histogram($0) } },
            MetricFamily(.failedAttempts, .counter, .none, "How many attempts failed.")
                .filled(failures) { self.store.failureCount[$0].map { .counter($0) } },
            MetricFamily(.retries, .counter, .none, "How often requests were sent again.")
                .filled(origins) { self.store.retries[$0].map { .counter($0) } },
            MetricFamily(
                .refusedRetries, .counter, .none, "How often requests were not sent again though they might have been."
            )
            .filled(origins) { self.store.refusedRetries[$0].map { .counter($0) } },
            MetricFamily(.openedCircuits, .counter, .none, "How often circuits were opened.")
                .filled(origins) { self.store.openedCircuits[$0].map { .counter($0) } },
            MetricFamily(
                .hedgedRequests, .counter, .none,
                "How many requests were sent once more while they waited for the response."
            )
            .filled(origins) { self.store.hedged[$0].map { .counter($0) } },
            MetricFamily(.coalescedRequests, .counter, .none, "How many requests shared the exchange of an equal one.")
                .filled(origins) { self.store.coalesced[$0].map { .counter($0) } },
            MetricFamily(.sentBytes, .counter, .bytes, "How many bytes of request bodies were sent.")
                .filled(origins) { self.store.sent[$0].map { .counter($0) } },
            MetricFamily(.receivedBytes, .counter, .bytes, "How many bytes of response bodies were received.")
                .filled(origins) { self.store.received[$0].map { .counter($0) } },
            MetricFamily(.cacheHits, .counter, .none, "How many requests found an answer in the cache.")
                .filled(origins) { self.store.cacheHits[$0].map { .counter($0) } },
            MetricFamily(.cacheMisses, .counter, .none, "How many requests asked the cache in vain.")
                .filled(misses) { self.store.missCount[$0].map { .counter($0) } },
            MetricFamily(
                .cacheRevalidations, .counter, .none, "How many requests got a stored answer that was validated."
            )
            .filled(origins) { self.store.cacheRevalidations[$0].map { .counter($0) } },
        ]
    }

    /// The value of a gauge: zero for rows that ever had another value, and for the overflow row once the limit is
    /// reached.
    private func gauge(_ counts: [Int: Int], _ row: Int) -> MetricValue? {
        let count = counts[row] ?? 0
        return row == overflowRow && count == 0 && !self.store.origins.rows.isFull ? nil : .gauge(Double(count))
    }

    // MARK: - Batches and chains

    private var coordinatorFamilies: [MetricFamily] {
        let (batches, chains) = (self.store.batches, self.store.chains)
        let all = [(row: overflowRow, labels: self.constants)]
        return [
            MetricFamily(.activeBatches, .gauge, .none, "How many batches are in flight.")
                .filled(all) { _ in .gauge(Double(self.inFlight.batches)) },
            MetricFamily(.batchDuration, .histogram, .seconds, "How long batches took.")
                .filled(self.ends(of: batches)) { batches.duration[$0].map { .histogram($0) } },
            MetricFamily(.activeChains, .gauge, .none, "How many chains are in flight.")
                .filled(all) { _ in .gauge(Double(self.inFlight.chains)) },
            MetricFamily(.chainDuration, .histogram, .seconds, "How long chains took.")
                .filled(self.ends(of: chains)) { chains.duration[$0].map { .histogram($0) } },
        ]
    }

    private func ends(of figures: CoordinatorFigures) -> [(row: Int, labels: [MetricLabel: String])] {
        self.rows(of: figures.ends) { error in error.map { [.error: $0.description] } ?? [:] }
    }

    // MARK: - Labels

    /// The rows of a table with their labels.
    private func rows<Key>(
        of table: RowTable<Key>, _ labels: (Key) -> [MetricLabel: String]
    ) -> [(row: Int, labels: [MetricLabel: String])] {
        table.all.map { row, key in
            let own = key.map(labels) ?? [.overflow: "true"]
            return (row, own.merging(self.constants) { own, _ in own })
        }
    }

    private func origin(_ row: Int, and labels: [MetricLabel: String]) -> [MetricLabel: String] {
        (self.origins[row] ?? [:]).merging(labels) { _, label in label }
    }
}

extension MetricFamily {
    /// Returns the family with a series for each row that has a value.
    fileprivate func filled(
        _ rows: [(row: Int, labels: [MetricLabel: String])], _ value: (Int) -> MetricValue?
    ) -> MetricFamily {
        var family = self
        family.series = rows.compactMap { row, labels in value(row).map { MetricSeries(labels: labels, value: $0) } }
        return family
    }

    /// The family with one histogram for each set of labels, in the order of the first of each.
    fileprivate var merged: MetricFamily {
        var rows: [[MetricLabel: String]: Int] = [:]
        var merged = self
        merged.series = []
        for series in self.series {
            if let row = rows[series.labels], case .histogram(let sum) = merged.series[row].value,
                case .histogram(let other) = series.value
            {
                merged.series[row] = MetricSeries(labels: series.labels, value: .histogram(sum.adding(other)))
            } else {
                rows[series.labels] = merged.series.count
                merged.series.append(series)
            }
        }
        return merged
    }
}
