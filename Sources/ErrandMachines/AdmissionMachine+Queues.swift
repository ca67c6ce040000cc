/// The queues of waiting tickets, and the order in which they are admitted.
extension AdmissionMachine {
    func hasPlace(_ host: Int) -> Bool {
        // Read each property separately: copying the whole host would retain and release its references.
        let limit = self.hosts[host].isMultiplexed ? self.limits.streamsPerHost : self.limits.perHost
        guard self.gradient != nil, let found = self.hosts[host].found else { return self.hosts[host].active < limit }
        return self.hosts[host].active < min(limit, found.limit)
    }

    func isOpen(_ lane: Int) -> Bool {
        self.hasPlace(self.lanes[lane].host) && (!self.pace.isOn || self.due(lane) <= self.pace.now)
    }

    /// Like `isOpen`, for a lane with waiting tickets: without a token, the lane is marked to be checked again when it
    /// has one.
    mutating func isOpenOrBlocked(_ lane: Int) -> Bool {
        guard self.hasPlace(self.lanes[lane].host) else { return false }
        guard self.pace.isOn else { return true }
        let due = self.due(lane)
        if due > self.pace.now { self.pace.block(lane, until: due) }
        return due <= self.pace.now
    }

    /// Admits the oldest ticket of a class among the lanes with a free slot.
    mutating func admitFirst(_ priority: Priority) -> Ticket? {
        while let candidate = self.candidates.popFirst(priority) {
            self.visitedCount += 1
            let lane = candidate.lane
            guard let head = self.lanes[lane].queues[priority].head, let state = self.tickets[head],
                state.sequence == candidate.sequence
            else { continue }
            self.lanes[lane].queues[priority].isListed = false
            // A full host lists its heads again when it has a free slot, and a lane without a token when it has one.
            guard self.isOpenOrBlocked(lane) else { continue }
            guard let risen = self.risenPriority(of: lane, below: priority),
                let elder = self.lanes[lane].queues[risen].head, let elderState = self.tickets[elder]
            else { return self.admit(head, state, turn: priority) }
            let ticket = self.admit(elder, elderState, turn: priority)
            // The ticket that gave way keeps waiting.
            self.listHead(of: lane, priority)
            return ticket
        }
        return nil
    }

    /// The lowest class of a lane that higher classes of the same lane have passed over too often.
    func risenPriority(of lane: Int, below turn: Priority) -> Priority? {
        Priority.allCases.first {
            $0.rawValue < turn.rawValue && self.lanes[lane].queues[$0].passedOver >= self.ageing
        }
    }

    mutating func admit(_ ticket: Ticket, _ state: TicketState, turn: Priority) -> Ticket {
        self.take(state.lane)
        self.unlink(ticket, state)
        self.tickets.update(ticket) { $0.isActive = true }
        self.age(after: state, turn: turn)
        return ticket
    }

    /// Counts the lower classes as passed over, and resets the class whose turn it was unless it gave way within its
    /// lane.
    mutating func age(after admitted: TicketState, turn: Priority) {
        if admitted.priority == turn { self.passedOver[turn] = 0 }
        self.lanes[admitted.lane].queues[admitted.priority].passedOver = 0
        for priority in Priority.allCases {
            if priority.rawValue < turn.rawValue, self.waiting[priority] > 0 { self.passedOver[priority] += 1 }
            if priority.rawValue < admitted.priority.rawValue,
                self.lanes[admitted.lane].queues[priority].head != nil
            {
                self.lanes[admitted.lane].queues[priority].passedOver += 1
            }
        }
    }

    mutating func append(_ ticket: Ticket, lane: Int, priority: Priority) {
        self.waiting[priority] += 1
        let tail = self.lanes[lane].queues[priority].tail
        self.lanes[lane].queues[priority].tail = ticket
        if let tail {
            self.tickets.update(tail) { $0.next = ticket }
            self.tickets.update(ticket) { $0.previous = tail }
        } else {
            self.lanes[lane].queues[priority].head = ticket
            self.listHead(of: lane, priority)
        }
    }

    mutating func unlink(_ ticket: Ticket, _ state: TicketState) {
        self.waiting[state.priority] -= 1
        if self.waiting[state.priority] == 0 { self.passedOver[state.priority] = 0 }
        if let next = state.next {
            self.tickets.update(next) { $0.previous = state.previous }
        } else {
            self.lanes[state.lane].queues[state.priority].tail = state.previous
        }
        if let previous = state.previous {
            self.tickets.update(previous) { $0.next = state.next }
        } else {
            self.lanes[state.lane].queues[state.priority].head = state.next
            self.lanes[state.lane].queues[state.priority].isListed = false
            if state.next == nil { self.lanes[state.lane].queues[state.priority].passedOver = 0 }
            self.listHead(of: state.lane, state.priority)
        }
    }

    mutating func listHeads(of host: Int) {
        for lane in self.hosts[host].lanes { self.listHeads(ofLane: lane) }
    }

    mutating func listHeads(ofLane lane: Int) {
        for priority in Priority.allCases { self.listHead(of: lane, priority) }
    }

    mutating func listHead(of lane: Int, _ priority: Priority) {
        guard !self.lanes[lane].queues[priority].isListed, let head = self.lanes[lane].queues[priority].head,
            let state = self.tickets[head], self.isOpenOrBlocked(lane)
        else { return }
        self.lanes[lane].queues[priority].isListed = true
        self.candidates.insert(Candidate(sequence: state.sequence, lane: lane), priority)
        self.dropStaleCandidates(priority)
    }

    /// Keeps the heap of a class in proportion to the number of lanes by dropping stale entries.
    mutating func dropStaleCandidates(_ priority: Priority) {
        guard self.candidates.count(priority) > 2 * self.lanes.count + 32 else { return }
        self.visitedCount += self.lanes.count + self.candidates.count(priority)
        var live = Set<UInt64>()
        for lane in self.lanes {
            if let head = lane.queues[priority].head, let state = self.tickets[head] { live.insert(state.sequence) }
        }
        self.candidates.keep(priority) { live.contains($0.sequence) }
    }
}
