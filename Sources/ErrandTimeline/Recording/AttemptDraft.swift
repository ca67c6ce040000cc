internal import Errand

/// The state of one exchange in flight: the times of its events.
struct AttemptDraft {
    let number: Int
    let startedAt: Duration
    private(set) var failure: String?
    private var status: Int?
    private var connectedAt: Duration?
    private var headAt: Duration?
    private var sentAt: Duration?
    private var receivedAt: Duration?
    private var failedAt: Duration?
    private var metrics: ExchangeMetrics?
    /// The time at which the transport reported the end.
    private var finishedAt: Duration?
    /// The time at which something else began, for an attempt that did not report its end.
    private var closedAt: Duration?
    private var bytesSent: Int64 = 0
    private var bytesReceived: Int64 = 0

    init(number: Int, startedAt: Duration) {
        self.number = number
        self.startedAt = startedAt
    }

    // MARK: - Events

    mutating func observe(_ event: RequestActivity.Event, at now: Duration) {
        switch event {
        case .connected: self.connectedAt = self.connectedAt ?? now
        case .responseHead(let head):
            self.headAt = self.headAt ?? now
            self.status = head.status.code
        case .sent(let progress):
            self.sentAt = now
            self.bytesSent = max(self.bytesSent, progress.bytes)
        case .received(let progress):
            self.receivedAt = now
            self.bytesReceived = max(self.bytesReceived, progress.bytes)
        case .exchangeFinished(let metrics):
            self.metrics = metrics
            self.finishedAt = now
        default: break
        }
    }

    mutating func fail(_ code: String, at now: Duration) {
        guard self.failedAt == nil else { return }
        self.failure = code
        self.failedAt = now
    }

    mutating func close(at now: Duration) {
        self.closedAt = self.closedAt ?? now
    }

    // MARK: - State at a time

    func end(asOf now: Duration) -> Duration {
        if let failedAt = self.failedAt { return failedAt }
        if let finishedAt = self.finishedAt {
            // The report may have been late.
            return min(finishedAt, self.metrics?.finished.map { self.startedAt + $0 } ?? finishedAt)
        }
        guard let closedAt = self.closedAt else { return now }
        return min(closedAt, self.receivedAt ?? self.headAt ?? closedAt)
    }

    func attempt(asOf now: Duration) -> Timeline.Attempt {
        let end = max(self.startedAt, self.end(asOf: now))
        var attempt = Timeline.Attempt(
            number: self.number, interval: Timeline.Interval(start: self.startedAt, end: end))
        attempt.status = self.status
        attempt.failure = self.failure
        attempt.httpVersion = self.metrics?.httpVersion?.rawValue
        attempt.remoteAddress = self.metrics?.remoteAddress
        attempt.isConnectionReused = self.metrics?.isConnectionReused
        attempt.bytesSent = max(self.bytesSent, self.metrics?.bytesSent ?? 0)
        attempt.bytesReceived = self.metrics?.bytesReceived ?? self.bytesReceived
        return attempt
    }

    /// The phases of the attempt, from the transport's metrics if available, otherwise from the times of events.
    func phases(asOf now: Duration) -> [Timeline.Phase] {
        var walk = PhaseWalk(attempt: self.number, from: self.startedAt, to: self.end(asOf: now))
        if let metrics = self.metrics {
            self.walk(&walk, metrics)
        } else {
            if let connectedAt = self.connectedAt { walk.go(.connect, to: connectedAt) }
            if self.bytesSent > 0, let sentAt = self.sentAt { walk.go(.send, to: sentAt) }
            if let headAt = self.headAt { walk.go(.wait, to: headAt) }
            walk.goToEnd(self.headAt == nil ? .wait : .receive)
        }
        return walk.phases
    }

    private func walk(_ walk: inout PhaseWalk, _ metrics: ExchangeMetrics) {
        func moment(_ duration: Duration?) -> Duration? { duration.map { self.startedAt + $0 } }
        if let started = moment(metrics.started) { walk.skip(to: started) }
        if let resolved = moment(metrics.nameResolved) { walk.go(.lookup, to: resolved) }
        if let connected = moment(metrics.connected) { walk.go(.connect, to: connected) }
        if let secured = moment(metrics.secured) { walk.go(.tls, to: secured) }
        let (sending, firstByte) = (moment(metrics.requestStarted), moment(metrics.firstByte))
        if sending == nil, firstByte == nil {
            // The point at which it failed.
            guard !metrics.isConnectionReused else { return }
            return walk.goToEnd(metrics.nameResolved == nil ? .lookup : metrics.connected == nil ? .connect : .tls)
        }
        if let sending { walk.skip(to: sending) }
        if metrics.bytesSent > 0, let sentAt = self.sentAt { walk.go(.send, to: min(sentAt, firstByte ?? sentAt)) }
        if let firstByte { walk.go(.wait, to: firstByte) }
        walk.goToEnd(firstByte == nil ? .wait : .receive)
    }
}

/// Lays phases end to end, within the interval of their attempt, since a transport has its own clock.
private struct PhaseWalk {
    private let attempt: Int
    private let end: Duration
    private var position: Duration
    private(set) var phases: [Timeline.Phase] = []

    init(attempt: Int, from start: Duration, to end: Duration) {
        self.attempt = attempt
        self.position = start
        self.end = max(start, end)
    }

    mutating func skip(to moment: Duration) {
        self.position = min(max(self.position, moment), self.end)
    }

    mutating func go(_ kind: Timeline.Phase.Kind, to moment: Duration) {
        let start = self.position
        self.skip(to: moment)
        guard self.position > start else { return }
        self.phases.append(
            Timeline.Phase(kind, Timeline.Interval(start: start, end: self.position), attempt: self.attempt))
    }

    mutating func goToEnd(_ kind: Timeline.Phase.Kind) {
        self.go(kind, to: self.end)
    }
}
