internal import Errand

/// Notes on one activity between its first hook and its last.
struct ActivityNotes: Sendable {
    let kind: RequestActivity.Kind
    /// The row of its origin.
    let origin: Int
    private(set) var isWaiting = false
    /// True once it has waited for a slot.
    private(set) var hasQueued = false
    private(set) var isFromCache = false
    private(set) var isRevalidated = false
    private(set) var miss: CacheMiss?
    private var attempt = AttemptNotes()
    private var openAttempts = OpenAttempts()
    /// Whether the last response was a part of a body.
    private var hasPart = false
    /// The number of the attempt that failed last.
    private var failedAttempt: Int?
    /// The number of the attempt that was retried last.
    private var retriedAttempt: Int?
    /// The time at which it was suspended; `nil` while it is not.
    private var suspendedAt: Duration?
    private var lastingEvents: [PolicyEvent] = []
    /// True if it shared the response to an equal request.
    var isCoalesced: Bool { self.lastingEvents.contains(.coalesced) }
    /// Bytes that were transferred and are not counted yet.
    private var uncountedSent: Int64 = 0
    private var uncountedReceived: Int64 = 0

    /// The number of bytes that are counted at once, so that a small body is counted only at the end of its request.
    private static let portion: Int64 = 64 << 10

    init(_ kind: RequestActivity.Kind, origin: Int) {
        self.kind = kind
        self.origin = origin
    }

    // MARK: - Events

    mutating func queued() {
        self.isWaiting = true
        self.hasQueued = true
    }

    mutating func admitted() {
        self.isWaiting = false
    }

    /// Records the suspension of a request, unless it is already suspended; those of batches and chains are not timed.
    mutating func suspended(at now: Duration) {
        if self.kind == .request, self.suspendedAt == nil { self.suspendedAt = now }
    }

    /// Records that the activity resumes or ends.
    ///
    /// - Returns: The time for which it was suspended; `nil` if it was not.
    mutating func resumed(at now: Duration) -> Suspended? {
        self.suspendedAt.take().map { Suspended(seconds: (now - $0).metricSeconds) }
    }

    /// Records the beginning of an attempt.
    ///
    /// - Returns: What is to be counted of the attempt before.
    mutating func attemptStarted(_ number: Int, at now: Duration) -> AttemptFigures? {
        self.isWaiting = false
        var earlier = self.takeFigures()
        if let ended = self.openAttempts.started(number, at: now) {
            earlier = (earlier ?? AttemptFigures()).with([ended])
        }
        // Of a body that comes in parts what has come is told again.
        self.attempt = AttemptNotes(startedAt: now, received: self.hasPart ? self.attempt.received : ByteCount())
        return earlier
    }

    /// Records that an attempt failed.
    ///
    /// - Returns: What is to be counted, unless it was noted before: an accessory that was given twice is told twice,
    ///   in a row.
    mutating func attemptFailed(_ number: Int, _ error: ErrandError.Code, at now: Duration) -> AttemptFigures? {
        guard self.failedAttempt != number else { return nil }
        self.failedAttempt = number
        let ended = self.openAttempts.failed(number, error, at: now)
        return AttemptFigures().with(ended.map { [$0] } ?? [])
    }

    /// Notes the head that an attempt sends in place of that of its request.
    mutating func headSent(_ target: AttemptTarget) { self.openAttempts.sent(target) }

    /// Notes that the request is sent again, or is not.
    ///
    /// - Returns: The event to count; `nil` if it was recorded before.
    mutating func retried(_ retry: ErrandError.Retry) -> PolicyEvent? {
        guard self.retriedAttempt != retry.attempt else { return nil }
        self.retriedAttempt = retry.attempt
        return .retry
    }

    /// Records an event that happens at most once per request.
    ///
    /// - Returns: The event to count; `nil` if it was recorded before.
    mutating func noteOnce(_ event: PolicyEvent) -> PolicyEvent? {
        guard !self.lastingEvents.contains(event) else { return nil }
        self.lastingEvents.append(event)
        return event
    }

    mutating func headCame(_ status: HTTPStatus, at now: Duration) {
        self.openAttempts.headCame(status.code)
        self.hasPart = status == .partialContent
        if !self.hasPart { self.attempt.received = ByteCount() }
        guard self.attempt.firstByte == nil, let startedAt = self.attempt.startedAt else { return }
        self.attempt.firstByte = now - startedAt
    }

    mutating func foundInCache() {
        self.isFromCache = true
    }

    mutating func revalidated() {
        self.isRevalidated = true
    }

    mutating func missedInCache(_ miss: CacheMiss) {
        self.miss = miss
    }

    /// Records the number of bytes sent.
    ///
    /// - Returns: Figures that are to be counted already.
    mutating func sent(_ bytes: Int64) -> AttemptFigures? {
        self.uncountedSent += self.attempt.sent.raise(to: bytes)
        return self.takePortion()
    }

    /// Records the number of bytes received.
    ///
    /// - Returns: Figures that are to be counted already.
    mutating func received(_ bytes: Int64) -> AttemptFigures? {
        self.uncountedReceived += self.attempt.received.raise(to: bytes)
        return self.takePortion()
    }

    /// Replaces the recorded values with the transport's final metrics.
    ///
    /// - Returns: What is to be counted already.
    mutating func finished(_ metrics: ExchangeMetrics, at now: Duration) -> AttemptFigures? {
        self.openAttempts.finished(metrics, at: now)
        if let firstByte = metrics.firstByte { self.attempt.firstByte = firstByte }
        self.uncountedSent += self.attempt.sent.raise(to: metrics.bytesSent)
        self.uncountedReceived += self.attempt.received.raise(to: metrics.bytesReceived)
        return self.takePortion()
    }

    // MARK: - Results

    var isSuspended: Bool { self.suspendedAt != nil }

    /// The number of body bytes that the last attempt sent.
    var sentByLastAttempt: Int64 { self.attempt.sent.count }

    /// The number of body bytes that the last attempt received.
    var receivedByLastAttempt: Int64 { self.attempt.received.count }

    /// The figures to count at the end of the request; `nil` if all are counted.
    mutating func takeLastFigures(at now: Duration, error: ErrandError.Code?) -> AttemptFigures? {
        let figures = self.takeFigures()
        let ended = self.openAttempts.ended(at: now, error: error)
        return ended.isEmpty ? figures : (figures ?? AttemptFigures()).with(ended)
    }

    /// The uncounted bytes and time to the first byte; `nil` if all are counted.
    private mutating func takeFigures() -> AttemptFigures? {
        let firstByte = self.attempt.firstByte.take()
        guard firstByte != nil || self.uncountedSent > 0 || self.uncountedReceived > 0 else { return nil }
        var figures = self.takeBytes()
        figures.firstByte = firstByte
        return figures
    }

    private mutating func takePortion() -> AttemptFigures? {
        max(self.uncountedSent, self.uncountedReceived) < Self.portion ? nil : self.takeBytes()
    }

    private mutating func takeBytes() -> AttemptFigures {
        defer { (self.uncountedSent, self.uncountedReceived) = (0, 0) }
        return AttemptFigures(sent: Double(self.uncountedSent), received: Double(self.uncountedReceived))
    }
}

/// The time for which a request was suspended.
struct Suspended: Sendable {
    let seconds: Double
}

/// The figures of an attempt.
struct AttemptFigures: Sendable {
    var firstByte: Duration?
    var sent = 0.0
    var received = 0.0
    /// The attempts that have ended.
    var ended: [EndedAttempt] = []

    func with(_ ended: [EndedAttempt]) -> AttemptFigures {
        var figures = self
        figures.ended = ended
        return figures
    }
}

/// Notes on the current attempt.
private struct AttemptNotes: Sendable {
    var startedAt: Duration?
    /// The time from the transport's start to the head of the response.
    var firstByte: Duration?
    var sent = ByteCount()
    var received = ByteCount()
}

/// A number of bytes that a transport reports repeatedly as it grows.
private struct ByteCount: Sendable {
    /// A limit above any body size, so that sums cannot overflow whatever a transport reports.
    private static let most: Int64 = 1 << 60

    private(set) var count: Int64 = 0

    /// Updates the number if the new one is larger.
    ///
    /// - Returns: The increase.
    mutating func raise(to bytes: Int64) -> Int64 {
        let growth = max(0, min(bytes, Self.most) - self.count)
        self.count += growth
        return growth
    }
}
