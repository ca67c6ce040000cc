internal import ErrandMachines
internal import TestEffort
internal import Testing

@Suite("The circuit breaker", .timeLimit(.minutes(60)), .paced)
struct CircuitMachineTests {
    private typealias Outcome = CircuitMachine.Outcome

    /// A machine, and what is done with it, in few words.
    private struct Bench {
        var machine: CircuitMachine
        var now = Duration.zero

        init(
            rate: Double = 0.5, minimum: Int = 1, window: Int = 30, openFor: Int = 5, jitter: Double = 0,
            probes: Int = 1
        ) {
            self.machine = CircuitMachine(
                CircuitMachine.Rules(
                    failureRate: rate, minimumCalls: minimum, window: .seconds(window), openFor: .seconds(openFor),
                    jitter: jitter, probes: probes))
        }

        var phase: CircuitMachine.Phase { self.machine.phase(at: self.now) }

        mutating func lease() throws -> CircuitMachine.Lease {
            guard case .pass(let lease) = self.machine.admit(at: self.now) else {
                throw Violation(description: "refused at \(self.now)")
            }
            return lease
        }

        /// When it may be worth to ask again; fails when there is a lease.
        mutating func refusal() throws -> Duration? {
            guard case .refuse(let until) = self.machine.admit(at: self.now) else {
                throw Violation(description: "not refused at \(self.now)")
            }
            return until
        }

        @discardableResult
        mutating func end(_ lease: CircuitMachine.Lease, _ outcome: Outcome, chance: Double = 0) -> Bool {
            self.machine.ended(lease, outcome, at: self.now, chance: chance)
        }

        mutating func call(_ outcomes: Outcome...) throws {
            for outcome in outcomes { self.end(try self.lease(), outcome) }
        }
    }

    /// Calls within the window of a minute: when a part of them has failed, and there were enough of them, it opens.
    @Test(arguments: [
        (rate: 0.5, minimum: 10, successes: 5, failures: 4, isOpen: false),
        (0.5, 10, 5, 5, true), (0.5, 10, 0, 9, false), (0.5, 10, 0, 10, true), (0.5, 10, 6, 5, false),
        (0.1, 100, 90, 9, false), (0.1, 100, 90, 10, true), (0.1, 100, 91, 10, false), (1, 5, 1, 9, false),
        (1, 5, 0, 5, true), (0, 1, 100, 1, true),
    ])
    func `opens at a part of enough calls`(
        rate: Double, minimum: Int, successes: Int, failures: Int, isOpen: Bool
    ) throws {
        var bench = Bench(rate: rate, minimum: minimum, window: 60)
        for _ in 0..<successes { try bench.call(.success) }
        for _ in 0..<failures { try bench.call(.failure) }
        #expect(bench.phase == (isOpen ? .open(until: .seconds(5)) : .closed))
    }

    @Test func `forgets what is older than the window`() throws {
        var bench = Bench(minimum: 2, window: 10)
        try bench.call(.failure)
        bench.now = .seconds(11)
        try bench.call(.failure)
        #expect(bench.phase == .closed)
        bench.now = .seconds(12)
        try bench.call(.failure)
        #expect(bench.phase == .open(until: .seconds(17)))
    }

    @Test func `failures that are older than the window do not count among newer calls`() throws {
        var bench = Bench(rate: 0.5, minimum: 4, window: 10)
        try bench.call(.failure, .failure, .failure)
        bench.now = .seconds(21)
        try bench.call(.success, .success, .success, .failure)
        #expect(bench.phase == .closed, "one of four")
    }

    @Test func `what says nothing of the server is no call`() throws {
        var bench = Bench(minimum: 2)
        try bench.call(.unknown, .unknown, .failure)
        #expect(bench.phase == .closed)
    }

    @Test func `refuses while it is open, and says for how long`() throws {
        var bench = Bench()
        try bench.call(.failure)
        #expect(try bench.refusal() == .seconds(5))
        bench.now = .milliseconds(4_999)
        #expect(try bench.refusal() == .seconds(5))
        bench.now = .seconds(5)
        #expect(bench.phase == .halfOpen)
    }

    @Test func `one success closes it, one failure opens it again`() throws {
        var bench = Bench()
        try bench.call(.failure)
        bench.now = .seconds(5)
        let probe = try bench.lease()
        #expect(try bench.refusal() == .seconds(10), "nobody else may")
        let isOpenAgain = bench.end(probe, .failure)
        #expect(isOpenAgain)
        #expect(bench.phase == .open(until: .seconds(10)))
        bench.now = .seconds(10)
        let isClosed = bench.end(try bench.lease(), .success)
        #expect(isClosed)
        #expect(bench.phase == .closed)
        try bench.call(.success, .success, .failure)
        #expect(bench.phase == .closed, "it has forgotten what was before")
    }

    @Test func `all probes have to succeed`() throws {
        var bench = Bench(probes: 3)
        try bench.call(.failure)
        bench.now = .seconds(5)
        let probes = try (0..<3).map { _ in try bench.lease() }
        _ = try bench.refusal()
        bench.end(probes[1], .success)
        bench.end(probes[0], .success)
        #expect(bench.phase == .halfOpen)
        _ = try bench.refusal()
        bench.end(probes[2], .success)
        #expect(bench.phase == .closed)
    }

    @Test func `a probe that was cancelled gives its place back`() throws {
        var bench = Bench()
        try bench.call(.failure)
        bench.now = .seconds(5)
        for _ in 0..<10 { try bench.call(.unknown) }
        #expect(bench.phase == .halfOpen)
        try bench.call(.success)
        #expect(bench.phase == .closed)
    }

    @Test func `a probe that does not end holds up nobody for ever`() throws {
        var bench = Bench()
        try bench.call(.failure)
        bench.now = .seconds(5)
        let stuck = try bench.lease()
        bench.now = .milliseconds(9_999)
        _ = try bench.refusal()
        bench.now = .seconds(10)
        try bench.call(.success)
        #expect(bench.phase == .closed)
        let hasChanged = bench.end(stuck, .failure)
        #expect(!hasChanged, "late")
        #expect(bench.phase == .closed)
    }

    @Test func `what began before it changed says nothing`() throws {
        var bench = Bench()
        let early = try bench.lease()
        try bench.call(.failure)
        bench.end(early, .failure)
        bench.end(early, .success)
        #expect(bench.phase == .open(until: .seconds(5)))
        bench.now = .seconds(5)
        let probe = try bench.lease()
        bench.end(early, .success)
        #expect(bench.phase == .halfOpen)
        bench.end(probe, .success)
        #expect(bench.phase == .closed)
    }

    @Test(arguments: [
        (chance: 0.0, until: Duration.seconds(10)), (0.5, .seconds(12)), (1, .seconds(14)), (7, .seconds(14)),
    ])
    func `is open longer by chance`(chance: Double, until: Duration) throws {
        var bench = Bench(openFor: 10, jitter: 0.4)
        bench.end(try bench.lease(), .failure, chance: chance)
        #expect(bench.phase == .open(until: until))
    }

    @Test func `opens and closes by hand`() throws {
        var bench = Bench()
        bench.machine.forceOpen()
        bench.now = .seconds(1_000_000)
        #expect(try bench.refusal() == nil)
        #expect(bench.phase == .open(until: nil))
        bench.machine.forceClosed()
        try bench.call(.success)
        #expect(bench.phase == .closed)
    }

    @Test func `what cannot be is clamped`() {
        let rules = CircuitMachine.Rules(
            failureRate: .nan, minimumCalls: -3, window: .seconds(-1), openFor: .seconds(Int64.max), jitter: .infinity,
            probes: 0)
        #expect(rules.failureRate == 1 && rules.minimumCalls == 1 && rules.probes == 1 && rules.jitter == 1)
        #expect(rules.window == .milliseconds(1) && rules.openFor == .seconds(86_400))
    }
}

extension LongTests {
    @Suite("The circuit breaker under any sequence of events", .timeLimit(.minutes(60)), .paced)
    struct CircuitMachineWalkTests {
        @Test func `never makes more probes than it may, never sticks, and says what it does`() async {
            let words: Set<String> = ["closed", "open", "half-open", "refused", "late", "stuck", "by hand"]
            await overSeeds(reaching: words) { random in
                let rules = CircuitMachine.Rules(
                    failureRate: Double(random.below(11)) / 10, minimumCalls: 1 + random.below(4),
                    window: .seconds(1 + random.below(10)), openFor: .seconds(1 + random.below(5)), jitter: 0.5,
                    probes: 1 + random.below(3))
                var machine = CircuitMachine(rules)
                var (now, leases, words) = (Duration.zero, [CircuitMachine.Lease](), Set<String>())
                for _ in 0..<300 {
                    now += .milliseconds(random.below(700))
                    let phase = machine.phase(at: now)
                    switch random.below(20) {
                    case 0..<9:
                        switch machine.admit(at: now) {
                        case .pass(let lease):
                            leases.append(lease)
                            if case .open = phase { throw Violation(description: "a call while it is open") }
                        case .refuse(let until):
                            words.insert("refused")
                            try hold(phase != .closed, "refused while it is closed")
                            try hold(until.map { $0 > now } ?? true, "refused until a moment that is over")
                            if let until, phase == .halfOpen {
                                words.insert("stuck")
                                var later = machine
                                guard case .pass = later.admit(at: until) else {
                                    throw Violation(description: "refused at the moment that it named")
                                }
                            }
                        }
                    case 9..<18 where !leases.isEmpty:
                        let lease = leases.remove(at: random.below(leases.count))
                        let outcome = CircuitMachine.Outcome.allCases[random.below(3)]
                        let hasChanged = machine.ended(lease, outcome, at: now, chance: 0.5)
                        let next = machine.phase(at: now)
                        try hold(hasChanged == (next != phase), "\(phase) became \(next)")
                        if outcome == .unknown { try hold(next == phase, "\(phase) became \(next)") }
                        if hasChanged {
                            let again = machine.ended(lease, .failure, at: now, chance: 0)
                            try hold(!again, "late")
                            words.insert("late")
                        }
                    case 18 where random.chance(20):
                        if random.chance(50) { machine.forceOpen() } else { machine.forceClosed() }
                        words.insert("by hand")
                    default: break
                    }
                    switch machine.phase(at: now) {
                    case .closed: words.insert("closed")
                    case .open: words.insert("open")
                    case .halfOpen: words.insert("half-open")
                    }
                }
                return words
            }
        }
    }
}
