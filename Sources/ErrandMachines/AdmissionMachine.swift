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
    private struct Host {
        var name: String
        var active = 0
        /// Whether it was last seen to serve many requests over one connection.
        var isMultiplexed = false
        /// Its lanes, that of tickets without a limited tag first.
        var lanes: [Int]
        var pace = HostPace()
    }

    /// The tickets of one host, of those with one limited tag, or of all others.
    private struct Lane {
        let host: Int
        let tag: Int?
        var queues = ByPriority(Queue())

        var isEmpty: Bool {
            self.queues.low.head == nil && self.queues.normal.head == nil && self.queues.high.head == nil
        }
    }

    private struct Queue {
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
    private var lanes: [Lane] = []
    private var freeLanes: [Int] = []
    private var pace = Pace()
    /// How many hosts were kept for their rates when it was looked last.
    private var pacedHosts = 0
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
        guard !self.isPaused, self.activeCount < self.limits.total, self.pace.hasToken else { return nil }
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

    // MARK: - Rates

    /// Whether there are rates: then the owner tells the time before each event, and calls `admitNext` when `due` is there.
    package var isPaced: Bool { self.pace.isOn }

    /// When it should be asked again because there is a token for a ticket that waits; `nil` where nobody waits for one.
    package var due: Duration? {
        guard self.waitingCount > 0, !self.isPaused, self.activeCount < self.limits.total else { return nil }
        return self.pace.hasToken ? self.pace.earliestBlocked : self.pace.totalDue
    }

    /// Time has passed: call `admitNext`.
    ///
    /// A clock that goes back changes nothing.
    package mutating func advance(to now: Duration) {
        self.pace.now = max(self.pace.now, now)
        guard let earliest = self.pace.earliestBlocked, earliest <= self.pace.now else { return }
        self.listBlocked()
    }

    /// New rates hold from now on: call `admitNext`.
    ///
    /// What waits stays where it is, also if its tag was not limited before.
    package mutating func setRates(_ rates: Rates) {
        self.pace.setRates(rates)
        for host in self.hosts.indices {
            self.hosts[host].pace = HostPace(rates.rate(of: self.hosts[host].name), at: self.pace.now)
        }
        self.listBlocked()
    }

    /// A host lets so many requests come until a moment; what it said last counts, but not before a time that it wanted
    /// to be left alone for.
    package mutating func setQuota(_ left: Int, until moment: Duration, host name: String) {
        let host = self.hostSlot(for: name)
        self.hosts[host].pace.setQuota(left, until: moment, at: self.pace.now)
    }

    /// When a lane has a token; not later than now where it has one, or needs none.
    private func due(_ lane: Int) -> Duration {
        let due = self.hosts[self.lanes[lane].host].pace.due(at: self.pace.now)
        guard let tag = self.lanes[lane].tag else { return due }
        return max(due, self.pace.due(ofTag: tag))
    }

    /// A ticket of a lane gets a place.
    private mutating func take(_ lane: Int) {
        let host = self.lanes[lane].host
        self.hosts[host].active += 1
        self.activeCount += 1
        guard self.pace.isOn else { return }
        self.hosts[host].pace.take(at: self.pace.now)
        self.pace.take(tag: self.lanes[lane].tag)
    }

    /// The tokens of a lane were not used: others may have waited for them.
    private mutating func putBack(_ lane: Int) {
        self.hosts[self.lanes[lane].host].pace.putBack()
        self.pace.putBack(tag: self.lanes[lane].tag)
        self.listBlocked()
    }

    /// Looks again at all lanes that were seen without a token.
    private mutating func listBlocked() {
        self.visitedCount += self.pace.blocked.count
        let blocked = self.pace.blocked
        self.pace.unblockAll()
        for lane in blocked { self.listHeads(ofLane: lane) }
    }

    // MARK: - Queues

    private func hasPlace(_ host: Int) -> Bool {
        self.hosts[host].active
            < (self.hosts[host].isMultiplexed ? self.limits.streamsPerHost : self.limits.perHost)
    }

    private func isOpen(_ lane: Int) -> Bool {
        self.hasPlace(self.lanes[lane].host) && (!self.pace.isOn || self.due(lane) <= self.pace.now)
    }

    /// The same, for one with tickets: one that has no token is looked at again when it has.
    private mutating func isOpenOrBlocked(_ lane: Int) -> Bool {
        guard self.hasPlace(self.lanes[lane].host) else { return false }
        guard self.pace.isOn else { return true }
        let due = self.due(lane)
        if due > self.pace.now { self.pace.block(lane, until: due) }
        return due <= self.pace.now
    }

    /// Admits the oldest ticket of a class among the lanes that have a place.
    private mutating func admitFirst(_ priority: Priority) -> Ticket? {
        while let candidate = self.candidates.popFirst(priority) {
            self.visitedCount += 1
            let lane = candidate.lane
            guard let head = self.lanes[lane].queues[priority].head, let state = self.tickets[head],
                state.sequence == candidate.sequence
            else { continue }
            self.lanes[lane].queues[priority].isListed = false
            // A full host lists its heads again when it has a place, and one without a token when it has one.
            guard self.isOpenOrBlocked(lane) else { continue }
            guard let risen = self.risenPriority(of: lane, below: priority),
                let elder = self.lanes[lane].queues[risen].head, let elderState = self.tickets[elder]
            else { return self.admit(head, state, turn: priority) }
            let ticket = self.admit(elder, elderState, turn: priority)
            // The one that gave way waits on.
            self.listHead(of: lane, priority)
            return ticket
        }
        return nil
    }

    /// The lowest class of a lane that higher ones of the same lane have passed over too often.
    private func risenPriority(of lane: Int, below turn: Priority) -> Priority? {
        Priority.allCases.first {
            $0.rawValue < turn.rawValue && self.lanes[lane].queues[$0].passedOver >= self.ageing
        }
    }

    private mutating func admit(_ ticket: Ticket, _ state: TicketState, turn: Priority) -> Ticket {
        self.take(state.lane)
        self.unlink(ticket, state)
        self.tickets.update(ticket) { $0.isActive = true }
        self.age(after: state, turn: turn)
        return ticket
    }

    /// Lower classes were passed over; the class whose turn it was starts anew, unless it gave way within its lane.
    private mutating func age(after admitted: TicketState, turn: Priority) {
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

    private mutating func append(_ ticket: Ticket, lane: Int, priority: Priority) {
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

    private mutating func unlink(_ ticket: Ticket, _ state: TicketState) {
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

    private mutating func listHeads(of host: Int) {
        for lane in self.hosts[host].lanes { self.listHeads(ofLane: lane) }
    }

    private mutating func listHeads(ofLane lane: Int) {
        for priority in Priority.allCases { self.listHead(of: lane, priority) }
    }

    private mutating func listHead(of lane: Int, _ priority: Priority) {
        guard !self.lanes[lane].queues[priority].isListed, let head = self.lanes[lane].queues[priority].head,
            let state = self.tickets[head], self.isOpenOrBlocked(lane)
        else { return }
        self.lanes[lane].queues[priority].isListed = true
        self.candidates.insert(Candidate(sequence: state.sequence, lane: lane), priority)
        self.dropStaleCandidates(priority)
    }

    /// Keeps the heap of a class in proportion to the hosts: heads that were cancelled leave stale entries behind.
    private mutating func dropStaleCandidates(_ priority: Priority) {
        guard self.candidates.count(priority) > 2 * self.lanes.count + 32 else { return }
        self.visitedCount += self.lanes.count + self.candidates.count(priority)
        var live = Set<UInt64>()
        for lane in self.lanes {
            if let head = lane.queues[priority].head, let state = self.tickets[head] { live.insert(state.sequence) }
        }
        self.candidates.keep(priority) { live.contains($0.sequence) }
    }

    // MARK: - Hosts

    private mutating func hostSlot(for name: String) -> Int {
        if let index = self.hostIndex[name] { return index }
        let index = self.freeHosts.popLast() ?? self.hosts.count
        var host = Host(name: name, lanes: [self.makeLane(of: index, tag: nil)])
        if self.pace.isOn { host.pace = HostPace(self.pace.rates.rate(of: name), at: self.pace.now) }
        if index == self.hosts.count { self.hosts.append(host) } else { self.hosts[index] = host }
        self.hostIndex[name] = index
        return index
    }

    /// The lane of a host for tickets with a tag: one of its own where that is limited.
    private mutating func lane(of host: Int, _ tag: String?) -> Int {
        guard self.pace.isOn, let tag, let number = self.pace.number(ofTag: tag) else {
            return self.hosts[host].lanes[0]
        }
        if let lane = self.hosts[host].lanes.first(where: { self.lanes[$0].tag == number }) { return lane }
        let lane = self.makeLane(of: host, tag: number)
        self.hosts[host].lanes.append(lane)
        return lane
    }

    private mutating func makeLane(of host: Int, tag: Int?) -> Int {
        let lane = Lane(host: host, tag: tag)
        if let free = self.freeLanes.popLast() {
            self.lanes[free] = lane
            return free
        }
        self.lanes.append(lane)
        return self.lanes.count - 1
    }

    private func isIdle(_ host: Host) -> Bool {
        host.active == 0 && host.lanes.allSatisfy { self.lanes[$0].isEmpty } && host.pace.isFresh(at: self.pace.now)
    }

    /// Forgets hosts without tickets once they are many; a handful is kept, since they tend to come back.
    private mutating func dropIdleHosts() {
        guard self.hostIndex.count > 2 * self.tickets.count + self.pacedHosts + 64 else { return }
        self.visitedCount += self.hostIndex.count
        self.pacedHosts = 0
        for (name, index) in self.hostIndex {
            guard self.isIdle(self.hosts[index]) else {
                self.pacedHosts += self.hosts[index].pace.isFresh(at: self.pace.now) ? 0 : 1
                continue
            }
            self.hostIndex[name] = nil
            self.freeHosts.append(index)
            for lane in self.hosts[index].lanes { self.pace.unblock(lane) }
            self.freeLanes += self.hosts[index].lanes
            self.hosts[index].lanes = []
        }
    }
}
