internal import ErrandMachines

/// How a request gets a slot, and waits for one.
extension RequestRun {
    func setPriority(_ priority: RequestPriority) async {
        self.priority = priority
        guard let ticket = self.waitingTicket else { return }
        await self.environment.scheduler.reprioritise(ticket, to: priority)
    }

    /// Someone who waits for the request became more urgent; so does its place in the queue.
    func raise(to priority: RequestPriority) async {
        guard let ticket = self.waitingTicket else { return }
        await self.environment.scheduler.raise(ticket, to: priority)
    }

    func rank() -> RequestPriority {
        self.priority ?? self.owner?.options.priority ?? self.endpoint.priority
    }

    func takeSlot(host: String) async throws(ErrandError) -> AdmissionMachine.Ticket {
        guard self.owner?.stopReason == nil else { throw .cancelled() }
        let waiter = Waiter<Void>()
        switch await self.environment.scheduler.enter(host: host, priority: self.rank(), waking: waiter) {
        case .slot(let ticket):
            return ticket
        case .queue(let ticket):
            self.beginWaiting(ticket)
            let isAdmitted = await self.wait(waiter, ticket)
            try await self.endWaiting(ticket, isAdmitted: isAdmitted)
            return ticket
        }
    }

    func beginWaiting(_ ticket: AdmissionMachine.Ticket) {
        self.queuedAt = self.environment.timebase.now
        self.waitingTicket = ticket
        self.hooks.observe(.queued, of: self.activity)
    }

    func endWaiting(_ ticket: AdmissionMachine.Ticket, isAdmitted: Bool) async throws(ErrandError) {
        self.waitingTicket = nil
        let waited = self.environment.timebase.now - self.queuedAt
        self.queueTime += waited
        guard isAdmitted else {
            await self.environment.scheduler.leave(ticket)
            throw .cancelled()
        }
        self.hooks.observe(.admitted(waited: waited), of: self.activity)
    }

    /// Waits for a slot; a task that is escalated meanwhile takes its ticket along.
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
