internal import ErrandLocks
package import ErrandMachines

/// Assigns slots to requests, and queues them if there are none: the part of a ``RequestScheduler`` that is used
/// without waiting for an actor.
///
/// Decisions are made under a lock. Requests with new slots are woken outside it, because waking one may release a
/// slot.
package final class Admission: Stoppable {
    private struct State: ~Copyable {
        var machine: AdmissionMachine
        /// True if the stream limit was set explicitly.
        ///
        /// Needed to reconstruct the limits when they are read.
        var hasOwnStreams: Bool
        /// The waiting requests, to be woken with a slot.
        var waiting: [AdmissionMachine.Ticket: any Wakeable] = [:]
        /// The time for which the timer is set for a rate-limited ticket; `nil` if it is not set.
        var alarm: Duration?
    }

    package enum AdmissionResult: Sendable {
        /// The request has a slot.
        ///
        /// Release it with `leave`.
        case slot(AdmissionMachine.Ticket)
        /// The request is woken with a slot.
        ///
        /// Call `leave` also to stop waiting.
        case queue(AdmissionMachine.Ticket)
    }

    private let state: Locked<State>
    /// True once there are rates.
    ///
    /// Without them the clock is not read.
    private let isPaced: AtomicFlag
    private let timebase: Timebase
    private let deadlines: DeadlineTimer

    init(
        _ limits: RequestScheduler.Limits, _ rates: RateLimits, _ adaptive: AdaptiveConcurrency?, _ timebase: Timebase,
        _ deadlines: DeadlineTimer
    ) {
        var machine = AdmissionMachine(limits: limits.machine, gradient: adaptive?.rules)
        if rates != RateLimits() { machine.setRates(rates.machine) }
        self.isPaced = AtomicFlag(machine.isPaced)
        self.state = Locked(State(machine: machine, hasOwnStreams: limits.hasOwnStreams))
        self.timebase = timebase
        self.deadlines = deadlines
    }

    // MARK: - State

    var activeCount: Int { self.state.withLock { $0.machine.activeCount } }

    var waitingCount: Int { self.state.withLock { $0.machine.waitingCount } }

    var isPaused: Bool { self.state.withLock { $0.machine.isPaused } }

    var limits: RequestScheduler.Limits {
        self.state.withLock { RequestScheduler.Limits($0.machine.limits, hasOwnStreams: $0.hasOwnStreams) }
    }

    var foundLimits: [String: Int] { self.state.withLock { $0.machine.foundLimits } }

    // MARK: - Changes

    func setLimits(_ limits: RequestScheduler.Limits) {
        self.change { state in
            state.hasOwnStreams = limits.hasOwnStreams
            state.machine.setLimits(limits.machine)
        }
    }

    func setRates(_ rates: RateLimits) {
        self.isPaced.set()
        self.change { $0.machine.setRates(rates.machine) }
    }

    /// Applies the quota announced by a host for a period of time.
    func setQuota(_ left: Int, for time: Duration, host: String) {
        let due = self.timebase.now + time
        self.change { $0.machine.setQuota(left, until: due, host: host) }
    }

    func pause() {
        self.state.withLock { $0.machine.pause() }
    }

    func resume() {
        self.change { $0.machine.resume() }
    }

    /// Forgets which hosts multiplex requests over one connection.
    func forgetHosts() {
        self.change { $0.machine.forgetHosts() }
    }

    /// True if requests with the tag have a rate of their own.
    func isLimited(tag: String) -> Bool {
        self.isPaced.isSet && self.state.withLock { $0.machine.isLimited(tag: tag) }
    }

    // MARK: - Slots

    /// Asks for a slot, or for an entry in the queue with the waiter made by `waiter`.
    package func enter(
        host: String, priority: RequestPriority, tag: String? = nil, waking waiter: () -> any Wakeable
    ) -> AdmissionResult {
        let now = self.pacedNow
        let (result, admitted, alarm) = self.state.withLock { state -> (AdmissionResult, Admitted, Duration?) in
            var admitted = Admitted()
            if let now {
                // Waiting requests that are due by now go first.
                state.machine.advance(to: now)
                admitted = Self.admitAll(&state)
            }
            let result: AdmissionResult
            switch state.machine.enqueue(host: host, priority: priority.admission, tag: tag) {
            case .admitted(let ticket): result = .slot(ticket)
            case .wait(let ticket):
                state.waiting[ticket] = waiter()
                result = .queue(ticket)
            }
            return (result, admitted, now == nil ? nil : Self.nextAlarm(&state))
        }
        self.finish(admitted, alarm)
        return result
    }

    /// Releases a slot or leaves the queue.
    ///
    /// Further calls have no effect.
    ///
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - version: The HTTP version used with the slot, if known.
    ///   - isUnused: True if no request was sent with the slot, so that it does not count toward the rates.
    package func leave(
        _ ticket: AdmissionMachine.Ticket, over version: ExchangeMetrics.HTTPVersion? = nil, isUnused: Bool = false
    ) {
        let admitted = self.state.withLock { state -> Admitted? in
            if let version { state.machine.note(ticket, isMultiplexed: version.isMultiplexed) }
            if state.machine.leave(ticket, isUnused: isUnused) == .leftQueue { state.waiting[ticket] = nil }
            // If no request waits for a rate, the time is irrelevant.
            return state.machine.isPaced && state.machine.waitingCount > 0 ? nil : Self.admitAll(&state)
        }
        // Requests that arrive in between first check which waiting ones are due.
        if let admitted { admitted.wake() } else { self.change { _ in } }
    }

    /// Records the HTTP version used with a slot that is not released for a while.
    package func note(_ ticket: AdmissionMachine.Ticket, _ version: ExchangeMetrics.HTTPVersion) {
        self.change { $0.machine.note(ticket, isMultiplexed: version.isMultiplexed) }
    }

    /// Records the time until the first byte of a response, or with `nil` that the host is overloaded or lost the
    /// request.
    package func note(_ ticket: AdmissionMachine.Ticket, answeredAfter time: Duration?) {
        self.change { $0.machine.note(ticket, answeredAfter: time) }
    }

    /// Moves a waiting ticket to another priority.
    ///
    /// Has no effect when late.
    package func reprioritise(_ ticket: AdmissionMachine.Ticket, to priority: RequestPriority) {
        self.change { _ = $0.machine.reprioritise(ticket, to: priority.admission) }
    }

    /// Raises a waiting ticket to a priority.
    ///
    /// Never lowers it.
    package func raise(_ ticket: AdmissionMachine.Ticket, to priority: RequestPriority) {
        self.change { state in
            guard let present = state.machine.priority(of: ticket), present.rawValue < priority.admission.rawValue
            else { return }
            _ = state.machine.reprioritise(ticket, to: priority.admission)
        }
    }

    /// Applies a change, then assigns all available slots.
    private func change(_ change: (inout State) -> Void) {
        let now = self.pacedNow
        let (admitted, alarm) = self.state.withLock { state -> (Admitted, Duration?) in
            if let now { state.machine.advance(to: now) }
            change(&state)
            return (Self.admitAll(&state), now == nil ? nil : Self.nextAlarm(&state))
        }
        self.finish(admitted, alarm)
    }

    private static func admitAll(_ state: inout State) -> Admitted {
        var admitted = Admitted()
        while let ticket = state.machine.admitNext() {
            // A request that was cancelled in the meantime ignores this, and is about to call `leave`.
            if let waiting = state.waiting.removeValue(forKey: ticket) { admitted.append(waiting) }
        }
        return admitted
    }

    private func finish(_ admitted: Admitted, _ alarm: Duration?) {
        admitted.wake()
        if let alarm { _ = self.deadlines.set(alarm, stopping: self, because: .cancelled) }
    }

    // MARK: - Rates

    /// The current time if there are rates; `nil` otherwise.
    private var pacedNow: Duration? { self.isPaced.isSet ? self.timebase.now : nil }

    /// The time at which the next ticket is due by its rate, unless the timer fires earlier already.
    private static func nextAlarm(_ state: inout State) -> Duration? {
        guard let due = state.machine.due, state.alarm.map({ due < $0 }) ?? true else { return nil }
        state.alarm = due
        return due
    }

    /// The timer fired: admits the requests that are due.
    package func stop(_ reason: StopReason) {
        // The alarm is set again if tickets are waiting, or if the timer that fired had been replaced.
        self.change { $0.alarm = nil }
    }

    /// The requests admitted in one step.
    ///
    /// Usually there is at most one, which needs no array.
    private struct Admitted: Sendable {
        private var first: (any Wakeable)?
        private var others: [any Wakeable] = []

        mutating func append(_ waiting: any Wakeable) {
            if self.first == nil { self.first = waiting } else { self.others.append(waiting) }
        }

        func wake() {
            self.first?.wake()
            for other in self.others { other.wake() }
        }
    }
}

extension ExchangeMetrics.HTTPVersion {
    /// True if all requests to a host share a connection.
    fileprivate var isMultiplexed: Bool { self == .http2 || self == .http3 }
}
