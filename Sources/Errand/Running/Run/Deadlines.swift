internal import ErrandLocks
internal import ErrandMachines

/// The deadlines of a request, of a part of it, or of one attempt: for the whole, the connection, the first byte, and
/// the next byte.
///
/// Events of an exchange are only recorded. The client's timer is set to the earliest time at which a deadline can
/// expire. When the timer fires, the current deadlines are computed, and the timer is set again if they expire later.
///
/// The time during which the request is suspended does not count.
final class Deadlines: Stoppable, ExchangeWatcher, Wakeable {
    struct Limits {
        /// The time limit for the whole, and the stop reason when it is exceeded.
        var whole: (limit: Duration, reason: StopReason)?
        var connect: Duration?
        var firstByte: Duration?
        var idle: Duration?

        /// True if they must observe the events of an exchange.
        var dependOnEvents: Bool { self.connect != nil || self.firstByte != nil || self.idle != nil }
    }

    private struct State {
        var token: DeadlineTimer.Token?
        /// The time for which the timer is set; `nil` if it is not set.
        var alarm: Duration?
        var awaitsConnection: Bool
        var awaitsFirstByte = true
        /// The time at which data was last sent or received.
        var lastMoved: Duration
        /// Set while the reader of a stream asks for no data: it holds the transport back, and no data is expected.
        var awaitsReader = false
        /// Set while bandwidth limits or a suspension hold transfers back: no data is expected.
        var isSendingHeldBack = false
        var isReceivingHeldBack = false
        /// Set once a deadline has expired, or the limited work is over.
        var isOver = false

        /// The time since which expected data has been missing; `nil` while no data is expected.
        var idleSince: Duration? {
            self.awaitsReader || self.isSendingHeldBack || self.isReceivingHeldBack ? nil : self.lastMoved
        }
    }

    private let limits: Limits
    private let environment: RequestEnvironment
    private let target: any Stoppable
    private let lifeline: Lifeline
    private let begun: Duration
    private let state: Locked<State>

    /// Sets the deadlines.
    ///
    /// - Parameters:
    ///   - limits: The time limits.
    ///   - begun: The time from which they count, on the client's clock.
    ///   - environment: The owner of the timer.
    ///   - target: The object to stop when a deadline expires; `nil` for the request.
    ///   - lifeline: The lifeline of the request, which may be suspended.
    init(
        _ limits: Limits, since begun: Duration, _ environment: RequestEnvironment,
        stopping target: (any Stoppable)? = nil, of lifeline: Lifeline
    ) {
        self.limits = limits
        self.environment = environment
        self.target = target ?? lifeline
        self.lifeline = lifeline
        self.begun = begun
        self.state = Locked(State(awaitsConnection: limits.connect != nil, lastMoved: begun))
        self.setTimer()
    }

    /// Sets the deadlines of an attempt from now on; returns `nil` if no time is limited.
    @inline(__always)
    convenience init?(
        ofAttempt timeouts: Timeouts, _ environment: RequestEnvironment, stopping target: any Stoppable,
        of lifeline: Lifeline
    ) {
        let limits = Limits(
            whole: timeouts.attempt.map { ($0, .attemptTimedOut($0)) },
            // With a transport that does not report connections, healthy connections would time out.
            connect: environment.transport.reportsConnections ? timeouts.connect : nil,
            firstByte: timeouts.firstByte, idle: timeouts.idle)
        guard limits.whole != nil || limits.dependOnEvents else { return nil }
        self.init(limits, since: environment.timebase.now, environment, stopping: target, of: lifeline)
    }

    /// True if they must observe the events of the exchange.
    var dependOnEvents: Bool { self.limits.dependOnEvents }

    /// The time left for the whole; `nil` if it is not limited.
    var left: Duration? {
        guard let limit = self.limits.whole?.limit else { return nil }
        let now = self.environment.timebase.now
        let suspended = self.lifeline.suspensionIntervals.covered(from: self.begun, to: now)
        return self.begun + limit.bounded + suspended - now
    }

    // MARK: - Events of the exchange

    /// Records an event of the exchange.
    ///
    /// Late events have no effect.
    func observe(_ event: ExchangeEvent) {
        let now = self.limits.idle == nil ? self.begun : self.environment.timebase.now
        self.state.withLock { state in
            switch event {
            case .connected, .sent, .interimResponse: state.awaitsConnection = false
            case .responseHead: (state.awaitsConnection, state.awaitsFirstByte) = (false, false)
            case .received: break
            case .finished, .notice: return
            }
            state.lastMoved = now
        }
    }

    /// Records that the reader asks for no more data for now.
    func pause() {
        self.state.withLock { $0.awaitsReader = true }
    }

    /// Records that the reader waits for data.
    func resume() {
        self.change { $0.awaitsReader = false }
    }

    func noteHeldBack(_ isHeldBack: Bool, _ direction: TransferProgress.Direction) {
        let held = direction == .sending ? \State.isSendingHeldBack : \State.isReceivingHeldBack
        let isNew = self.state.withLock { state in
            defer { if isHeldBack { state[keyPath: held] = true } }
            return state[keyPath: held] != isHeldBack
        }
        if isNew, !isHeldBack { self.change { $0[keyPath: held] = false } }
    }

    /// Applies a change after which the idle time may begin anew.
    private func change(_ change: (inout State) -> Void) {
        guard self.limits.idle != nil else { return }
        let now = self.environment.timebase.now
        let begins = self.state.withLock { state in
            let wasIdle = state.idleSince != nil
            change(&state)
            guard !wasIdle, state.idleSince != nil else { return false }
            state.lastMoved = now
            return true
        }
        if begins { self.setTimer() }
    }

    /// Clears the deadlines when the limited work is over.
    func clear() {
        let token = self.state.withLock { state in
            state.isOver = true
            return state.token.take()
        }
        if let token { self.environment.deadlines.clear(token) }
    }

    // MARK: - The timer

    /// The timer fired: a deadline may have expired.
    func stop(_ reason: StopReason) {
        let (alarm, token) = self.state.withLock { state in
            (state.isOver ? nil : state.alarm.take(), state.token.take())
        }
        // This is the token of the timer that fired, or of a later one if an earlier one was set just before this one
        // fired.
        if let token { self.environment.deadlines.clear(token) }
        // Checked again when the request resumes.
        guard let alarm, !self.lifeline.wakeWhenResumed(self) else { return }
        let now = self.environment.timebase.now
        let passed = self.state.withLock { state -> StopReason? in
            guard !state.isOver, let next = self.next(state), next.due <= max(now, alarm) else { return nil }
            state.isOver = true
            return next.reason
        }
        if let passed { self.target.stop(passed) } else { self.setTimer() }
    }

    /// The request was resumed.
    func wake() {
        self.setTimer()
    }

    /// Sets the timer to the next deadline, unless it fires earlier already.
    private func setTimer() {
        let next = self.state.withLock { state -> (due: Duration, reason: StopReason)? in
            guard !state.isOver, let next = self.next(state), state.alarm.map({ next.due < $0 }) ?? true else {
                return nil
            }
            state.alarm = next.due
            return next
        }
        guard let next else { return }
        let timer = self.environment.deadlines
        let token = timer.set(next.due, stopping: self, because: next.reason)
        // In the meantime it may have fired, or an earlier one may have been set.
        let obsolete = self.state.withLock { state -> DeadlineTimer.Token? in
            guard !state.isOver, state.alarm == next.due else { return token }
            defer { state.token = token }
            return state.token
        }
        if let obsolete { timer.clear(obsolete) }
    }

    /// The next deadline to expire if no further event occurs.
    private func next(_ state: State) -> (due: Duration, reason: StopReason)? {
        var next: (due: Duration, reason: StopReason)?
        let spells = self.lifeline.suspensionIntervals
        let now = spells.isEmpty ? .zero : self.environment.timebase.now
        func consider(_ limit: Duration?, since moment: Duration?, _ reason: (Duration) -> StopReason) {
            guard let limit, let moment else { return }
            let due = moment + limit.bounded + spells.covered(from: moment, to: now)
            if next.map({ due < $0.due }) ?? true { next = (due, reason(limit)) }
        }
        if let whole = self.limits.whole { consider(whole.limit, since: self.begun) { _ in whole.reason } }
        consider(self.limits.connect, since: state.awaitsConnection ? self.begun : nil) { .connectTimedOut($0) }
        consider(self.limits.firstByte, since: state.awaitsFirstByte ? self.begun : nil) { .firstByteTimedOut($0) }
        consider(self.limits.idle, since: state.idleSince) { .idleTimedOut($0) }
        return next
    }
}
