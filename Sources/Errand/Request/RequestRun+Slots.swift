internal import ErrandMachines

/// How a request gets a slot, and waits for one.
extension RequestRun {
    func setPriority(_ priority: RequestPriority) async {
        self.priority = priority
        for ticket in self.waitingTickets { await self.environment.scheduler.reprioritise(ticket, to: priority) }
    }

    /// Someone who waits for the request became more urgent; so does its place in the queue, now or later.
    func raise(to priority: RequestPriority) async {
        self.priority = max(self.rank(), priority)
        for ticket in self.waitingTickets { await self.environment.scheduler.raise(ticket, to: priority) }
    }

    func rank() -> RequestPriority {
        self.priority ?? self.owner?.options.priority ?? self.endpoint.priority
    }

    func takeSlot(host: String, _ attempt: Attempt) async throws(ErrandError) -> AdmissionMachine.Ticket {
        guard !self.isOver, self.owner?.stopReason == nil else { throw .cancelled() }
        let rank = self.rank()
        switch await self.environment.scheduler.enter(host: host, priority: rank, waking: attempt.waiter) {
        case .slot(let ticket):
            return ticket
        case .queue(let ticket):
            let queuedAt = self.environment.timebase.now
            await self.beginWaiting(ticket, rank)
            let isAdmitted = await self.wait(attempt.waiter, ticket)
            try await self.endWaiting(
                ticket, since: queuedAt, isAdmitted: isAdmitted && attempt.lifeline.stopReason == nil)
            return ticket
        }
    }

    /// Notes that a ticket waits, which was taken with this rank.
    func beginWaiting(_ ticket: AdmissionMachine.Ticket, _ rank: RequestPriority) async {
        self.queuedAt = self.environment.timebase.now
        self.waitingTickets.append(ticket)
        self.hooks.observe(.queued, of: self.activity)
        // The rank may have changed while the ticket was on its way.
        let present = self.rank()
        if present != rank { await self.environment.scheduler.reprioritise(ticket, to: present) }
    }

    @inline(never)
    func endWaiting(
        _ ticket: AdmissionMachine.Ticket, since queuedAt: Duration, isAdmitted: Bool
    ) async throws(ErrandError) {
        self.waitingTickets.removeAll { $0 == ticket }
        let waited = self.environment.timebase.now - queuedAt
        self.queueTime += waited
        guard isAdmitted else {
            await self.environment.scheduler.leave(ticket)
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
        let scheduler = self.environment.scheduler
        return await withTaskPriorityEscalationHandler {
            await waiter.wait() != nil
        } onPriorityEscalated: { _, priority in
            // Unstructured: the handler cannot wait. Ends with that one call; a late one does nothing.
            spawn { await scheduler.raise(ticket, to: RequestPriority(priority)) }
        }
    }
}
