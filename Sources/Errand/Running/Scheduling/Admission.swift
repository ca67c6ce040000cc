internal import ErrandLocks
package import ErrandMachines

/// Gives slots to requests, and has them wait where there is none: the part of a ``RequestScheduler`` that is reached without
/// waiting for an actor.
///
/// Decided is under a lock; who got a slot is woken outside of it, since being woken may give a slot back.
package final class Admission: Stoppable {
    private struct State: ~Copyable {
        var machine: AdmissionMachine
        /// Whether the limit of streams was chosen, for who reads the limits and changes one.
        var hasOwnStreams: Bool
        /// Who waits, to be woken with a slot.
        var waiting: [AdmissionMachine.Ticket: any Wakeable] = [:]
        /// When the timer rings for a ticket that waits for its rate; `nil` when it does not.
        var alarm: Duration?
    }

    package enum Place: Sendable {
        /// The slot is yours; give it back with `leave`.
        case slot(AdmissionMachine.Ticket)
        /// You are woken with a slot; when you stop waiting, say `leave` too.
        case queue(AdmissionMachine.Ticket)
    }

    private let state: Locked<State>
    /// Whether there are rates: without them nobody looks at a clock.
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

    // MARK: - Looking

    var activeCount: Int { self.state.withLock { $0.machine.activeCount } }

    var waitingCount: Int { self.state.withLock { $0.machine.waitingCount } }

    var isPaused: Bool { self.state.withLock { $0.machine.isPaused } }

    var limits: RequestScheduler.Limits {
        self.state.withLock { RequestScheduler.Limits($0.machine.limits, hasOwnStreams: $0.hasOwnStreams) }
    }

    var foundLimits: [String: Int] { self.state.withLock { $0.machine.foundLimits } }

    // MARK: - Changing

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

    /// A host lets so many requests come for a time.
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

    /// Forgets which hosts share a connection.
    func forgetHosts() {
        self.change { $0.machine.forgetHosts() }
    }

    /// Tells whether requests with a tag have a rate of their own.
    func isLimited(tag: String) -> Bool {
        self.isPaced.isSet && self.state.withLock { $0.machine.isLimited(tag: tag) }
    }

    // MARK: - Slots

    /// Asks for a slot, or for a place in the queue; who waits there is what `waiter` makes.
    package func enter(
        host: String, priority: RequestPriority, tag: String? = nil, waking waiter: () -> any Wakeable
    ) -> Place {
        let now = self.pacedNow
        let (place, admitted, alarm) = self.state.withLock { state -> (Place, Admitted, Duration?) in
            var admitted = Admitted()
            if let now {
                // Those who wait and may go by now go first.
                state.machine.advance(to: now)
                admitted = Self.admitAll(&state)
            }
            let place: Place
            switch state.machine.enqueue(host: host, priority: priority.admission, tag: tag) {
            case .admitted(let ticket): place = .slot(ticket)
            case .wait(let ticket):
                state.waiting[ticket] = waiter()
                place = .queue(ticket)
            }
            return (place, admitted, now == nil ? nil : Self.nextAlarm(&state))
        }
        self.finish(admitted, alarm)
        return place
    }

    /// Gives back a slot or a place in the queue; a second time does nothing.
    ///
    /// - Parameters:
    ///   - ticket: The slot.
    ///   - version: The version of HTTP that was spoken with it, if that is known.
    ///   - isUnused: Whether nothing was sent with it, so that it does not count for the rates.
    package func leave(
        _ ticket: AdmissionMachine.Ticket, over version: ExchangeMetrics.HTTPVersion? = nil, isUnused: Bool = false
    ) {
        let admitted = self.state.withLock { state -> Admitted? in
            if let version { state.machine.note(ticket, isMultiplexed: version.isMultiplexed) }
            if state.machine.leave(ticket, isUnused: isUnused) == .leftQueue { state.waiting[ticket] = nil }
            // Where nobody waits for a rate, nobody has to know the time.
            return state.machine.isPaced && state.machine.waitingCount > 0 ? nil : Self.admitAll(&state)
        }
        // Whoever comes in between looks first at who may go by then.
        if let admitted { admitted.wake() } else { self.change { _ in } }
    }

    /// Takes note of the version that is spoken with a slot which is not given back for a while.
    package func note(_ ticket: AdmissionMachine.Ticket, _ version: ExchangeMetrics.HTTPVersion) {
        self.change { $0.machine.note(ticket, isMultiplexed: version.isMultiplexed) }
    }

    /// Takes note of how long it took until an answer began to come, or, with `nil`, that there is none because the host has
    /// too much to do.
    package func note(_ ticket: AdmissionMachine.Ticket, answeredAfter time: Duration?) {
        self.change { $0.machine.note(ticket, answeredAfter: time) }
    }

    /// Moves a ticket that waits to another priority; late, it does nothing.
    package func reprioritise(_ ticket: AdmissionMachine.Ticket, to priority: RequestPriority) {
        self.change { _ = $0.machine.reprioritise(ticket, to: priority.admission) }
    }

    /// Moves a ticket that waits up to a priority; never down.
    package func raise(_ ticket: AdmissionMachine.Ticket, to priority: RequestPriority) {
        self.change { state in
            guard let present = state.machine.priority(of: ticket), present.rawValue < priority.admission.rawValue
            else { return }
            _ = state.machine.reprioritise(ticket, to: priority.admission)
        }
    }

    /// Changes something, then hands out every slot that can be had.
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
            // One that was cancelled meanwhile does not notice; it is on its way to say `leave`.
            if let waiting = state.waiting.removeValue(forKey: ticket) { admitted.append(waiting) }
        }
        return admitted
    }

    private func finish(_ admitted: Admitted, _ alarm: Duration?) {
        admitted.wake()
        if let alarm { _ = self.deadlines.set(alarm, stopping: self, because: .cancelled) }
    }

    // MARK: - Rates

    /// The moment, where there are rates; `nil` where nobody needs to know it.
    private var pacedNow: Duration? { self.isPaced.isSet ? self.timebase.now : nil }

    /// When the next ticket may go by its rate, unless the timer rings before that.
    private static func nextAlarm(_ state: inout State) -> Duration? {
        guard let due = state.machine.due, state.alarm.map({ due < $0 }) ?? true else { return nil }
        state.alarm = due
        return due
    }

    /// The timer rings: those who may go by now go.
    package func stop(_ reason: StopReason) {
        // Set again where there is more to wait for, or it rang for one that was replaced.
        self.change { $0.alarm = nil }
    }

    /// Who got a slot in one step: most often nobody or one, and then there is no list to make.
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
    /// Whether all requests to a host share a connection.
    fileprivate var isMultiplexed: Bool { self == .http2 || self == .http3 }
}
