/// Who may go next: a total limit, a limit per host (another for hosts with multiplexed connections), three priorities, and nobody starves.
///
/// Within a priority, tickets go in the order they came, except that one whose host is full does not hold up the
/// others. Across priorities the highest goes first; but a class that has been passed over `ageing` times while it
/// waited has risen to the top, and its oldest ticket goes next. The same holds within each host, so that a ticket
/// cannot starve behind higher ones of its own host while its class gets places elsewhere.
///
/// Every event is synchronous. After one that can free a place (`release`, `resume`, a change of limits), the owner
/// calls `admitNext` until it answers nothing; so a free place never stands beside a ticket that could take it.
/// Enqueueing, admitting, cancelling and raising take logarithmic time in the number of hosts, whatever the number of
/// tickets.
package struct AdmissionMachine: ~Copyable {
    package typealias Ticket = SlotArena<TicketState>.Key

    package enum Priority: Int, Sendable, CaseIterable {
        case low, normal, high
    }

    package struct Limits: Sendable, Equatable {
        package var total: Int
        package var perHost: Int
        /// For a host that serves many requests over one connection.
        package var streamsPerHost: Int

        package init(total: Int, perHost: Int, streamsPerHost: Int? = nil) {
            self.total = max(1, total)
            self.perHost = max(1, perHost)
            self.streamsPerHost = max(1, streamsPerHost ?? perHost)
        }
    }

    /// What the machine keeps of one ticket.
    package struct TicketState: Sendable {
        var host: Int
        var priority: Priority
        var sequence: UInt64
        /// Waiting tickets are linked to their neighbours in the queue of their host and priority.
        var previous: Ticket?
        var next: Ticket?
        var isActive: Bool
    }

    private struct Host {
        var name: String
        var active = 0
        /// Whether it was last seen to serve many requests over one connection.
        var isMultiplexed = false
        var queues = ByPriority(Queue())

        var isIdle: Bool {
            self.active == 0 && self.queues.low.head == nil && self.queues.normal.head == nil
                && self.queues.high.head == nil
        }
    }

    private struct Queue {
        var head: Ticket?
        var tail: Ticket?
        /// Tells whether the heap of this priority holds an entry for the present head.
        var isListed = false
        /// How often a higher class of the same host went first while this queue waited.
        var passedOver = 0
    }

    /// The head of a host's queue, listed among those that may go.
    ///
    /// Stale once the head is another one.
    struct Candidate: Comparable {
        let sequence: UInt64
        let host: Int

        static func < (one: Candidate, other: Candidate) -> Bool { one.sequence < other.sequence }
    }

    /// How often a class is passed over before it goes first.
    package let ageing: Int
    package private(set) var limits: Limits
    package private(set) var isPaused = false
    /// How many tickets hold a place.
    package private(set) var activeCount = 0
    /// How many tickets wait for one.
    package var waitingCount: Int { self.tickets.count - self.activeCount }

    /// How many entries of its tables it has looked at so far, beyond one for each event: what its events cost.
    package private(set) var visitedCount = 0

    private var tickets = SlotArena<TicketState>()
    private var hosts: [Host] = []
    private var freeHosts: [Int] = []
    private var hostIndex: [String: Int] = [:]
    private var candidates = Candidates()
    private var waiting = ByPriority(0)
    private var passedOver = ByPriority(0)
    private var nextSequence: UInt64 = 0

    package init(limits: Limits, ageing: Int = 8) {
        self.limits = limits
        self.ageing = max(1, ageing)
    }

    /// How many tickets of a host hold a place.
    package func activeCount(host: String) -> Int {
        self.hostIndex[host].map { self.hosts[$0].active } ?? 0
    }

    /// How many entries the tables of hosts and of candidates hold, dead ones included.
    package var tableCount: Int {
        self.hosts.count + Priority.allCases.reduce(0) { $0 + self.candidates.count($1) }
    }

    // MARK: - Asking for a place

    package enum EnqueueAction: Equatable {
        /// The ticket holds a place: go.
        case admitted(Ticket)
        /// Wait until `admitNext` answers this ticket.
        case wait(Ticket)
    }

    /// Someone wants a place.
    package mutating func enqueue(host name: String, priority: Priority) -> EnqueueAction {
        let host = self.hostSlot(for: name)
        let hasPlace = !self.isPaused && self.activeCount < self.limits.total && self.isOpen(host)
        let state = TicketState(host: host, priority: priority, sequence: self.nextSequence, isActive: hasPlace)
        self.nextSequence += 1
        let ticket = self.tickets.insert(state)
        if hasPlace {
            // Nobody is overtaken: a ticket that could have taken this place would have it already.
            self.hosts[host].active += 1
            self.activeCount += 1
            return .admitted(ticket)
        }
        self.append(ticket, host: host, priority: priority)
        return .wait(ticket)
    }

    /// Gives the next free place to the ticket that is due, or returns `nil` when no place or no ticket can be had.
    package mutating func admitNext() -> Ticket? {
        guard !self.isPaused, self.activeCount < self.limits.total else { return nil }
        for priority in Priority.allCases where self.passedOver[priority] >= self.ageing {
            if let ticket = self.admitFirst(priority) { return ticket }
        }
        for priority in Priority.allCases.reversed() {
            if let ticket = self.admitFirst(priority) { return ticket }
        }
        return nil
    }

    // MARK: - Leaving

    package enum LeaveAction: Equatable {
        /// The ticket held a place: call `admitNext`.
        case freedPlace
        /// The ticket was waiting: it is gone.
        case leftQueue
        /// Late: the ticket had gone before.
        case none
    }

    /// The host of a ticket was seen to serve many requests over one connection, or not to: call `admitNext`.
    package mutating func note(_ ticket: Ticket, isMultiplexed: Bool) {
        guard let host = self.tickets[ticket]?.host, self.hosts[host].isMultiplexed != isMultiplexed else { return }
        self.hosts[host].isMultiplexed = isMultiplexed
        self.listHeads(of: host)
    }

    /// What was seen of hosts is forgotten: call `admitNext`.
    package mutating func forgetHosts() {
        for host in self.hosts.indices where self.hosts[host].isMultiplexed {
            self.hosts[host].isMultiplexed = false
            self.listHeads(of: host)
        }
    }

    /// A ticket is given back: its work is done, or it does not want to wait any longer.
    package mutating func leave(_ ticket: Ticket) -> LeaveAction {
        guard let state = self.tickets[ticket] else { return .none }
        if state.isActive {
            _ = self.tickets.remove(ticket)
            let wasFull = !self.isOpen(state.host)
            self.hosts[state.host].active -= 1
            self.activeCount -= 1
            if wasFull { self.listHeads(of: state.host) }
            self.dropIdleHosts()
            return .freedPlace
        }
        self.unlink(ticket, state)
        _ = self.tickets.remove(ticket)
        self.dropIdleHosts()
        return .leftQueue
    }

    // MARK: - Changing the rules

    package enum RaiseAction: Equatable {
        /// The ticket waits in another class now, behind those who are there.
        case moved
        /// The ticket was in this class, has its place, or is gone.
        case none
    }

    /// A waiting ticket goes to another class.
    package mutating func reprioritise(_ ticket: Ticket, to priority: Priority) -> RaiseAction {
        guard var state = self.tickets[ticket], !state.isActive, state.priority != priority else { return .none }
        self.unlink(ticket, state)
        state.priority = priority
        state.previous = nil
        state.next = nil
        state.sequence = self.nextSequence
        self.nextSequence += 1
        self.tickets[ticket] = state
        self.append(ticket, host: state.host, priority: priority)
        return .moved
    }

    /// The present class of a ticket that waits.
    package func priority(of ticket: Ticket) -> Priority? {
        guard let state = self.tickets[ticket], !state.isActive else { return nil }
        return state.priority
    }

    /// No place is given until `resume`; places that are held stay held.
    package mutating func pause() {
        self.isPaused = true
    }

    package mutating func resume() {
        self.isPaused = false
    }

    /// New limits hold from now on; places over a lower limit are not taken back.
    package mutating func setLimits(_ limits: Limits) {
        self.limits = limits
        self.visitedCount += self.hosts.count
        for host in self.hosts.indices { self.listHeads(of: host) }
    }

    // MARK: - Queues

    private func isOpen(_ host: Int) -> Bool {
        self.hosts[host].active
            < (self.hosts[host].isMultiplexed ? self.limits.streamsPerHost : self.limits.perHost)
    }

    /// Admits the oldest ticket of a class among the hosts that have a place.
    private mutating func admitFirst(_ priority: Priority) -> Ticket? {
        while let candidate = self.candidates.popFirst(priority) {
            self.visitedCount += 1
            let host = candidate.host
            guard let head = self.hosts[host].queues[priority].head, let state = self.tickets[head],
                state.sequence == candidate.sequence
            else { continue }
            self.hosts[host].queues[priority].isListed = false
            // A full host lists its heads again when it has a place.
            guard self.isOpen(host) else { continue }
            guard let risen = self.risenPriority(of: host, below: priority),
                let elder = self.hosts[host].queues[risen].head, let elderState = self.tickets[elder]
            else { return self.admit(head, state, turn: priority) }
            let ticket = self.admit(elder, elderState, turn: priority)
            // The one that gave way waits on.
            self.listHead(of: host, priority)
            return ticket
        }
        return nil
    }

    /// The lowest class of a host that higher ones of the same host have passed over too often.
    private func risenPriority(of host: Int, below turn: Priority) -> Priority? {
        Priority.allCases.first {
            $0.rawValue < turn.rawValue && self.hosts[host].queues[$0].passedOver >= self.ageing
        }
    }

    private mutating func admit(_ ticket: Ticket, _ state: TicketState, turn: Priority) -> Ticket {
        self.unlink(ticket, state)
        self.tickets.update(ticket) { $0.isActive = true }
        self.hosts[state.host].active += 1
        self.activeCount += 1
        self.age(after: state, turn: turn)
        return ticket
    }

    /// Lower classes were passed over; the class whose turn it was starts anew, unless it gave way within its host.
    private mutating func age(after admitted: TicketState, turn: Priority) {
        if admitted.priority == turn { self.passedOver[turn] = 0 }
        self.hosts[admitted.host].queues[admitted.priority].passedOver = 0
        for priority in Priority.allCases {
            if priority.rawValue < turn.rawValue, self.waiting[priority] > 0 { self.passedOver[priority] += 1 }
            if priority.rawValue < admitted.priority.rawValue,
                self.hosts[admitted.host].queues[priority].head != nil
            {
                self.hosts[admitted.host].queues[priority].passedOver += 1
            }
        }
    }

    private mutating func append(_ ticket: Ticket, host: Int, priority: Priority) {
        self.waiting[priority] += 1
        let tail = self.hosts[host].queues[priority].tail
        self.hosts[host].queues[priority].tail = ticket
        if let tail {
            self.tickets.update(tail) { $0.next = ticket }
            self.tickets.update(ticket) { $0.previous = tail }
        } else {
            self.hosts[host].queues[priority].head = ticket
            self.listHead(of: host, priority)
        }
    }

    private mutating func unlink(_ ticket: Ticket, _ state: TicketState) {
        self.waiting[state.priority] -= 1
        if self.waiting[state.priority] == 0 { self.passedOver[state.priority] = 0 }
        if let next = state.next {
            self.tickets.update(next) { $0.previous = state.previous }
        } else {
            self.hosts[state.host].queues[state.priority].tail = state.previous
        }
        if let previous = state.previous {
            self.tickets.update(previous) { $0.next = state.next }
        } else {
            self.hosts[state.host].queues[state.priority].head = state.next
            self.hosts[state.host].queues[state.priority].isListed = false
            if state.next == nil { self.hosts[state.host].queues[state.priority].passedOver = 0 }
            self.listHead(of: state.host, state.priority)
        }
    }

    private mutating func listHeads(of host: Int) {
        for priority in Priority.allCases { self.listHead(of: host, priority) }
    }

    private mutating func listHead(of host: Int, _ priority: Priority) {
        guard self.isOpen(host), !self.hosts[host].queues[priority].isListed,
            let head = self.hosts[host].queues[priority].head, let state = self.tickets[head]
        else { return }
        self.hosts[host].queues[priority].isListed = true
        self.candidates.insert(Candidate(sequence: state.sequence, host: host), priority)
        self.dropStaleCandidates(priority)
    }

    /// Keeps the heap of a class in proportion to the hosts: heads that were cancelled leave stale entries behind.
    private mutating func dropStaleCandidates(_ priority: Priority) {
        guard self.candidates.count(priority) > 2 * self.hosts.count + 32 else { return }
        self.visitedCount += self.hosts.count + self.candidates.count(priority)
        var live = Set<UInt64>()
        for host in self.hosts {
            if let head = host.queues[priority].head, let state = self.tickets[head] { live.insert(state.sequence) }
        }
        self.candidates.keep(priority) { live.contains($0.sequence) }
    }

    // MARK: - Hosts

    private mutating func hostSlot(for name: String) -> Int {
        if let index = self.hostIndex[name] { return index }
        let index: Int
        if let free = self.freeHosts.popLast() {
            self.hosts[free] = Host(name: name)
            index = free
        } else {
            self.hosts.append(Host(name: name))
            index = self.hosts.count - 1
        }
        self.hostIndex[name] = index
        return index
    }

    /// Forgets hosts without tickets once they are many; a handful is kept, since they tend to come back.
    private mutating func dropIdleHosts() {
        guard self.hostIndex.count > 2 * self.tickets.count + 64 else { return }
        self.visitedCount += self.hostIndex.count
        for (name, index) in self.hostIndex where self.hosts[index].isIdle {
            self.hostIndex[name] = nil
            self.freeHosts.append(index)
        }
    }
}
