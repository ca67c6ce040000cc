/// Decides which ticket is admitted next, with a total limit, per-host limits, three priorities, and no starvation.
///
/// Hosts with multiplexed connections have a limit of their own. Within a priority, tickets are admitted in the order
/// they came, except that a ticket whose host is full does not block the others. Across priorities the highest goes
/// first, but a class that has been passed over `ageing` times while waiting rises to the top, and its oldest ticket
/// goes next. The same holds within each host, so that a ticket cannot starve behind tickets of higher priority for its
/// own host while its class is admitted elsewhere.
///
/// Every event is synchronous. After an event that can free a slot (`release`, `resume`, a change of limits), the owner
/// calls `admitNext` until it returns `nil`, so that no slot stays free while a ticket could take it. Enqueueing,
/// admitting, cancelling, and raising take logarithmic time in the number of hosts, whatever the number of tickets.
package struct AdmissionMachine: ~Copyable {
    package typealias Ticket = SlotArena<TicketState>.Key

    package enum Priority: Int, Sendable, CaseIterable {
        case low, normal, high
    }

    package struct Limits: Sendable, Equatable {
        package var total: Int
        package var perHost: Int
        /// The limit for a host with multiplexed connections.
        package var streamsPerHost: Int

        package init(total: Int, perHost: Int, streamsPerHost: Int? = nil) {
            self.total = max(1, total)
            self.perHost = max(1, perHost)
            self.streamsPerHost = max(1, streamsPerHost ?? perHost)
        }
    }

    package struct TicketState: Sendable {
        var lane: Int
        var priority: Priority
        var sequence: UInt64
        /// Waiting tickets are linked to their neighbors in the queue of their lane and priority.
        var previous: Ticket?
        var next: Ticket?
        var isActive: Bool
    }

    /// The state shared by all tickets of a host.
    struct Host {
        var name: String
        var active = 0
        /// Indicates whether the host was last seen to multiplex requests over one connection.
        var isMultiplexed = false
        /// The lanes of the host, beginning with the lane for tickets without a limited tag.
        var lanes: [Int]
        var pace = HostPace()
        /// The concurrency limit measured for the host; `nil` if concurrency is not measured.
        var found: GradientLimit?
    }

    /// A queue of tickets for one host: those with one particular limited tag, or all others.
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
        /// Set while the heap of this priority contains an entry for the current head.
        var isListed = false
        /// The number of times a higher class of the same lane went first while this queue waited.
        var passedOver = 0
    }

    /// The head of a lane's queue, listed among those that may be admitted.
    ///
    /// Stale once another ticket is the head.
    struct Candidate: Comparable {
        let sequence: UInt64
        let lane: Int

        static func < (one: Candidate, other: Candidate) -> Bool { one.sequence < other.sequence }
    }

    /// The number of times a class is passed over before it goes first.
    package let ageing: Int
    /// The rules for measuring the concurrency limit of a host; `nil` if only the fixed limits apply.
    package let gradient: GradientLimit.Rules?
    package private(set) var limits: Limits
    package private(set) var isPaused = false
    /// The number of tickets that hold a slot.
    package internal(set) var activeCount = 0
    package var waitingCount: Int { self.tickets.count - self.activeCount }

    /// The number of table entries visited so far, beyond one per event: a measure of the cost of the events.
    package internal(set) var visitedCount = 0

    var tickets = SlotArena<TicketState>()
    var hosts: [Host] = []
    var freeHosts: [Int] = []
    var hostIndex: [String: Int] = [:]
    /// The host that was looked up last, while it exists.
    var lastHost: (name: String, index: Int)?
    var lanes: [Lane] = []
    var freeLanes: [Int] = []
    var pace = Pace()
    /// The number of idle hosts that were kept for their rates at the last check.
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

    /// The number of tickets of a host that hold a slot.
    package func activeCount(host: String) -> Int {
        self.hostIndex[host].map { self.hosts[$0].active } ?? 0
    }

    /// The number of entries in the tables of hosts and candidates, including stale ones.
    package var tableCount: Int {
        self.lanes.count + Priority.allCases.reduce(0) { $0 + self.candidates.count($1) }
    }

    // MARK: - Requesting a slot

    package enum EnqueueAction: Equatable {
        /// The ticket holds a slot: proceed.
        case admitted(Ticket)
        /// Wait until `admitNext` returns this ticket.
        case wait(Ticket)
    }

    /// Requests a slot.
    ///
    /// If there are rates, `admitNext` must have been called until it returned `nil` since the last `advance`.
    package mutating func enqueue(host name: String, priority: Priority, tag: String? = nil) -> EnqueueAction {
        let lane = self.lane(of: self.hostSlot(for: name), tag)
        let hasPlace =
            !self.isPaused && self.activeCount < self.limits.total && self.pace.hasToken && self.isOpen(lane)
        let state = TicketState(lane: lane, priority: priority, sequence: self.nextSequence, isActive: hasPlace)
        self.nextSequence += 1
        let ticket = self.tickets.insert(state)
        if hasPlace {
            // This overtakes no waiting ticket: a ticket that could use this slot would have been admitted already.
            self.take(lane)
            return .admitted(ticket)
        }
        self.append(ticket, lane: lane, priority: priority)
        return .wait(ticket)
    }

    /// Assigns the next free slot to the ticket that is due; returns `nil` if there is no slot or no eligible ticket.
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
        /// The ticket held a slot: call `admitNext`.
        case freedPlace
        /// The ticket was waiting and has been removed.
        case leftQueue
        /// Late: the ticket had left before.
        case none
    }

    /// Records whether the host of a ticket multiplexes requests over one connection: call `admitNext`.
    package mutating func note(_ ticket: Ticket, isMultiplexed: Bool) {
        guard let lane = self.tickets[ticket]?.lane else { return }
        let host = self.lanes[lane].host
        guard self.hosts[host].isMultiplexed != isMultiplexed else { return }
        self.hosts[host].isMultiplexed = isMultiplexed
        self.listHeads(of: host)
    }

    /// Forgets which hosts multiplex requests: call `admitNext`.
    package mutating func forgetHosts() {
        for host in self.hosts.indices where self.hosts[host].isMultiplexed {
            self.hosts[host].isMultiplexed = false
            self.listHeads(of: host)
        }
    }

    /// Removes a ticket whose work is done, or that no longer waits.
    ///
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - isUnused: True if no request was sent with the slot; it then does not count toward the rates.
    /// - Returns: The effect on slots and queues.
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
        /// The ticket now waits in another class, behind the tickets already there.
        case moved
        /// The ticket was in this class already, holds a slot, or has left.
        case none
    }

    /// Moves a waiting ticket to another class.
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

    /// The current class of a waiting ticket.
    package func priority(of ticket: Ticket) -> Priority? {
        guard let state = self.tickets[ticket], !state.isActive else { return nil }
        return state.priority
    }

    /// Admits no tickets until `resume`.
    ///
    /// Slots that are held stay held.
    package mutating func pause() {
        self.isPaused = true
    }

    package mutating func resume() {
        self.isPaused = false
    }

    /// Applies new limits.
    ///
    /// Slots above a lower limit are not taken back.
    package mutating func setLimits(_ limits: Limits) {
        self.limits = limits
        self.visitedCount += self.hosts.count
        for host in self.hosts.indices { self.listHeads(of: host) }
    }
}
