internal import ErrandMachines

/// How far a request got with a slot without waiting.
enum AskedSlot {
    /// It has it.
    case slot(AdmissionMachine.Ticket)
    /// It waits for it, in its task.
    case queued(AdmissionMachine.Ticket, Waiter<Void>)
    /// It waits for it, or has waited, and its host for that.
    case parked(AdmissionMachine.Ticket, ParkedRun?)
}

/// How a request gets a slot, and waits for one.
extension RequestRun {
    func setPriority(_ priority: RequestPriority) {
        self.priority = priority
        for ticket in self.waitingTickets { self.environment.admission.reprioritise(ticket, to: priority) }
    }

    /// Someone who waits for the request became more urgent; so does its place in the queue, now or later.
    func raise(to priority: RequestPriority) {
        self.priority = max(self.rank(), priority)
        for ticket in self.waitingTickets { self.environment.admission.raise(ticket, to: priority) }
    }

    func rank() -> RequestPriority {
        self.priority ?? self.owner?.options.priority ?? self.endpoint.priority
    }

    /// Asks for a slot; what has a host waits there for it, and not in its task.
    func askForSlot(_ authority: String, _ host: RunHost?) -> AskedSlot {
        var parked: ParkedRun?
        var waiter: Waiter<Void>?
        func makeWakeable() -> any Wakeable {
            if let host, let owner = self.owner {
                let run = ParkedRun(owner, on: host)
                parked = run
                return run
            }
            let own = Waiter<Void>()
            waiter = own
            return own
        }
        switch self.environment.admission.enter(host: authority, priority: self.rank(), waking: makeWakeable()) {
        case .slot(let ticket):
            return .slot(ticket)
        case .queue(let ticket):
            self.beginWaiting(ticket)
            return waiter.map { .queued(ticket, $0) } ?? .parked(ticket, parked)
        }
    }

    /// Gets the slot that was asked for.
    func slot(
        _ asked: AskedSlot, in scope: any StopScope
    ) async throws(ErrandError) -> AdmissionMachine.Ticket {
        switch asked {
        case .slot(let ticket):
            if let reason = scope.stopReason {
                self.environment.admission.leave(ticket)
                throw reason.error
            }
            return ticket
        case .queued(let ticket, let waiter):
            try await self.wait(waiter, ticket, since: self.queuedAt, in: scope)
            return ticket
        case .parked(let ticket, _):
            try self.endWaiting(ticket, since: self.queuedAt, in: scope)
            return ticket
        }
    }

    /// Gets a slot for one more exchange, at once or after a while in the queue.
    func takeSlot(_ authority: String, in scope: any StopScope) async throws(ErrandError) -> AdmissionMachine.Ticket {
        if let reason = scope.stopReason ?? self.lifeline.stopReason { throw reason.error }
        guard self.calls?.isOver != true else { throw .cancelled() }
        return try await self.slot(self.askForSlot(authority, nil), in: scope)
    }

    /// Notes that a ticket waits.
    func beginWaiting(_ ticket: AdmissionMachine.Ticket) {
        self.queuedAt = self.environment.timebase.now
        self.waitingTickets.append(ticket)
        self.hooks.observe(.queued, of: self.activity)
    }

    /// Waits in the queue; a task that is escalated meanwhile takes its ticket along.
    @inline(never)
    func wait(
        _ waiter: Waiter<Void>, _ ticket: AdmissionMachine.Ticket, since queuedAt: Duration, in scope: any StopScope
    ) async throws(ErrandError) {
        scope.setPending(waiter)
        var isAdmitted = false
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            let admission = self.environment.admission
            isAdmitted = await withTaskPriorityEscalationHandler {
                await waiter.wait() != nil
            } onPriorityEscalated: { _, priority in
                // Late it does nothing.
                admission.raise(ticket, to: RequestPriority(priority))
            }
        } else {
            isAdmitted = await waiter.wait() != nil
        }
        scope.setPending(nil)
        try self.endWaiting(ticket, since: queuedAt, in: scope, isLeft: !isAdmitted)
    }

    /// Notes that a ticket waits no more: it has its slot, unless the wait was left or stopped.
    @inline(never)
    func endWaiting(
        _ ticket: AdmissionMachine.Ticket, since queuedAt: Duration, in scope: any StopScope, isLeft: Bool = false
    ) throws(ErrandError) {
        self.waitingTickets.removeAll { $0 == ticket }
        let waited = self.environment.timebase.now - queuedAt
        self.queueTime += waited
        let reason = scope.stopReason
        if isLeft || reason != nil {
            self.environment.admission.leave(ticket)
            throw reason?.error ?? .cancelled()
        }
        self.hooks.observe(.admitted(waited: waited), of: self.activity)
    }
}
