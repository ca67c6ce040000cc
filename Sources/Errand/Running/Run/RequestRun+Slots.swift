internal import ErrandMachines

/// The result of asking for a slot without suspending.
enum AskedSlot {
    /// The request has a slot.
    case slot(AdmissionMachine.Ticket)
    /// The request waits for a slot in its task.
    case queued(AdmissionMachine.Ticket, Waiter<Void>)
    /// The request is or was parked, and its carrier waits for the slot.
    case parked(AdmissionMachine.Ticket, ParkedRun?)
}

/// The state of a request in the queue for slots.
struct QueueEntry {
    /// The priority, if it differs from that of the options.
    var priority: RequestPriority?
    /// The waiting tickets with their start times on the client's clock.
    ///
    /// There are several if interceptors make concurrent calls.
    var waiting: [(ticket: AdmissionMachine.Ticket, since: Duration)] = []
    /// The total waiting time.
    var time = Duration.zero
}

/// Acquiring and waiting for slots.
extension RequestRun {
    func setPriority(_ priority: RequestPriority) {
        for ticket in self.changePriority({ _ in priority }) {
            self.environment.admission.reprioritise(ticket, to: priority)
        }
    }

    /// Raises the priority of the request on behalf of a waiter, both in the queue and later.
    func raise(to priority: RequestPriority) {
        for ticket in self.changePriority({ max($0, priority) }) {
            self.environment.admission.raise(ticket, to: priority)
        }
    }

    /// - Returns: The waiting tickets.
    private func changePriority(_ change: (RequestPriority) -> RequestPriority) -> [AdmissionMachine.Ticket] {
        let own = self.options.priority
        let (priority, waiting, flight) = self.withJourney { journey in
            let priority = change(journey.queue.priority ?? own)
            journey.queue.priority = priority
            return (priority, journey.queue.waiting.map(\.ticket), journey.flight)
        }
        flight?.raiseLater(to: priority)
        return waiting
    }

    /// The priority, if it differs from that of the options.
    var chosenPriority: RequestPriority? { self.withJourney { $0.queue.priority } }

    var priority: RequestPriority {
        self.chosenPriority ?? self.options.priority
    }

    /// Asks for a slot.
    ///
    /// A request with a carrier is parked there instead of waiting in a task.
    func askForSlot(_ authority: String, _ carrier: TaskCarrier?) -> AskedSlot {
        var parked: ParkedRun?
        var waiter: Waiter<Void>?
        let asked = self.priority
        let place = self.environment.admission.enter(host: authority, priority: asked, tag: self.options.tag) {
            if let carrier, let owner = self.owner {
                let run = ParkedRun(owner, on: carrier)
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
            let now = self.environment.timebase.now
            let priority = self.withJourney { journey in
                journey.queue.waiting.append((ticket, now))
                return journey.queue.priority ?? asked
            }
            // The priority may have changed since the request asked.
            if priority != asked { self.environment.admission.reprioritise(ticket, to: priority) }
            self.observe(.queued)
            return waiter.map { .queued(ticket, $0) } ?? .parked(ticket, parked)
        }
    }

    /// The ticket of a parked run.
    var parkedTicket: AdmissionMachine.Ticket? { self.withJourney { $0.queue.waiting.first?.ticket } }

    /// Returns the slot that was asked for, or another one after a suspension.
    @inline(__always)
    func slot(
        _ asked: AskedSlot, for authority: String, in scope: any StopScope
    ) async throws(ErrandError) -> AdmissionMachine.Ticket {
        if case .slot(let ticket) = asked, self.lifeline.mayGoOn, scope === self.lifeline || scope.stopReason == nil {
            return ticket
        }
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

    /// Waits until the request is resumed; returns at once if it is not suspended.
    @inline(never)
    private func waitWhileSuspended(in scope: any StopScope) async throws(ErrandError) {
        let waiter = Waiter<Void>()
        guard self.lifeline.wakeWhenResumed(waiter) else { return }
        try await scope.wait(for: waiter)
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

    /// Acquires a slot for a further exchange, waiting in the queue if needed.
    func takeSlot(_ authority: String, in scope: any StopScope) async throws(ErrandError) -> AdmissionMachine.Ticket {
        if let reason = scope.stopReason ?? self.lifeline.stopReason { throw reason.error }
        guard self.calls?.isOver != true else { throw .cancelled() }
        return try await self.slot(self.askForSlot(authority, nil), for: authority, in: scope)
    }

    /// Waits in the queue.
    ///
    /// A priority escalation of the task raises the ticket.
    ///
    /// - Returns: True if the ticket was admitted, false if the task was cancelled before.
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
            // Has no effect when late.
            admission.raise(ticket, to: RequestPriority(priority))
        }
    }

    /// Records the end of a wait.
    ///
    /// The ticket has its slot, unless the wait was cancelled or stopped.
    @inline(never)
    private func endWaiting(
        _ ticket: AdmissionMachine.Ticket, isAdmitted: Bool, in scope: any StopScope
    ) throws(ErrandError) {
        let now = self.environment.timebase.now
        let waited = self.withJourney { journey in
            guard let index = journey.queue.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                return Duration.zero
            }
            let waited = now - journey.queue.waiting.remove(at: index).since
            journey.queue.time += waited
            return waited
        }
        let reason = scope.stopReason
        guard isAdmitted, reason == nil else {
            self.environment.admission.leave(ticket, isUnused: true)
            throw reason?.error ?? .cancelled()
        }
        self.observe(.admitted(waited: waited))
    }

    // MARK: - Delays

    /// Waits by the client's clock without a slot.
    ///
    /// A body that is still being received is ended first.
    ///
    /// - Throws: ``ErrandError`` if the request is stopped in the meantime.
    func wait(for delay: Duration) async throws(ErrandError) {
        self.endEarlierBodies()
        guard delay > .zero else { return }
        let (deadlines, waiter) = (self.environment.deadlines, Waiter<Void>())
        let now = self.environment.timebase.now
        let alarm = deadlines.set(delay, after: now, stopping: waiter, because: .cancelled)
        defer { deadlines.clear(alarm) }
        // A run with a task is woken by its cancellation, and may wait in several places at once.
        if self.isDirect { return try await self.lifeline.wait(for: waiter) }
        let isOver = await waiter.wait() == nil
        if let reason = self.lifeline.stopReason { throw reason.error }
        if isOver { throw .cancelled() }
    }
}

extension StopScope {
    /// Waits until a waiter is woken or the scope is stopped.
    ///
    /// - Throws: ``ErrandError`` if the scope is stopped or the task is cancelled.
    func wait(for waiter: Waiter<Void>) async throws(ErrandError) {
        self.setPending(waiter)
        defer { self.setPending(nil) }
        let isOver = await waiter.wait() == nil
        if let reason = self.stopReason { throw reason.error }
        if isOver { throw .cancelled() }
    }
}
