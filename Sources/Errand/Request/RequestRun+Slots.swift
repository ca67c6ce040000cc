internal import ErrandMachines

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

    func takeSlot(host: String, _ attempt: Attempt) async throws(ErrandError) -> AdmissionMachine.Ticket {
        guard !self.isOver, self.owner?.stopReason == nil else { throw .cancelled() }
        switch self.environment.admission.enter(host: host, priority: self.rank(), waking: attempt.waiter) {
        case .slot(let ticket):
            return ticket
        case .queue(let ticket):
            let queuedAt = self.environment.timebase.now
            self.beginWaiting(ticket)
            let isAdmitted = await self.wait(attempt.waiter, ticket)
            try self.endWaiting(
                ticket, since: queuedAt, isAdmitted: isAdmitted && attempt.lifeline.stopReason == nil)
            return ticket
        }
    }

    /// Notes that a ticket waits.
    func beginWaiting(_ ticket: AdmissionMachine.Ticket) {
        self.queuedAt = self.environment.timebase.now
        self.waitingTickets.append(ticket)
        self.hooks.observe(.queued, of: self.activity)
    }

    @inline(never)
    func endWaiting(
        _ ticket: AdmissionMachine.Ticket, since queuedAt: Duration, isAdmitted: Bool
    ) throws(ErrandError) {
        self.waitingTickets.removeAll { $0 == ticket }
        let waited = self.environment.timebase.now - queuedAt
        self.queueTime += waited
        guard isAdmitted else {
            self.environment.admission.leave(ticket)
            throw .cancelled()
        }
        self.hooks.observe(.admitted(waited: waited), of: self.activity)
    }

    /// Waits for a slot; a task that is escalated meanwhile takes its ticket along.
    @inline(never)
    func wait(_ waiter: Waiter<Void>, _ ticket: AdmissionMachine.Ticket) async -> Bool {
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
}
