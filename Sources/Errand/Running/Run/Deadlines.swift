internal import ErrandLocks
internal import ErrandMachines

/// The deadlines of a request, of a part of its way, or of one attempt: for the whole of that, and for the connection, the
/// first byte and the next byte.
///
/// Events of an exchange are only noted. The client's timer is set to the earliest moment at which a deadline can pass;
/// when it rings, the deadlines that still hold are computed, and it is set again if they leave more time.
///
/// The time for which the request is suspended does not count.
final class Deadlines: Stoppable, ExchangeWatcher, Wakeable {
    struct Limits {
        /// The longest time for all of it, and why it is stopped then.
        var whole: (limit: Duration, reason: StopReason)?
        var connect: Duration?
        var firstByte: Duration?
        var idle: Duration?

        /// `true` where they have to be told about the events of an exchange.
        var dependOnEvents: Bool { self.connect != nil || self.firstByte != nil || self.idle != nil }
    }

    private struct State {
        var token: DeadlineTimer.Token?
        /// When the timer rings; `nil` when it does not.
        var alarm: Duration?
        var awaitsConnection: Bool
        var awaitsFirstByte = true
        /// When something was sent or received last.
        var lastMoved: Duration
        /// A reader of a stream takes its time: it holds the transport back, and then nothing comes because nobody asks.
        var awaitsReader = false
        /// The bandwidth is used up, or the request suspended: nothing comes because nothing may.
        var isSendingHeldBack = false
        var isReceivingHeldBack = false
        /// `true` once a deadline has passed, or what they limit is over.
        var isOver = false

        /// Since when nothing has come that should; `nil` while nothing should.
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
    ///   - limits: The times.
    ///   - begun: The moment that they count from, on the client's clock.
    ///   - environment: The owner of the timer.
    ///   - target: What is stopped when one passes; `nil` for the request.
    ///   - lifeline: That of the request, which may be suspended.
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

    /// Sets those of an attempt, from now on; there is nothing to set where no time is limited.
    @inline(__always)
    convenience init?(
        ofAttempt timeouts: Timeouts, _ environment: RequestEnvironment, stopping target: any Stoppable,
        of lifeline: Lifeline
    ) {
        let limits = Limits(
            whole: timeouts.attempt.map { ($0, .attemptTimedOut($0)) },
            // A transport that does not report connections would have healthy ones ended.
            connect: environment.transport.reportsConnections ? timeouts.connect : nil,
            firstByte: timeouts.firstByte, idle: timeouts.idle)
        guard limits.whole != nil || limits.dependOnEvents else { return nil }
        self.init(limits, since: environment.timebase.now, environment, stopping: target, of: lifeline)
    }

    /// `true` where they have to be told about the events of the exchange.
    var dependOnEvents: Bool { self.limits.dependOnEvents }

    /// The time that is left of the whole; `nil` where that is not limited.
    var left: Duration? {
        guard let limit = self.limits.whole?.limit else { return nil }
        let now = self.environment.timebase.now
        let suspended = self.lifeline.suspendedSpells.covered(from: self.begun, to: now)
        return self.begun + limit.bounded + suspended - now
    }

    // MARK: - What happens in the exchange

    /// Notes what has come; a late event changes nothing.
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

    /// Nobody asks for more for now.
    func pause() {
        self.state.withLock { $0.awaitsReader = true }
    }

    /// Someone waits for more.
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

    /// Changes something after which the wait for bytes may begin anew.
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

    /// Clears them: the work that they limit is over.
    func clear() {
        let token = self.state.withLock { state in
            state.isOver = true
            return state.token.take()
        }
        if let token { self.environment.deadlines.clear(token) }
    }

    // MARK: - The timer

    /// The timer rings for what could have passed by now.
    func stop(_ reason: StopReason) {
        let (alarm, token) = self.state.withLock { state in
            (state.isOver ? nil : state.alarm.take(), state.token.take())
        }
        // It is that of this ring; or a later one's, if an earlier one was set while this was about to ring.
        if let token { self.environment.deadlines.clear(token) }
        // It is looked again when the request goes on.
        guard let alarm, !self.lifeline.wakeWhenResumed(self) else { return }
        let now = self.environment.timebase.now
        let passed = self.state.withLock { state -> StopReason? in
            guard !state.isOver, let next = self.next(state), next.due <= max(now, alarm) else { return nil }
            state.isOver = true
            return next.reason
        }
        if let passed { self.target.stop(passed) } else { self.setTimer() }
    }

    /// The request goes on.
    func wake() {
        self.setTimer()
    }

    /// Sets the timer to what passes next, unless it rings before that.
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
        // Meanwhile it may have rung, or an earlier one may have been set.
        let obsolete = self.state.withLock { state -> DeadlineTimer.Token? in
            guard !state.isOver, state.alarm == next.due else { return token }
            defer { state.token = token }
            return state.token
        }
        if let obsolete { timer.clear(obsolete) }
    }

    /// The deadline that passes next if nothing more happens.
    private func next(_ state: State) -> (due: Duration, reason: StopReason)? {
        var next: (due: Duration, reason: StopReason)?
        let spells = self.lifeline.suspendedSpells
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
