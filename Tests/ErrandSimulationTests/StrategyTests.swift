import ErrandSimulation
import TestEffort
import Testing

/// Whether each strategy finds what is wrong within a number of schedules, and does what it says.
@Suite("Strategies", .timeLimit(.minutes(60)), .paced)
struct StrategyTests {
    private static let strategies: [Simulation.Strategy] = [
        .random, .mixed, .sticky(percent: 75), .pct(depth: 3), .pos, .urw, .pausing(tasks: 2), .bounded(switches: 4),
    ]

    private func expectFound(
        within count: Int, by strategy: Simulation.Strategy, seeds: Range<UInt64>, _ body: @escaping PlantedBugs.Body
    ) async throws -> [SimulationFailure] {
        var failures: [SimulationFailure] = []
        for seed in seeds {
            let failure = try await expectFailure("\(strategy), seed \(seed)") {
                try await Simulation.explore(schedules: count, by: strategy, seed: seed << 32, body)
            }
            if let failure { failures.append(failure) }
        }
        return failures
    }

    @Test("A check and an action with a wait in between is found within 200 schedules", arguments: strategies)
    func checkThenAct(strategy: Simulation.Strategy) async throws {
        let failures = try await self.expectFound(
            within: 200, by: strategy, seeds: 0..<15, PlantedBugs.checkThenAct)
        #expect(failures.allSatisfy { $0.underlying is PlantedError && $0.isRepeatable })
    }

    @Test("A lost wake-up is found within 200 schedules", arguments: strategies)
    func lostWakeUp(strategy: Simulation.Strategy) async throws {
        let failures = try await self.expectFound(within: 200, by: strategy, seeds: 0..<15, PlantedBugs.lostWakeUp)
        #expect(failures.allSatisfy { ($0.underlying as? SimulationError)?.code == .stuck && $0.isRepeatable })
    }

    @Test("A bug that needs three orderings is found within 2 000 schedules", arguments: strategies)
    func threeOrderings(strategy: Simulation.Strategy) async throws {
        let failures = try await self.expectFound(
            within: 2_000, by: strategy, seeds: 0..<15, PlantedBugs.threeOrderings)
        #expect(failures.allSatisfy { $0.underlying is PlantedError && $0.isRepeatable })
    }

    @Test(
        "A bug that needs four orderings is found within 2 000 schedules",
        .enabled(if: TestEffort.isFull, "thousands of schedules for each strategy"),
        arguments: [
            .random, .mixed, .sticky(percent: 75), .pct(depth: 4), .pos, .urw,
            .bounded(switches: 4),
        ] as [Simulation.Strategy])
    func fourOrderings(strategy: Simulation.Strategy) async throws {
        let failures = try await self.expectFound(
            within: 2_000, by: strategy, seeds: 0..<15, PlantedBugs.fourOrderings)
        #expect(failures.allSatisfy { $0.underlying is PlantedError && $0.isRepeatable })
    }

    @Test("The random strategy runs the seeds from its own on")
    func randomIsSeeds() async throws {
        let report = await Simulation.report(seed: 7, PlantedBugs.checkThenAct)
        let failure = try await expectFailure {
            try await Simulation.explore(seeds: 0..<1_000, PlantedBugs.checkThenAct)
        }
        let again = try await expectFailure {
            try await Simulation.explore(schedules: 1_000, by: .random, PlantedBugs.checkThenAct)
        }
        #expect(report.escapedJobs == 0)
        #expect(failure?.seed == again?.seed)
        #expect(again?.scheduleNumber == failure.map { Int($0.seed) + 1 })
        #expect(failure?.originalCount == again?.originalCount)
    }

    @Test("What a strategy is given outside its bounds is taken as the nearest inside")
    func clamped() {
        #expect(Simulation.Strategy.sticky(percent: 200) == .sticky(percent: 100))
        #expect(Simulation.Strategy.sticky(percent: -1) == .sticky(percent: 0))
        #expect(Simulation.Strategy.pct(depth: 0) == .pct(depth: 1))
        #expect(Simulation.Strategy.bounded(switches: -3) == .bounded(switches: 0))
        #expect(Simulation.Strategy.pausing(tasks: -1) == .pausing(tasks: 0))
    }

    @Test("A sticky choice of 100 percent is the default order")
    func alwaysSticky() async throws {
        let result = try await Simulation.explore(
            schedules: 50, by: .sticky(percent: 100), PlantedBugs.threeOrderings)
        #expect(result.schedules == 50)
        #expect(result.distinctSchedules == 1)
    }

    @Test("A task that waits for another in a loop does not keep it from running", arguments: strategies)
    func spinning(strategy: Simulation.Strategy) async throws {
        try await Simulation.explore(schedules: 50, by: strategy, limits: .init(maxSteps: 10_000)) { simulation in
            let recorder = NumberRecorder()
            async let waiting: Void = {
                while await recorder.numbers.isEmpty { await simulation.yield() }
            }()
            async let working: Void = recorder.append(1)
            _ = await (waiting, working)
        }
    }

    // MARK: - Bounded search

    /// The body starts two tasks of one step and waits for the first, then for the second.
    ///
    /// By hand, with the ready jobs after each step: the body, {a, b}; then a, {b, the body}, and then b, the body, or
    /// the body, b, the body; or b, {a}, a, the body. The default order is a, b, the body; the other two depart once.
    private static let twoTasks: PlantedBugs.Body = { _ in
        async let first: Void = {}()
        async let second: Void = {}()
        await first
        await second
    }

    @Test(
        "A bounded search runs every schedule once and says whether that was all", arguments: [(0, 1), (1, 3), (2, 3)])
    func twoTasks(switches: Int, count: Int) async throws {
        let result = try await Simulation.explore(by: .bounded(switches: switches), Self.twoTasks)
        #expect(result.schedules == count)
        #expect(result.distinctSchedules == count)
        #expect(result.isComplete)
    }

    /// Three tasks of one step, which the body awaits together: 3! orders, of which those with a departure at the first
    /// of the two choices or at the second alone are 2 + 1, and those with both 2 · 1.
    private static let threeTasks: PlantedBugs.Body = { _ in
        await withDiscardingTaskGroup { group in
            for _ in 0..<3 { group.addTask {} }
        }
    }

    @Test("A bounded search goes by the number of switches", arguments: [(0, 1), (1, 4), (2, 6), (9, 6)])
    func threeTasks(switches: Int, count: Int) async throws {
        let result = try await Simulation.explore(by: .bounded(switches: switches), Self.threeTasks)
        #expect(result.schedules == count)
        #expect(result.distinctSchedules == count)
        #expect(result.isComplete)
    }

    @Test("A bounded search that is cut short says so")
    func cutShort() async throws {
        let result = try await Simulation.explore(schedules: 3, by: .bounded(switches: 2), Self.threeTasks)
        #expect(result.schedules == 3)
        #expect(!result.isComplete)
    }

    @Test("A bounded search finds the fewest switches first")
    func fewest() async throws {
        let failure = try #require(
            try await expectFailure {
                try await Simulation.explore(by: .bounded(switches: 3), PlantedBugs.checkThenAct)
            })
        #expect(failure.originalCount == failure.schedule.count)
        let fewer = try await Simulation.explore(
            by: .bounded(switches: failure.schedule.count - 1), PlantedBugs.checkThenAct)
        #expect(fewer.isComplete)
    }

    @Test("Different schedules are counted, and most random ones are different")
    func distinct() async throws {
        let result = try await Simulation.explore(schedules: 200) { simulation in
            try await simulation.clock.sleep(for: .seconds(1))
            await withTaskGroup { group in
                for _ in 0..<10 { group.addTask { await simulation.yield() } }
            }
        }
        #expect(result.schedules == 200)
        #expect(result.distinctSchedules > 190)
        #expect(result.largestSteps > 30)
        #expect(!result.isComplete)
    }
}
