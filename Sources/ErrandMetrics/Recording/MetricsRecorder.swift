internal import Errand
internal import ErrandLocks

/// Records hooks and events from any thread, without waiting for an actor.
///
/// There are two kinds of locks, which are never nested: those of the shards of notes on activities in flight, and
/// those of the counted figures. A request acquires the second kind when it ends, and seldom before.
final class MetricsRecorder: Sendable {
    let timebase: Timebase
    private let options: MetricsOptions
    private let choice: LabelChoice
    private let table = ActivityTable()
    private let store: Locked<MetricsStore>
    private let startedAt: Duration

    init(_ options: MetricsOptions) {
        let timebase = Timebase(options.clock)
        self.timebase = timebase
        self.startedAt = timebase.now
        self.options = options
        self.choice = LabelChoice(options.labels)
        self.store = Locked(MetricsStore(options))
    }

    // MARK: - Start and end

    func start(_ activity: RequestActivity) {
        guard activity.kind == .request else { return self.table.insertCoordinator(activity.id, activity.kind) }
        let key = OriginKey(activity, self.choice)
        guard !self.table.insertRequest(activity.id, from: key) else { return }
        self.table.insertRequest(activity.id, from: key, row: self.row(of: key, activity))
    }

    func stop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        // An accessory that was given twice finds no notes the second time.
        guard var notes = self.table.remove(activity.id) else { return }
        let seconds = end.timings.total.metricSeconds
        switch notes.kind {
        case .request:
            let key = OutcomeKey(notes, end, self.choice)
            if notes.isSuspended, let suspended = notes.resumed(at: self.timebase.now) {
                self.count((notes.origin, suspended))
            }
            let figures = RequestFigures(seconds, &notes, end, activity)
            self.store.withLock { $0.record(figures, key) }
        case .batch:
            let error = self.choice.wantsError ? end.errorCode : nil
            self.store.withLock { $0.recordBatch(seconds, error) }
        case .chain:
            let error = self.choice.wantsError ? end.errorCode : nil
            self.store.withLock { $0.recordChain(seconds, error) }
        }
    }

    private func row(of key: OriginKey, _ activity: RequestActivity) -> Int {
        if let row = self.store.withLock({ $0.origins.row(of: key) }) { return row }
        // Labels are made outside the lock; if another thread does the same meanwhile, it gets the same row.
        let origin = Origin(activity, self.options.labels)
        return self.store.withLock { $0.origins.add(key, origin) }
    }

    // MARK: - Intermediate events

    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        let id = activity.id
        switch event {
        case .queued: self.note(id) { $0.queued() }
        case .admitted: self.note(id) { $0.admitted() }
        case .attemptStarted:
            let now = self.timebase.now
            self.count(self.table.change(id) { $0.attemptStarted(at: now) })
        case .attemptFailed(let number, let error): self.countFailure(of: id, number, error)
        case .responseHead(let head):
            let now = self.timebase.now
            self.note(id) { $0.headCame(at: now, isOfPart: head.status == .partialContent) }
        case .cacheHit: self.note(id) { $0.foundInCache() }
        case .cacheMiss(let miss): self.note(id) { $0.missedInCache(miss) }
        case .cacheStatus(let status): if status.isRevalidated { self.note(id) { $0.revalidated() } }
        case .sent(let progress): self.count(self.table.change(id) { $0.sent(progress.bytes) })
        case .received(let progress): self.count(self.table.change(id) { $0.received(progress.bytes) })
        case .exchangeFinished(let metrics): self.count(self.table.change(id) { $0.finished(metrics) })
        case .retry(let retry): self.count(self.table.change(id) { $0.retried(retry) })
        case .retryRefused: self.count(self.table.change(id) { $0.noteOnce(.refusedRetry) })
        case .circuitChanged(.open): self.count(self.table.change(id) { $0.noteOnce(.openedCircuit) })
        case .circuitChanged: break
        case .hedged: self.count(self.table.change(id) { $0.noteOnce(.hedged) })
        case .coalesced: self.count(self.table.change(id) { $0.noteOnce(.coalesced) })
        case .suspended:
            let now = self.timebase.now
            self.note(id) { $0.suspended(at: now) }
        case .resumed:
            let now = self.timebase.now
            self.count(self.table.change(id) { $0.resumed(at: now) })
        case .waitingForConnectivity, .connectivityReturned, .connected, .interimResponse, .requestHead, .traced,
            .notice,
            .progress:
            break
        }
    }

    private func note(_ id: RequestID, _ change: (inout ActivityNotes) -> Void) {
        _ = self.table.change(id) { notes -> Bool? in
            change(&notes)
            return nil
        }
    }

    private func count(_ counted: (origin: Int, figures: AttemptFigures)?) {
        guard let counted else { return }
        self.store.withLock { $0.record(counted.figures, origin: counted.origin) }
    }

    private func count(_ counted: (origin: Int, event: PolicyEvent)?) {
        guard let counted else { return }
        self.store.withLock { $0.record(counted.event, origin: counted.origin) }
    }

    private func count(_ counted: (origin: Int, suspended: Suspended)?) {
        guard let counted else { return }
        self.store.withLock { $0.record(counted.suspended, origin: counted.origin) }
    }

    private func countFailure(of id: RequestID, _ number: Int, _ error: ErrandError) {
        guard let (origin, _) = self.table.change(id, { $0.attemptFailed(number) }) else { return }
        let failure = AttemptFailureKey(origin: origin, error: self.choice.wantsError ? error.code : nil)
        self.store.withLock { $0.record(failure) }
    }

    // MARK: - Reading

    /// The number of activities with notes.
    var notedCount: Int { self.table.count }

    func snapshot() -> MetricsSnapshot {
        // An activity that ends in between is counted twice, as ended and in flight, rather than not at all.
        let inFlight = self.table.inFlight
        let store = self.store.withLock { $0 }
        let report = StoreReport(store, inFlight, self.options, self.choice)
        return MetricsSnapshot(
            families: report.families, totals: store.totals, age: self.timebase.now - self.startedAt)
    }
}

extension RequestFigures {
    /// Creates the figures of a request from its notes and its end.
    fileprivate init(
        _ seconds: Double, _ notes: inout ActivityNotes, _ end: RequestActivity.End, _ activity: RequestActivity
    ) {
        let (sent, received) = (notes.sentByLastAttempt, notes.receivedByLastAttempt)
        let wasSent = end.attempts > 0
        self.error = end.errorCode
        self.duration = seconds
        self.queue = wasSent || notes.hasQueued ? end.timings.queue.metricSeconds : nil
        self.attempts = end.attempts
        self.requestSize = wasSent ? (sent > 0 ? sent : activity.knownBodySize) : nil
        self.responseSize =
            wasSent && end.statusCode != nil ? (received > 0 ? received : end.bodySize.map { Int64($0) }) : nil
        self.lastAttempt = notes.takeFigures()
        self.isFromCache = notes.isFromCache
        self.isRevalidated = notes.isRevalidated
        self.miss = notes.miss
    }
}
