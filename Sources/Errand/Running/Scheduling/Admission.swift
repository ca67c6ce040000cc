internal import ErrandLocks
package import ErrandMachines

/// Gives slots to requests, and has them wait where there is none: the part of a ``Scheduler`` that is reached without
/// waiting for an actor.
///
/// Decided is under a lock; who got a slot is woken outside of it, since being woken may give a slot back.
package final class Admission: Sendable {
    private struct State: ~Copyable {
        var machine: AdmissionMachine
        /// Whether the limit of streams was chosen, for who reads the limits and changes one.
        var hasOwnStreams: Bool
        /// Who waits, to be woken with a slot.
        var waiting: [AdmissionMachine.Ticket: any Wakeable] = [:]
    }

    package enum Place: Sendable {
        /// The slot is yours; give it back with `leave`.
        case slot(AdmissionMachine.Ticket)
        /// You are woken with a slot; when you stop waiting, say `leave` too.
        case queue(AdmissionMachine.Ticket)
    }

    private let state: Locked<State>

    init(_ limits: Scheduler.Limits) {
        self.state = Locked(
            State(machine: AdmissionMachine(limits: limits.machine), hasOwnStreams: limits.hasOwnStreams))
    }

    // MARK: - Looking

    var activeCount: Int { self.state.withLock { $0.machine.activeCount } }

    var waitingCount: Int { self.state.withLock { $0.machine.waitingCount } }

    var isPaused: Bool { self.state.withLock { $0.machine.isPaused } }

    var limits: Scheduler.Limits {
        self.state.withLock { Scheduler.Limits($0.machine.limits, hasOwnStreams: $0.hasOwnStreams) }
    }

    // MARK: - Changing

    func setLimits(_ limits: Scheduler.Limits) {
        self.change { state in
            state.hasOwnStreams = limits.hasOwnStreams
            state.machine.setLimits(limits.machine)
        }
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

    // MARK: - Slots

    /// Asks for a slot, or for a place in the queue; who waits there is what `waiter` makes.
    package func enter(
        host: String, priority: RequestPriority, waking waiter: @autoclosure () -> any Wakeable
    ) -> Place {
        self.state.withLock { state in
            switch state.machine.enqueue(host: host, priority: priority.admission) {
            case .admitted(let ticket):
                return .slot(ticket)
            case .wait(let ticket):
                state.waiting[ticket] = waiter()
                return .queue(ticket)
            }
        }
    }

    /// Gives back a slot or a place in the queue; a second time does nothing.
    ///
    /// - Parameters:
    ///   - ticket: The slot.
    ///   - version: The version of HTTP that was spoken with it, if that is known.
    package func leave(_ ticket: AdmissionMachine.Ticket, over version: ExchangeMetrics.HTTPVersion? = nil) {
        self.change { state in
            if let version { state.machine.note(ticket, isMultiplexed: version.isMultiplexed) }
            if state.machine.leave(ticket) == .leftQueue { state.waiting[ticket] = nil }
        }
    }

    /// Takes note of the version that is spoken with a slot which is not given back for a while.
    package func note(_ ticket: AdmissionMachine.Ticket, _ version: ExchangeMetrics.HTTPVersion) {
        self.change { $0.machine.note(ticket, isMultiplexed: version.isMultiplexed) }
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
        var admitted = self.state.withLock { state -> Admitted in
            change(&state)
            var admitted = Admitted()
            while let ticket = state.machine.admitNext() {
                // One that was cancelled meanwhile does not notice; it is on its way to say `leave`.
                if let waiting = state.waiting.removeValue(forKey: ticket) { admitted.append(waiting) }
            }
            return admitted
        }
        admitted.wake()
    }

    /// Who got a slot in one step: most often nobody or one, and then there is no list to make.
    private struct Admitted: Sendable {
        private var first: (any Wakeable)?
        private var others: [any Wakeable] = []

        mutating func append(_ waiting: any Wakeable) {
            if self.first == nil { self.first = waiting } else { self.others.append(waiting) }
        }

        mutating func wake() {
            self.first?.wake()
            for other in self.others { other.wake() }
        }
    }
}

extension ExchangeMetrics.HTTPVersion {
    /// Whether all requests to a host share a connection.
    fileprivate var isMultiplexed: Bool { self == .http2 || self == .http3 }
}
