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
            let last = notes.takeLastFigures(at: self.timebase.now, error: end.errorCode)
            let attempts = self.keys(of: last, activity)
            let figures = RequestFigures(seconds, notes, last, end, activity)
            self.store.withLock { $0.record(figures, key, attempts) }
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
        // Words are made outside of the lock; another thread may have done so meanwhile, and gets the same row.
        let origin = Origin(activity, self.options)
        return self.store.withLock { $0.origins.add(key, origin) }
    }

    // MARK: - Intermediate events

    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        let id = activity.id
        switch event {
        case .queued: self.note(id) { $0.queued() }
        case .admitted: self.note(id) { $0.admitted() }
        case .attemptStarted(let number):
            let now = self.timebase.now
            self.count(self.table.change(id) { $0.attemptStarted(number, at: now) }, activity)
        case .requestHead(let request):
            let target = AttemptTarget(method: request.method, url: request.url)
            self.note(id) { $0.headSent(target) }
        case .attemptFailed(let number, let error): self.countFailure(of: activity, number, error)
        case .responseHead(let head):
            let now = self.timebase.now
            self.note(id) { $0.headCame(head.status, at: now) }
        case .cacheHit: self.note(id) { $0.foundInCache() }
        case .cacheMiss(let miss): self.note(id) { $0.missedInCache(miss) }
        case .cacheStatus(let status): if status.isRevalidated { self.note(id) { $0.revalidated() } }
        case .sent(let progress): self.count(self.table.change(id) { $0.sent(progress.bytes) }, activity)
        case .received(let progress): self.count(self.table.change(id) { $0.received(progress.bytes) }, activity)
        case .exchangeFinished(let metrics):
            let now = self.timebase.now
            self.count(self.table.change(id) { $0.finished(metrics, at: now) }, activity)
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
        case .waitingForConnectivity, .connectivityReturned, .connected, .interimResponse, .traced, .notice,
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

    private func count(_ counted: (origin: Int, figures: AttemptFigures)?, _ activity: RequestActivity) {
        guard let counted else { return }
        let keys = self.keys(of: counted.figures, activity)
        self.store.withLock { $0.record(counted.figures, origin: counted.origin, keys) }
    }

    /// The attributes of the attempts that have ended; made outside of all locks, because the template is user code.
    private func keys(of figures: AttemptFigures?, _ activity: RequestActivity) -> [AttemptKey] {
        (figures?.ended ?? []).map { AttemptKey($0, activity, self.options, self.choice) }
    }

    private func count(_ counted: (origin: Int, event: PolicyEvent)?) {
        guard let counted else { return }
        self.store.withLock { $0.record(counted.event, origin: counted.origin) }
    }

    private func count(_ counted: (origin: Int, suspended: Suspended)?) {
        guard let counted else { return }
        self.store.withLock { $0.record(counted.suspended, origin: counted.origin) }
    }

    private func countFailure(of activity: RequestActivity, _ number: Int, _ error: ErrandError) {
        let now = self.timebase.now
        let counted = self.table.change(activity.id) { $0.attemptFailed(number, error.code, at: now) }
        guard let (origin, figures) = counted else { return }
        let failure = AttemptFailureKey(origin: origin, error: self.choice.wantsError ? error.code : nil)
        let keys = self.keys(of: figures, activity)
        self.store.withLock {
            $0.record(failure)
            $0.record(figures, origin: origin, keys)
        }
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
        _ seconds: Double, _ notes: ActivityNotes, _ last: AttemptFigures?, _ end: RequestActivity.End,
        _ activity: RequestActivity
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
        self.lastAttempt = last
        self.isFromCache = notes.isFromCache
        self.isRevalidated = notes.isRevalidated
        self.miss = notes.miss
    }
}
