internal import Errand

/// All counted figures: tables of label sets, with columns of figures beside them.
///
/// Counting costs an index and an addition; labels are formatted only when the figures are read.
struct MetricsStore: Sendable {
    var origins: OriginTable
    private(set) var outcomes: RowTable<OutcomeKey>
    private(set) var failures: RowTable<AttemptFailureKey>
    private(set) var misses: RowTable<CacheMissKey>
    private(set) var attemptKeys: RowTable<AttemptKey>

    /// Exact whatever the labels are.
    private(set) var totals = RequestTotals()
    // By outcome.
    private(set) var duration: HistogramColumn
    private(set) var queueDuration: HistogramColumn
    private(set) var requestSize: HistogramColumn
    private(set) var responseSize: HistogramColumn
    private(set) var attempts = CounterColumn()
    // By origin.
    private(set) var firstByte: HistogramColumn
    private(set) var sent = CounterColumn()
    private(set) var received = CounterColumn()
    private(set) var cacheHits = CounterColumn()
    private(set) var cacheRevalidations = CounterColumn()
    private(set) var retries = CounterColumn()
    private(set) var refusedRetries = CounterColumn()
    private(set) var openedCircuits = CounterColumn()
    private(set) var hedged = CounterColumn()
    private(set) var coalesced = CounterColumn()
    private(set) var suspended: HistogramColumn
    // By the attributes of the event.
    private(set) var failureCount = CounterColumn()
    private(set) var missCount = CounterColumn()
    private(set) var attemptDuration: HistogramColumn
    private(set) var batches: CoordinatorFigures
    private(set) var chains: CoordinatorFigures

    init(_ options: MetricsOptions) {
        let limit = options.labelSetLimit
        self.origins = OriginTable(limit: limit)
        self.outcomes = RowTable(limit: limit)
        self.failures = RowTable(limit: limit)
        self.misses = RowTable(limit: limit)
        self.attemptKeys = RowTable(limit: limit)
        self.duration = HistogramColumn(bounds: options.durationBounds)
        self.queueDuration = self.duration
        self.attemptDuration = self.duration
        self.firstByte = self.duration
        self.suspended = self.duration
        self.batches = CoordinatorFigures(limit, self.duration)
        self.chains = self.batches
        self.requestSize = HistogramColumn(bounds: options.sizeBounds)
        self.responseSize = self.requestSize
    }

    // MARK: - Requests

    mutating func record(_ figures: AttemptFigures, origin: Int, _ keys: [AttemptKey]) {
        if let firstByte = figures.firstByte { self.firstByte.record(firstByte.metricSeconds, at: origin) }
        if figures.sent > 0 { self.sent.add(figures.sent, at: origin) }
        if figures.received > 0 { self.received.add(figures.received, at: origin) }
        for (key, ended) in zip(keys, figures.ended) {
            self.attemptDuration.record(ended.seconds, at: self.attemptKeys.row(of: key))
        }
    }

    mutating func record(_ end: RequestFigures, _ key: OutcomeKey, _ attemptKeys: [AttemptKey]) {
        self.totals.count(end.error)
        // Figures without origin labels have no outcome labels either.
        let row = key.origin == overflowRow ? overflowRow : self.outcomes.row(of: key)
        self.duration.record(end.duration, at: row)
        if let queue = end.queue { self.queueDuration.record(queue, at: row) }
        if end.attempts > 0 { self.attempts.add(Double(end.attempts), at: row) }
        if let size = end.requestSize { self.requestSize.record(Double(size), at: row) }
        if let size = end.responseSize { self.responseSize.record(Double(size), at: row) }
        if let attempt = end.lastAttempt { self.record(attempt, origin: key.origin, attemptKeys) }
        if end.isFromCache { self.cacheHits.add(1, at: key.origin) }
        if end.isRevalidated { self.cacheRevalidations.add(1, at: key.origin) }
        if let miss = end.miss {
            let key = CacheMissKey(origin: key.origin, reason: miss.metricReason)
            let row = key.origin == overflowRow ? key.origin : self.misses.row(of: key)
            self.missCount.add(1, at: row)
        }
    }

    mutating func record(_ failure: AttemptFailureKey) {
        let row = failure.origin == overflowRow ? failure.origin : self.failures.row(of: failure)
        self.failureCount.add(1, at: row)
    }

    mutating func record(_ event: PolicyEvent, origin: Int) {
        switch event {
        case .retry: self.retries.add(1, at: origin)
        case .refusedRetry: self.refusedRetries.add(1, at: origin)
        case .openedCircuit: self.openedCircuits.add(1, at: origin)
        case .hedged: self.hedged.add(1, at: origin)
        case .coalesced: self.coalesced.add(1, at: origin)
        }
    }

    mutating func record(_ suspended: Suspended, origin: Int) {
        self.suspended.record(suspended.seconds, at: origin)
    }

    // MARK: - Batches and chains

    mutating func recordBatch(_ seconds: Double, _ error: ErrandError.Code?) {
        self.batches.record(seconds, error)
    }

    mutating func recordChain(_ seconds: Double, _ error: ErrandError.Code?) {
        self.chains.record(seconds, error)
    }
}

/// The figures of batches or chains.
struct CoordinatorFigures: Sendable {
    /// The error code, or `nil` for success.
    private(set) var ends: RowTable<ErrandError.Code?>
    private(set) var duration: HistogramColumn

    init(_ limit: Int, _ duration: HistogramColumn) {
        self.ends = RowTable(limit: limit)
        self.duration = duration
    }

    mutating func record(_ seconds: Double, _ error: ErrandError.Code?) {
        self.duration.record(seconds, at: self.ends.row(of: error))
    }
}

/// An action of a policy on a request.
enum PolicyEvent: Sendable {
    case retry, refusedRetry, openedCircuit, hedged, coalesced
}

/// The figures of a request that has ended.
struct RequestFigures: Sendable {
    let error: ErrandError.Code?
    let duration: Double
    let queue: Double?
    let attempts: Int
    let requestSize: Int64?
    let responseSize: Int64?
    let lastAttempt: AttemptFigures?
    let isFromCache: Bool
    let isRevalidated: Bool
    let miss: CacheMiss?
}
