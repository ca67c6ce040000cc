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

/// The place of a request among others that wait for slots.
struct QueuePlace {
    /// The priority, where the request has another one than its endpoint.
    var priority: RequestPriority?
    /// The tickets that it waits with, and since when on the client's clock; several where interceptors send on at once.
    var waiting: [(ticket: AdmissionMachine.Ticket, since: Duration)] = []
    /// How long it waited, all in all.
    var time = Duration.zero
}

/// How a request gets a slot, and waits for one.
extension RequestRun {
    func setPriority(_ priority: RequestPriority) {
        self.queue.priority = priority
        for (ticket, _) in self.queue.waiting { self.environment.admission.reprioritise(ticket, to: priority) }
        self.exchanges.flight?.request.raiseLater(to: priority)
    }

    /// Someone who waits for the request became more urgent; so does its place in the queue, now or later.
    func raise(to priority: RequestPriority) {
        self.queue.priority = max(self.priority, priority)
        for (ticket, _) in self.queue.waiting { self.environment.admission.raise(ticket, to: priority) }
        self.exchanges.flight?.request.raiseLater(to: priority)
    }

    var priority: RequestPriority {
        self.queue.priority ?? self.options.priority
    }

    /// Asks for a slot; what has a host waits there for it, and not in its task.
    func askForSlot(_ authority: String, _ host: RunHost?) -> AskedSlot {
        var parked: ParkedRun?
        var waiter: Waiter<Void>?
        let place = self.environment.admission.enter(host: authority, priority: self.priority, tag: self.options.tag) {
            if let host, let owner = self.owner {
                let run = ParkedRun(owner, on: host)
                parked = run
                return run
            }
            let own = Waiter<Void>()
            waiter = own
            return own
        }
        switch place {
        case .slot(let ticket):
            return .slot(ticket)
        case .queue(let ticket):
            self.queue.waiting = self.queue.waiting + [(ticket, self.environment.timebase.now)]
            self.hooks.observe(.queued, of: self.activity)
            return waiter.map { .queued(ticket, $0) } ?? .parked(ticket, parked)
        }
    }

    /// Gets the slot that was asked for, or another one once the request is not suspended any more.
    @inline(__always)
    func slot(
        _ asked: AskedSlot, for authority: String, in scope: any StopScope
    ) async throws(ErrandError) -> AdmissionMachine.Ticket {
        if case .slot(let ticket) = asked, scope.stopReason == nil, !self.lifeline.isSuspended { return ticket }
        return try await self.slotLater(asked, for: authority, in: scope)
    }

    @inline(never)
    private func slotLater(
        _ asked: AskedSlot, for authority: String, in scope: any StopScope
    ) async throws(ErrandError) -> AdmissionMachine.Ticket {
        var ticket = try await self.slot(asked, in: scope)
        while self.lifeline.isSuspended {
            self.environment.admission.leave(ticket, isUnused: true)
            try await self.waitWhileSuspended(in: scope)
            ticket = try await self.slot(self.askForSlot(authority, nil), in: scope)
        }
        return ticket
    }

    /// Waits until the request goes on; returns at once where it does.
    @inline(never)
    private func waitWhileSuspended(in scope: any StopScope) async throws(ErrandError) {
        let waiter = Waiter<Void>()
        guard self.lifeline.wakeWhenResumed(waiter) else { return }
        scope.setPending(waiter)
        defer { scope.setPending(nil) }
        let isOver = await waiter.wait() == nil
        if let reason = scope.stopReason { throw reason.error }
        if isOver { throw .cancelled() }
    }

    private func slot(
        _ asked: AskedSlot, in scope: any StopScope
    ) async throws(ErrandError) -> AdmissionMachine.Ticket {
        switch asked {
        case .slot(let ticket):
            if let reason = scope.stopReason {
                self.environment.admission.leave(ticket, isUnused: true)
                throw reason.error
            }
            return ticket
        case .queued(let ticket, let waiter):
            try self.endWaiting(ticket, isAdmitted: await self.wait(waiter, ticket, in: scope), in: scope)
            return ticket
        case .parked(let ticket, _):
            try self.endWaiting(ticket, isAdmitted: true, in: scope)
            return ticket
        }
    }

    /// Gets a slot for one more exchange, at once or after a while in the queue.
    func takeSlot(_ authority: String, in scope: any StopScope) async throws(ErrandError) -> AdmissionMachine.Ticket {
        if let reason = scope.stopReason ?? self.lifeline.stopReason { throw reason.error }
        guard self.exchanges.intercepted?.isOver != true else { throw .cancelled() }
        return try await self.slot(self.askForSlot(authority, nil), for: authority, in: scope)
    }

    /// Waits in the queue; a task that is escalated meanwhile takes its ticket along.
    ///
    /// - Returns: Whether it was admitted, and not cancelled before.
    @inline(never)
    private func wait(
        _ waiter: Waiter<Void>, _ ticket: AdmissionMachine.Ticket, in scope: any StopScope
    ) async -> Bool {
        scope.setPending(waiter)
        defer { scope.setPending(nil) }
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return await waiter.wait() != nil
        }
        let admission = self.environment.admission
        return await withTaskPriorityEscalationHandler {
            await waiter.wait() != nil
        } onPriorityEscalated: { _, priority in
            // Late it does nothing.
            admission.raise(ticket, to: RequestPriority(priority))
        }
    }

    /// Notes that a ticket waits no more: it has its slot, unless the wait was left or stopped.
    @inline(never)
    private func endWaiting(
        _ ticket: AdmissionMachine.Ticket, isAdmitted: Bool, in scope: any StopScope
    ) throws(ErrandError) {
        var waited = Duration.zero
        if let index = self.queue.waiting.firstIndex(where: { $0.ticket == ticket }) {
            var waiting = self.queue.waiting
            waited = self.environment.timebase.now - waiting.remove(at: index).since
            self.queue.waiting = waiting
        }
        self.queue.time += waited
        let reason = scope.stopReason
        guard isAdmitted, reason == nil else {
            self.environment.admission.leave(ticket, isUnused: true)
            throw reason?.error ?? .cancelled()
        }
        self.hooks.observe(.admitted(waited: waited), of: self.activity)
    }
}
