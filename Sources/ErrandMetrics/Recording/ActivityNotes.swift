internal import Errand

/// What is noted about one piece of work between its first hook and its last.
struct ActivityNotes: Sendable {
    let kind: RequestActivity.Kind
    /// The row of where it goes.
    let origin: Int
    private(set) var isWaiting = false
    /// Whether it ever waited for a slot.
    private(set) var hasQueued = false
    private(set) var isFromCache = false
    private(set) var isRevalidated = false
    private(set) var miss: CacheMiss?
    private var attempt = AttemptNotes()
    /// Whether the last response was a part of a body.
    private var hasPart = false
    /// The number of the attempt that failed last.
    private var failedAttempt: Int?
    /// The number of the attempt after which it was sent again last.
    private var retriedAttempt: Int?
    /// When it was suspended; `nil` while it is not.
    private var suspendedAt: Duration?
    private var lastingEvents: [PolicyEvent] = []
    /// Whether it had the response to an equal request.
    var isCoalesced: Bool { self.lastingEvents.contains(.coalesced) }
    /// Bytes that moved and are not counted yet.
    private var uncountedSent: Int64 = 0
    private var uncountedReceived: Int64 = 0

    /// So many bytes are counted at once, so that a small body is counted with the end of its request.
    private static let portion: Int64 = 64 << 10

    init(_ kind: RequestActivity.Kind, origin: Int) {
        self.kind = kind
        self.origin = origin
    }

    // MARK: - What happens

    mutating func queued() {
        self.isWaiting = true
        self.hasQueued = true
    }

    mutating func admitted() {
        self.isWaiting = false
    }

    /// Notes that a request was suspended, unless it was before; the time of a batch or chain is not that of a request.
    mutating func suspended(at now: Duration) {
        if self.kind == .request, self.suspendedAt == nil { self.suspendedAt = now }
    }

    /// Notes that it goes on, or is over.
    ///
    /// - Returns: How long it was suspended; `nil` where it was not.
    mutating func resumed(at now: Duration) -> Suspended? {
        self.suspendedAt.take().map { Suspended(seconds: (now - $0).metricSeconds) }
    }

    /// Notes the beginning of an attempt.
    ///
    /// - Returns: What is to be counted of the attempt before.
    mutating func attemptStarted(at now: Duration) -> AttemptFigures? {
        self.isWaiting = false
        let earlier = self.takeFigures()
        // Of a body that comes in parts what has come is told again.
        self.attempt = AttemptNotes(startedAt: now, received: self.hasPart ? self.attempt.received : ByteCount())
        return earlier
    }

    /// Notes that an attempt failed.
    ///
    /// - Returns: Something, unless it was noted before: an accessory that was given twice is told twice, in a row.
    mutating func attemptFailed(_ number: Int) -> Bool? {
        guard self.failedAttempt != number else { return nil }
        self.failedAttempt = number
        return true
    }

    /// Notes that the request is sent again, or is not.
    ///
    /// - Returns: What is to be counted, unless it was noted before.
    mutating func retried(_ retry: ErrandError.Retry) -> PolicyEvent? {
        guard self.retriedAttempt != retry.attempt else { return nil }
        self.retriedAttempt = retry.attempt
        return .retry
    }

    /// Notes something that happens once to a request.
    ///
    /// - Returns: What is to be counted, unless it was noted before.
    mutating func noteOnce(_ event: PolicyEvent) -> PolicyEvent? {
        guard !self.lastingEvents.contains(event) else { return nil }
        self.lastingEvents.append(event)
        return event
    }

    mutating func headCame(at now: Duration, isOfPart: Bool) {
        self.hasPart = isOfPart
        if !isOfPart { self.attempt.received = ByteCount() }
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

    /// Notes how much was sent.
    ///
    /// - Returns: What is to be counted already.
    mutating func sent(_ bytes: Int64) -> AttemptFigures? {
        self.uncountedSent += self.attempt.sent.raise(to: bytes)
        return self.takePortion()
    }

    /// Notes how much came.
    ///
    /// - Returns: What is to be counted already.
    mutating func received(_ bytes: Int64) -> AttemptFigures? {
        self.uncountedReceived += self.attempt.received.raise(to: bytes)
        return self.takePortion()
    }

    /// The transport knows better than what was noted so far.
    ///
    /// - Returns: What is to be counted already.
    mutating func finished(_ metrics: ExchangeMetrics) -> AttemptFigures? {
        if let firstByte = metrics.firstByte { self.attempt.firstByte = firstByte }
        self.uncountedSent += self.attempt.sent.raise(to: metrics.bytesSent)
        self.uncountedReceived += self.attempt.received.raise(to: metrics.bytesReceived)
        return self.takePortion()
    }

    // MARK: - What came of it

    var isSuspended: Bool { self.suspendedAt != nil }

    /// How many bytes of a body the last attempt sent.
    var sentByLastAttempt: Int64 { self.attempt.sent.count }

    /// How many bytes of a body came to the last attempt.
    var receivedByLastAttempt: Int64 { self.attempt.received.count }

    /// What is not counted yet; `nil` when that is nothing.
    mutating func takeFigures() -> AttemptFigures? {
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

/// How long a request was suspended.
struct Suspended: Sendable {
    let seconds: Double
}

/// What is to be counted of an attempt.
struct AttemptFigures: Sendable {
    var firstByte: Duration?
    var sent = 0.0
    var received = 0.0
}

/// What is noted about the present attempt.
private struct AttemptNotes: Sendable {
    var startedAt: Duration?
    /// From the transport to the head of the response.
    var firstByte: Duration?
    var sent = ByteCount()
    var received = ByteCount()
}

/// A number of bytes that a transport tells again and again as it grows.
private struct ByteCount: Sendable {
    /// More than any body, and far from what could not be added up: a transport may say anything.
    private static let most: Int64 = 1 << 60

    private(set) var count: Int64 = 0

    /// Takes over a number that is larger.
    ///
    /// - Returns: By how much it grew.
    mutating func raise(to bytes: Int64) -> Int64 {
        let growth = max(0, min(bytes, Self.most) - self.count)
        self.count += growth
        return growth
    }
}
