import ErrandSimulation

/// Small scenarios that fail in some interleavings only.
enum PlantedBugs {
    typealias Body = @Sendable (Simulation.Context) async throws -> Void

    // MARK: - Check, then act

    /// An account that checks its balance before it waits, and takes from it after.
    private actor Account {
        private(set) var balance = 100

        func withdraw(_ amount: Int, _ simulation: Simulation.Context) async {
            guard self.balance >= amount else { return }
            await simulation.yield()
            self.balance -= amount
        }
    }

    /// Two withdrawals of which only one is covered.
    static let checkThenAct: Body = { simulation in
        let account = Account()
        await withTaskGroup { group in
            group.addTask(name: "rent") { await account.withdraw(70, simulation) }
            group.addTask(name: "food") { await account.withdraw(60, simulation) }
        }
        guard await account.balance >= 0 else { throw PlantedError() }
    }

    /// The same among tasks that only make noise.
    static let noisyCheckThenAct: Body = { simulation in
        let (account, recorder) = (Account(), NumberRecorder())
        await withTaskGroup { group in
            group.addTask { await account.withdraw(70, simulation) }
            for number in 0..<12 {
                group.addTask {
                    for _ in 0..<3 {
                        await recorder.append(number)
                        await simulation.yield()
                    }
                }
            }
            group.addTask { await account.withdraw(60, simulation) }
        }
        guard await account.balance >= 0 else { throw PlantedError() }
    }

    // MARK: - Lost wake-up

    /// Looks whether it is open, and then waits to be told: an opening in between tells nobody.
    private actor Gate {
        private var isOpen = false
        private var waiting: CheckedContinuation<Void, Never>?

        func pass(_ simulation: Simulation.Context) async {
            guard !self.isOpen else { return }
            await simulation.yield()
            await withCheckedContinuation { self.waiting = $0 }
        }

        func open() {
            self.isOpen = true
            self.waiting?.resume()
            self.waiting = nil
        }

        deinit { self.waiting?.resume() }
    }

    /// One passes a gate and another opens it.
    static let lostWakeUp: Body = { simulation in
        let gate = Gate()
        async let passing: Void = gate.pass(simulation)
        async let opening: Void = gate.open()
        _ = await (passing, opening)
    }

    // MARK: - Three orderings, and four

    private actor Stage {
        private(set) var phase = 0
        private(set) var isMarked = false

        func enter(_ phase: Int) { self.phase = phase }

        func mark(during phase: Int) { if self.phase == phase { self.isMarked = true } }

        func fails(during phases: ClosedRange<Int>) -> Bool { phases.contains(self.phase) && self.isMarked }
    }

    /// Fails if one task comes in the first phase of another, and a third after that phase.
    static let threeOrderings = stages(failing: 2...3)

    /// Fails if one task comes in the first phase of another, and a third in the second after it.
    static let fourOrderings = stages(failing: 2...2)

    private static func stages(failing phases: ClosedRange<Int>) -> Body {
        { simulation in try await Self.runStages(simulation, failing: phases) }
    }

    private static func runStages(_ simulation: Simulation.Context, failing phases: ClosedRange<Int>) async throws {
        let stage = Stage()
        try await withThrowingTaskGroup { group in
            group.addTask { for phase in 1...3 { await stage.enter(phase) } }
            group.addTask {
                await simulation.yield()
                await stage.mark(during: 1)
            }
            group.addTask {
                await simulation.yield()
                if await stage.fails(during: phases) { throw PlantedError() }
            }
            try await group.waitForAll()
        }
    }
}
