import ErrandMachines

/// One walk of the machine beside the model, with what must be true of every admission.
struct AdmissionWalk: ~Copyable {
    private typealias Priority = AdmissionMachine.Priority
    private typealias Ticket = AdmissionMachine.Ticket

    private var machine: AdmissionMachine
    private var model: AdmissionModel
    private(set) var words = Set<String>()
    private let ageing: Int
    private let hostCount: Int
    /// Tells whether every free place is given away after each event, as the owner of a machine does.
    private let isDraining: Bool
    /// Tickets that have left.
    private var gone: [Ticket] = []
    /// How often the oldest ticket of a class that may go was passed over by a higher class, without a break.
    private var overtakes: [Ticket: Int] = [:]
    /// How often the first ticket of a class of a host was passed over by a higher class of its host.
    private var overtakesOnHost: [Ticket: Int] = [:]

    init(_ random: inout SplitMix64, isDraining: Bool) {
        let limits = AdmissionMachine.Limits(total: 1 + random.below(6), perHost: 1 + random.below(3))
        self.ageing = 1 + random.below(5)
        self.hostCount = [1, 2, 4, 30][random.below(4)]
        self.isDraining = isDraining
        self.machine = AdmissionMachine(limits: limits, ageing: self.ageing)
        self.model = AdmissionModel(limits: limits, ageing: self.ageing)
    }

    // MARK: - Events

    mutating func step(_ random: inout SplitMix64) throws {
        switch random.below(20) {
        // No more than a few dozen, so that the searches of the model stay short.
        case 0..<8 where self.model.entries.count < 36: try self.enqueue(&random)
        case 0..<11: try self.leave(&random, isActive: true)
        case 11: try self.leave(&random, isActive: false)
        case 12: try self.reprioritise(&random)
        case 13: try self.tellOfGone(&random)
        case 14: try self.changeRules(&random)
        default: if !self.isDraining { _ = try self.admit() }
        }
        try self.compareCounts(&random)
    }

    private mutating func enqueue(_ random: inout SplitMix64) throws {
        let host = random.below(self.hostCount)
        let priority = Priority.allCases[random.below(3)]
        let (ticket, isAdmitted) =
            switch self.machine.enqueue(host: "host \(host)", priority: priority) {
            case .admitted(let ticket): (ticket, true)
            case .wait(let ticket): (ticket, false)
            }
        try hold(self.model.entry(ticket) == nil, "a ticket was handed out twice")
        let waitsForHost = self.model.hasPlace && !self.model.isOpen(host)
        let expected = self.model.enqueue(ticket, host: host, priority: priority)
        try hold(isAdmitted == expected, "host \(host) \(expected ? "has to wait" : "need not wait")")
        self.words.insert(isAdmitted ? "admitted" : "waited")
        if waitsForHost { self.words.insert("full host") }
    }

    private mutating func leave(_ random: inout SplitMix64, isActive: Bool) throws {
        let candidates = self.model.entries.filter { $0.isActive == isActive }
        guard !candidates.isEmpty else { return }
        try self.leave(candidates[random.below(candidates.count)].ticket)
    }

    private mutating func leave(_ ticket: AdmissionMachine.Ticket) throws {
        let action = self.machine.leave(ticket)
        try hold(action == self.model.leave(ticket), "a ticket that left was answered \(action)")
        self.gone.append(ticket)
        self.words.insert(action == .freedPlace ? "freed" : "left queue")
    }

    private mutating func reprioritise(_ random: inout SplitMix64) throws {
        guard !self.model.entries.isEmpty else { return }
        let entry = self.model.entries[random.below(self.model.entries.count)]
        let priority = Priority.allCases[random.below(3)]
        let action = self.machine.reprioritise(entry.ticket, to: priority)
        try hold(action == self.model.reprioritise(entry.ticket, to: priority), "a ticket that moves got \(action)")
        try hold(
            self.machine.priority(of: entry.ticket) == (entry.isActive ? nil : priority), "moved to another class")
        if action == .moved {
            self.words.insert("moved")
            self.overtakes[entry.ticket] = nil
            self.overtakesOnHost[entry.ticket] = nil
        }
    }

    private mutating func tellOfGone(_ random: inout SplitMix64) throws {
        guard !self.gone.isEmpty else { return }
        let ticket = self.gone[random.below(self.gone.count)]
        try hold(self.machine.leave(ticket) == .none, "a ticket left twice")
        try hold(self.machine.reprioritise(ticket, to: .high) == .none, "a ticket that left was moved")
        try hold(self.machine.priority(of: ticket) == nil, "a ticket that left has a class")
        self.words.insert("late")
    }

    private mutating func changeRules(_ random: inout SplitMix64) throws {
        switch random.below(6) {
        case 0:
            self.machine.pause()
            self.model.pause()
            self.words.insert("paused")
        case 1:
            let limits = AdmissionMachine.Limits(total: 1 + random.below(8), perHost: 1 + random.below(4))
            self.machine.setLimits(limits)
            self.model.setLimits(limits)
        default:
            self.machine.resume()
            self.model.resume()
        }
    }

    // MARK: - Admitting

    /// Gives every free place away; after that, none stands beside a ticket that could take it.
    mutating func drain() throws {
        while try self.admit() {}
        guard self.model.hasPlace || !self.overtakes.isEmpty else { return }
        let admissible = self.model.admissible
        try hold(!self.model.hasPlace || admissible.isEmpty, "a place is free beside one that could take it")
        let firsts = Priority.allCases.compactMap { priority in admissible.first { $0.priority == priority }?.ticket }
        self.overtakes = self.overtakes.filter { firsts.contains($0.key) }
    }

    private mutating func admit() throws -> Bool {
        let admissible = self.model.hasPlace ? self.model.admissible : []
        let ticket = self.machine.admitNext()
        let expected = self.model.admitNext()
        try hold(ticket == expected, "admitted another ticket than the rules say")
        guard let ticket, let admitted = self.model.entry(ticket) else { return false }
        let first = admissible.first { $0.host == admitted.host && $0.priority == admitted.priority }
        try hold(first?.ticket == ticket, "not first-in-first-out within its class and host")
        if self.isDraining { try self.count(admitted, admissible) }
        return true
    }

    /// Counts who was overtaken by an admission, and holds the bound.
    private mutating func count(_ admitted: AdmissionModel.Entry, _ admissible: [AdmissionModel.Entry]) throws {
        let lower = admissible.filter { $0.priority.rawValue < admitted.priority.rawValue }
        var overtaken: [Ticket: Int] = [:]
        for priority in Priority.allCases {
            guard let first = lower.first(where: { $0.priority == priority }) else {
                // Not passed over, so its count goes on.
                if let same = admissible.first(where: { $0.priority == priority }) {
                    overtaken[same.ticket] = self.overtakes[same.ticket]
                }
                continue
            }
            let count = self.overtakes[first.ticket, default: 0] + 1
            try hold(count <= self.ageing, "the oldest \(priority) ticket was overtaken \(count) times")
            overtaken[first.ticket] = count
            self.words.insert("overtaken")
        }
        self.overtakes = overtaken
        for priority in Priority.allCases {
            guard let first = lower.first(where: { $0.priority == priority && $0.host == admitted.host }) else {
                continue
            }
            self.overtakesOnHost[first.ticket, default: 0] += 1
            let count = self.overtakesOnHost[first.ticket, default: 0]
            try hold(count <= self.ageing, "the first \(priority) ticket was overtaken \(count) times on its host")
        }
    }

    // MARK: - Invariants

    private func compareCounts(_ random: inout SplitMix64) throws {
        try hold(self.machine.activeCount == self.model.activeCount, "\(self.machine.activeCount) hold places")
        try hold(self.machine.waitingCount == self.model.waitingCount, "\(self.machine.waitingCount) wait")
        try hold(self.machine.isPaused == self.model.isPaused, "paused")
        try hold(self.machine.limits == self.model.limits, "limits")
        let host = random.below(self.hostCount)
        let active = self.machine.activeCount(host: "host \(host)")
        try hold(active == self.model.activeCount(host: host), "\(active) hold places of host \(host)")
    }

    /// Lets everything go, and looks whether anything stays.
    mutating func empty() throws {
        self.machine.resume()
        self.model.resume()
        while !self.model.entries.isEmpty {
            try self.drain()
            guard let active = self.model.entries.first(where: \.isActive) else {
                throw Violation(description: "\(self.model.waitingCount) wait, and none holds a place")
            }
            try self.leave(active.ticket)
        }
        try hold(self.machine.activeCount == 0 && self.machine.waitingCount == 0, "something is left over")
        try hold(self.machine.admitNext() == nil, "admitted nobody")
        for host in 0..<self.hostCount {
            try hold(self.machine.activeCount(host: "host \(host)") == 0, "a place of host \(host) is left over")
        }
    }
}
