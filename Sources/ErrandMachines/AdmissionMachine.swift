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
        var lane: Int
        var priority: Priority
        var sequence: UInt64
        /// Waiting tickets are linked to their neighbours in the queue of their lane and priority.
        var previous: Ticket?
        var next: Ticket?
        var isActive: Bool
    }

    /// A host: what holds for all its tickets.
    struct Host {
        var name: String
        var active = 0
        /// Whether it was last seen to serve many requests over one connection.
        var isMultiplexed = false
        /// Its lanes, that of tickets without a limited tag first.
        var lanes: [Int]
        var pace = HostPace()
        /// How many it takes at once, as found out; `nil` where that is not looked at.
        var found: GradientLimit?
    }

    /// The tickets of one host, of those with one limited tag, or of all others.
    struct Lane {
        let host: Int
        let tag: Int?
        var queues = ByPriority(Queue())

        var isEmpty: Bool {
            self.queues.low.head == nil && self.queues.normal.head == nil && self.queues.high.head == nil
        }
    }

    struct Queue {
        var head: Ticket?
        var tail: Ticket?
        /// Tells whether the heap of this priority holds an entry for the present head.
        var isListed = false
        /// How often a higher class of the same lane went first while this queue waited.
        var passedOver = 0
    }

    /// The head of a lane's queue, listed among those that may go.
    ///
    /// Stale once the head is another one.
    struct Candidate: Comparable {
        let sequence: UInt64
        let lane: Int

        static func < (one: Candidate, other: Candidate) -> Bool { one.sequence < other.sequence }
    }

    /// How often a class is passed over before it goes first.
    package let ageing: Int
    /// How it is found out how many tickets a host takes at once; `nil` where only the limits count.
    package let gradient: GradientLimit.Rules?
    package private(set) var limits: Limits
    package private(set) var isPaused = false
    /// How many tickets hold a place.
    package internal(set) var activeCount = 0
    /// How many tickets wait for one.
    package var waitingCount: Int { self.tickets.count - self.activeCount }

    /// How many entries of its tables it has looked at so far, beyond one for each event: what its events cost.
    package internal(set) var visitedCount = 0

    var tickets = SlotArena<TicketState>()
    var hosts: [Host] = []
    var freeHosts: [Int] = []
    var hostIndex: [String: Int] = [:]
    /// The one that was found last, while it is known.
    var lastHost: (name: String, index: Int)?
    var lanes: [Lane] = []
    var freeLanes: [Int] = []
    var pace = Pace()
    /// How many hosts were kept for their rates when it was looked last.
    var pacedHosts = 0
    var candidates = Candidates()
    var waiting = ByPriority(0)
    var passedOver = ByPriority(0)
    var nextSequence: UInt64 = 0

    package init(limits: Limits, ageing: Int = 8, gradient: GradientLimit.Rules? = nil) {
        self.limits = limits
        self.ageing = max(1, ageing)
        self.gradient = gradient
    }

    /// How many tickets of a host hold a place.
    package func activeCount(host: String) -> Int {
        self.hostIndex[host].map { self.hosts[$0].active } ?? 0
    }

    /// How many entries the tables of hosts and of candidates hold, dead ones included.
    package var tableCount: Int {
        self.lanes.count + Priority.allCases.reduce(0) { $0 + self.candidates.count($1) }
    }

    // MARK: - Asking for a place

    package enum EnqueueAction: Equatable {
        /// The ticket holds a place: go.
        case admitted(Ticket)
        /// Wait until `admitNext` answers this ticket.
        case wait(Ticket)
    }

    /// Someone wants a place.
    ///
    /// Where there are rates, `admitNext` was called until it answered nothing since the last `advance`.
    package mutating func enqueue(host name: String, priority: Priority, tag: String? = nil) -> EnqueueAction {
        let lane = self.lane(of: self.hostSlot(for: name), tag)
        let hasPlace =
            !self.isPaused && self.activeCount < self.limits.total && self.pace.hasToken && self.isOpen(lane)
        let state = TicketState(lane: lane, priority: priority, sequence: self.nextSequence, isActive: hasPlace)
        self.nextSequence += 1
        let ticket = self.tickets.insert(state)
        if hasPlace {
            // Nobody is overtaken: a ticket that could have taken this place would have it already.
            self.take(lane)
            return .admitted(ticket)
        }
        self.append(ticket, lane: lane, priority: priority)
        return .wait(ticket)
    }

    /// Gives the next free place to the ticket that is due, or returns `nil` when no place or no ticket can be had.
    package mutating func admitNext() -> Ticket? {
        guard self.waitingCount > 0, !self.isPaused, self.activeCount < self.limits.total, self.pace.hasToken else {
            return nil
        }
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
        guard let lane = self.tickets[ticket]?.lane else { return }
        let host = self.lanes[lane].host
        guard self.hosts[host].isMultiplexed != isMultiplexed else { return }
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
    ///
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - isUnused: Whether nothing was sent with the place that it held: then it does not count for the rates.
    /// - Returns: What it held.
    package mutating func leave(_ ticket: Ticket, isUnused: Bool = false) -> LeaveAction {
        guard let state = self.tickets[ticket] else { return .none }
        if state.isActive {
            _ = self.tickets.remove(ticket)
            let host = self.lanes[state.lane].host
            let wasFull = !self.hasPlace(host)
            self.hosts[host].active -= 1
            self.activeCount -= 1
            if isUnused, self.pace.isOn { self.putBack(state.lane) }
            if wasFull { self.listHeads(of: host) }
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
        self.append(ticket, lane: state.lane, priority: priority)
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
}
