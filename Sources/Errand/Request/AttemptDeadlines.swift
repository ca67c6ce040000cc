/// The deadlines of one attempt, each of which stops it when it passes.
///
/// Those that depend on what happens in the exchange are told about its events; a late event changes nothing.
struct AttemptDeadlines: Sendable {
    private let attempt: DeadlineTimer.Token?
    private let connect: DeadlineTimer.Token?
    private let firstByte: DeadlineTimer.Token?
    /// That for the next byte, which the reader of a streamed body holds back.
    let idle: IdleDeadline?

    /// Sets the deadlines, from now on.
    init(_ timeouts: Timeouts, _ environment: RequestEnvironment, stopping target: any DeadlineTarget) {
        let now = environment.timebase.now
        func set(_ limit: Duration?, _ reason: (Duration) -> StopReason) -> DeadlineTimer.Token? {
            limit.map { environment.deadlines.set($0, after: now, stopping: target, because: reason($0)) }
        }
        self.attempt = set(timeouts.attempt) { .attemptTimedOut($0) }
        // One that nobody says is met would end what is healthy.
        let connect = environment.transport.reportsConnections ? timeouts.connect : nil
        self.connect = set(connect) { .connectTimedOut($0) }
        self.firstByte = set(timeouts.firstByte) { .firstByteTimedOut($0) }
        self.idle = timeouts.idle.map { IdleDeadline($0, environment, stopping: target) }
    }

    /// Whether they have to be told about the events of the exchange.
    var dependOnEvents: Bool { self.connect != nil || self.firstByte != nil || self.idle != nil }

    /// Clears and moves deadlines by what happened in the exchange.
    func observe(_ event: ExchangeEvent, _ environment: RequestEnvironment) {
        let timer = environment.deadlines
        switch event {
        case .connected, .sent: timer.clear(self.connect)
        case .responseHead:
            timer.clear(self.connect)
            timer.clear(self.firstByte)
        case .received: break
        case .finished, .notice: return
        }
        self.idle?.postpone()
    }

    /// Clears all of them: the attempt is over.
    func clear(in timer: DeadlineTimer) {
        timer.clear(self.attempt)
        guard self.dependOnEvents else { return }
        timer.clear(self.connect)
        timer.clear(self.firstByte)
        self.idle?.clear()
    }
}

extension DeadlineTimer {
    fileprivate func clear(_ token: Token?) {
        if let token { self.clear(token) }
    }
}
