internal import Errand

/// The state of a running activity: its properties, and the times of its events.
///
/// Events that arrive twice, as for an accessory that was given twice, count once.
struct SpanDraft {
    private enum Limit {
        static let attempts = 64
        static let notes = 16
        static let queues = 64
        /// The maximum length of a URL, a name, a tag or a note.
        static let text = 2000
    }

    let startedAt: Duration
    private var span: Timeline.Span
    /// The time at which the cache lookup began, if any.
    private var didStartAt: Duration?
    private var queuedAt: Duration?
    private var answeredAt: Duration?
    private var phases: [Timeline.Phase] = []
    private var attempts: [AttemptDraft] = []
    /// The number of attempts that were started, including those that are not kept.
    private var lastAttempt = 0
    /// The redaction of the client.
    private let redaction: Redaction

    init(_ activity: RequestActivity, at now: Duration) {
        self.startedAt = now
        self.redaction = activity.redaction
        self.span = Timeline.Span(
            id: activity.id.rawValue, kind: Timeline.Span.Kind(activity.kind),
            name: activity.name.limited(to: Limit.text), interval: Timeline.Interval(start: now, end: now),
            parent: activity.parent?.rawValue, position: activity.position)
        self.span.tag = activity.tag?.limited(to: Limit.text)
        self.span.method = activity.request?.method.rawValue.limited(to: Limit.text)
        self.span.url = activity.request?.url.redacted(by: activity.redaction).limited(to: Limit.text)
    }

    // MARK: - Events

    mutating func didStart(at now: Duration) {
        self.didStartAt = self.didStartAt ?? now
    }

    mutating func observe(_ event: RequestActivity.Event, at now: Duration) {
        switch event {
        case .queued: self.queue(at: now)
        case .admitted: self.endQueue(at: now)
        case .attemptStarted(let number): self.startAttempt(number, at: now)
        case .attemptFailed(let number, let error): self.failAttempt(number, error, at: now)
        case .cacheHit(let age): self.endCache(at: now, "the cache had a response, \(Words.duration(age)) old")
        case .cacheMiss(let miss): self.endCache(at: now, "the cache had no response: \(miss)")
        case .cacheStatus(let status): self.note("Cache-Status: \(status)")
        // A notice may quote a message of a library.
        case .notice(let text): self.note(self.redaction.text(text))
        case .waitingForConnectivity: self.note("waiting for a network")
        case .connectivityReturned(let waited): self.note("network available after \(Words.duration(waited))")
        case .suspended: self.note("is suspended")
        case .resumed: self.note("goes on")
        case .retry(let retry):
            self.note("attempt \(retry.attempt) failed (\(retry.reason)), again after \(Words.duration(retry.delay))")
        case .retryRefused(let reason, let refusal): self.note("failed (\(reason)), not retried: \(refusal)")
        case .circuitChanged(let state): self.note("the circuit is \(state)")
        case .hedged(let delay): self.note("hedged after \(Words.duration(delay))")
        case .coalesced: self.note("waits for the response to an equal request")
        case .traced(let context): self.note("trace \(context.traceID), span \(context.spanID)")
        case .progress(let finished, _): self.span.endedChildren = finished
        case .interimResponse, .requestHead: break
        case .connected, .responseHead, .sent, .received, .exchangeFinished:
            guard !self.attempts.isEmpty, self.attempts[self.attempts.count - 1].number == self.lastAttempt else {
                return
            }
            self.attempts[self.attempts.count - 1].observe(event, at: now)
        }
    }

    mutating func willStop(_ end: RequestActivity.End, at now: Duration) {
        guard self.answeredAt == nil else { return }
        self.closeAttempt(at: now)
        self.endQueue(at: now)
        self.answeredAt = now
        self.span.outcome = Timeline.Span.Outcome(end)
        self.span.failure = end.error?.code.description
        self.span.status = end.head?.status.code ?? end.error?.context.status?.code
        self.span.bodySize = end.bodySize
        self.span.attemptCount = end.attempts
        self.phases += self.processing(until: now)
    }

    private mutating func queue(at now: Duration) {
        self.closeAttempt(at: now)
        self.queuedAt = self.queuedAt ?? now
    }

    private mutating func endQueue(at now: Duration) {
        guard let start = self.queuedAt else { return }
        self.queuedAt = nil
        guard self.phases.count < Limit.queues else { return }
        self.phases.append(Timeline.Phase(.queue, Timeline.Interval(start: start, end: now)))
    }

    private mutating func startAttempt(_ number: Int, at now: Duration) {
        guard number > self.lastAttempt else { return }
        self.closeAttempt(at: now)
        self.lastAttempt = number
        self.span.attemptCount = number
        guard self.attempts.count < Limit.attempts else { return }
        self.attempts.append(AttemptDraft(number: number, startedAt: now))
    }

    private mutating func failAttempt(_ number: Int, _ error: ErrandError, at now: Duration) {
        guard let index = self.attempts.lastIndex(where: { $0.number == number }) else { return }
        self.attempts[index].fail(error.code.description, at: now)
    }

    /// Closes an attempt that has not reported its end, because something else begins.
    private mutating func closeAttempt(at now: Duration) {
        guard !self.attempts.isEmpty else { return }
        self.attempts[self.attempts.count - 1].close(at: now)
    }

    private mutating func endCache(at now: Duration, _ words: String) {
        guard !self.phases.contains(where: { $0.kind == .cache }) else { return }
        self.phases.append(
            Timeline.Phase(.cache, Timeline.Interval(start: self.didStartAt ?? self.startedAt, end: now)))
        self.note(words)
    }

    private mutating func note(_ text: String) {
        let text = text.limited(to: Limit.text)
        guard self.span.notes.count < Limit.notes, !self.span.notes.contains(text) else { return }
        self.span.notes.append(text)
    }

    /// The phase in which the last response was processed.
    private func processing(until now: Duration) -> [Timeline.Phase] {
        guard let last = self.attempts.last, last.number == self.lastAttempt, last.failure == nil,
            self.span.outcome != .cancelled
        else { return [] }
        return [Timeline.Phase(.process, Timeline.Interval(start: last.end(asOf: now), end: now))]
    }

    // MARK: - The span

    /// The span as of a time, which is its end if it has ended.
    func span(asOf now: Duration) -> Timeline.Span {
        var span = self.span
        span.interval.end = max(now, self.startedAt)
        span.attempts = self.attempts.map { $0.attempt(asOf: now) }
        var phases = self.phases
        if let queuedAt = self.queuedAt {
            phases.append(Timeline.Phase(.queue, Timeline.Interval(start: queuedAt, end: now)))
        }
        for attempt in self.attempts { phases += attempt.phases(asOf: now) }
        // A stable sort: phases that begin at the same time keep their order.
        span.phases = phases.filter { $0.interval.end > $0.interval.start }.enumerated()
            .sorted { ($0.element.interval.start, $0.offset) < ($1.element.interval.start, $1.offset) }
            .map(\.element)
        return span
    }
}

extension Timeline.Span.Kind {
    fileprivate init(_ kind: RequestActivity.Kind) {
        switch kind {
        case .request: self = .request
        case .batch: self = .batch
        case .chain: self = .chain
        }
    }
}

extension Timeline.Span.Outcome {
    fileprivate init(_ end: RequestActivity.End) {
        switch end.result {
        case .finished: self = .finished
        case .cached: self = .cached
        case .failed: self = end.isCancelled ? .cancelled : .failed
        }
    }
}

extension String {
    /// The text, truncated to a number of scalars: memory is bounded, whatever is in names and URLs.
    fileprivate func limited(to count: Int) -> String {
        guard self.utf8.count > count else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.prefix(count))) + "…"
    }
}
