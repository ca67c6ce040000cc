import ErrandMachines

/// The rules of admission in their plainest form: one array, searched from end to end.
struct AdmissionModel {
    typealias Ticket = AdmissionMachine.Ticket
    typealias Priority = AdmissionMachine.Priority

    struct Entry {
        let ticket: Ticket
        let host: Int
        var priority: Priority
        var isActive: Bool
    }

    private struct HostClass: Hashable {
        let host: Int
        let priority: Priority
    }

    /// All tickets, in the order in which they came into their class.
    private(set) var entries: [Entry] = []
    private(set) var isPaused = false
    private(set) var limits: AdmissionMachine.Limits
    private(set) var activeCount = 0
    private var activeOnHost: [Int: Int] = [:]
    private let ageing: Int
    /// How often a class was passed over while it waited.
    private var age: [Priority: Int] = [:]
    /// How often a class of a host was passed over, while it waited, by a higher one of the same host.
    private var hostAge: [HostClass: Int] = [:]

    init(limits: AdmissionMachine.Limits, ageing: Int) {
        self.limits = limits
        self.ageing = ageing
    }

    // MARK: - Looking

    var waitingCount: Int { self.entries.count - self.activeCount }

    func activeCount(host: Int) -> Int {
        self.activeOnHost[host, default: 0]
    }

    func entry(_ ticket: Ticket) -> Entry? {
        self.entries.first { $0.ticket == ticket }
    }

    var hasPlace: Bool { !self.isPaused && self.activeCount < self.limits.total }

    func isOpen(_ host: Int) -> Bool {
        self.activeCount(host: host) < self.limits.perHost
    }

    /// The tickets that wait although their host has a place, oldest first in each class.
    var admissible: [Entry] {
        var admissible: [Entry] = []
        for entry in self.entries where !entry.isActive && self.isOpen(entry.host) { admissible.append(entry) }
        return admissible
    }

    // MARK: - Events

    /// Takes in a ticket under the key that the machine gave it; answers whether it has a place at once.
    mutating func enqueue(_ ticket: Ticket, host: Int, priority: Priority) -> Bool {
        let isActive = self.hasPlace && self.isOpen(host)
        self.entries.append(Entry(ticket: ticket, host: host, priority: priority, isActive: isActive))
        if isActive { self.count(host, 1) }
        return isActive
    }

    mutating func admitNext() -> Ticket? {
        guard self.hasPlace else { return nil }
        let admissible = self.admissible
        let risen = Priority.allCases.filter { self.age[$0, default: 0] >= self.ageing }
        for turn in risen + Priority.allCases.reversed() {
            guard let first = admissible.first(where: { $0.priority == turn }) else { continue }
            let elders = admissible.filter { self.hasRisen($0, onHostOf: first) }
            let lowest = elders.map(\.priority.rawValue).min()
            let chosen = elders.first { $0.priority.rawValue == lowest } ?? first
            self.admit(chosen, turn: turn)
            return chosen.ticket
        }
        return nil
    }

    mutating func leave(_ ticket: Ticket) -> AdmissionMachine.LeaveAction {
        guard let index = self.entries.firstIndex(where: { $0.ticket == ticket }) else { return .none }
        let entry = self.entries.remove(at: index)
        if entry.isActive { self.count(entry.host, -1) }
        self.forgetAges(of: entry.host, entry.priority)
        return entry.isActive ? .freedPlace : .leftQueue
    }

    mutating func reprioritise(_ ticket: Ticket, to priority: Priority) -> AdmissionMachine.RaiseAction {
        guard let index = self.entries.firstIndex(where: { $0.ticket == ticket }), !self.entries[index].isActive,
            self.entries[index].priority != priority
        else { return .none }
        var entry = self.entries.remove(at: index)
        self.forgetAges(of: entry.host, entry.priority)
        entry.priority = priority
        self.entries.append(entry)
        return .moved
    }

    mutating func pause() { self.isPaused = true }

    mutating func resume() { self.isPaused = false }

    mutating func setLimits(_ limits: AdmissionMachine.Limits) { self.limits = limits }

    private mutating func count(_ host: Int, _ change: Int) {
        self.activeCount += change
        self.activeOnHost[host, default: 0] += change
    }

    // MARK: - Ageing

    private func hasRisen(_ entry: Entry, onHostOf other: Entry) -> Bool {
        entry.host == other.host && entry.priority.rawValue < other.priority.rawValue
            && self.hostAge[HostClass(host: entry.host, priority: entry.priority), default: 0] >= self.ageing
    }

    private mutating func admit(_ entry: Entry, turn: Priority) {
        for index in self.entries.indices where self.entries[index].ticket == entry.ticket {
            self.entries[index].isActive = true
        }
        self.count(entry.host, 1)
        if entry.priority == turn { self.age[turn] = 0 }
        self.hostAge[HostClass(host: entry.host, priority: entry.priority)] = 0
        for priority in Priority.allCases {
            if priority.rawValue < turn.rawValue, self.waits(priority) { self.age[priority, default: 0] += 1 }
            if priority.rawValue < entry.priority.rawValue, self.waits(priority, host: entry.host) {
                self.hostAge[HostClass(host: entry.host, priority: priority), default: 0] += 1
            }
        }
        self.forgetAges(of: entry.host, entry.priority)
    }

    /// A class in which nothing waits is not passed over.
    private mutating func forgetAges(of host: Int, _ priority: Priority) {
        if !self.waits(priority) { self.age[priority] = nil }
        if !self.waits(priority, host: host) { self.hostAge[HostClass(host: host, priority: priority)] = nil }
    }

    private func waits(_ priority: Priority, host: Int? = nil) -> Bool {
        self.entries.contains { !$0.isActive && $0.priority == priority && (host == nil || $0.host == host) }
    }
}
