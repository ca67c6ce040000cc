import ErrandSimulation
import SimulationCatalogue
import TestEffort
import Testing

/// The strategies that estimate a run from earlier ones, and partial order sampling.
@Suite("Estimating strategies", .timeLimit(.minutes(60)), .paced)
struct EstimatingStrategyTests {
    /// One task of many steps next to one of few.
    private static func uneven(_ recorder: NumberRecorder) -> PlantedBugs.Body {
        { simulation in
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for _ in 0..<30 { await simulation.yield() }
                    await recorder.append(1)
                }
                group.addTask {
                    await simulation.yield()
                    await recorder.append(2)
                }
            }
        }
    }

    @Test(
        "A short task sometimes ends after a long one, which random choice does not reach",
        arguments: [.urw, .pausing(tasks: 1), .pct(depth: 1)] as [Simulation.Strategy])
    func shortTaskEndsLast(strategy: Simulation.Strategy) async throws {
        let (random, estimating) = (NumberRecorder(), NumberRecorder())
        try await Simulation.explore(schedules: 400, by: .random, Self.uneven(random))
        try await Simulation.explore(schedules: 400, by: strategy, Self.uneven(estimating))
        let ends = { (numbers: [Int]) in
            stride(from: 1, to: numbers.count, by: 2).count { numbers[$0] == 2 }
        }
        let (byRandom, byEstimate) = (ends(await random.numbers), ends(await estimating.numbers))
        #expect(byRandom == 0)
        #expect(byEstimate >= 2, "\(byEstimate) of 400")
    }

    @Test(
        "Late subscriber and stale cache refill are found within 20 schedules at the median",
        arguments: ["late-subscriber", "stale-cache-refill"])
    func median(name: String) async throws {
        let bug = try #require(PlantedBug.all.first { $0.name == name })
        var numbers: [Int] = []
        for series in 0..<15 {
            let failure = try await bug.search(by: .pausing(tasks: 1), schedules: 2_000, series: series)
            numbers.append(try #require(failure, "missed in series \(series)").scheduleNumber ?? .max)
        }
        #expect(numbers.sorted()[7] < 20, "\(numbers.sorted())")
    }

    @Test(
        "Two tasks that wait for a third in a loop let it go on",
        arguments: [.pos, .urw, .pausing(tasks: 1), .pausing(tasks: 3), .mixed] as [Simulation.Strategy])
    func spinning(strategy: Simulation.Strategy) async throws {
        try await Simulation.explore(schedules: 100, by: strategy, limits: .init(maxSteps: 20_000)) { simulation in
            let recorder = NumberRecorder()
            await withDiscardingTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { while await recorder.numbers.isEmpty { await simulation.yield() } }
                }
                group.addTask {
                    for _ in 0..<3 { await simulation.yield() }
                    await recorder.append(1)
                }
            }
        }
    }

    @Test(
        "The same exploration takes the same schedules again",
        arguments: [.pos, .urw, .pausing(tasks: 2), .mixed] as [Simulation.Strategy])
    func repeatable(strategy: Simulation.Strategy) async throws {
        let (first, second) = (NumberRecorder(), NumberRecorder())
        try await Simulation.explore(schedules: 100, by: strategy, seed: 3, Self.uneven(first))
        try await Simulation.explore(schedules: 100, by: strategy, seed: 3, Self.uneven(second))
        let (one, other) = (await first.numbers, await second.numbers)
        #expect(one == other)
    }

    @Test(
        "Tasks that are not in every run do not confuse the estimates",
        arguments: [.urw, .pausing(tasks: 2)] as [Simulation.Strategy])
    func changingTasks(strategy: Simulation.Strategy) async throws {
        let exploration = try await Simulation.explore(schedules: 200, by: strategy) { simulation in
            await withDiscardingTaskGroup { group in
                for _ in 0..<simulation.random.int(in: 0..<6) {
                    group.addTask {
                        await withDiscardingTaskGroup { inner in
                            for _ in 0..<simulation.random.int(in: 0..<3) {
                                inner.addTask { await simulation.yield() }
                            }
                        }
                    }
                }
            }
        }
        #expect(exploration.schedules == 200)
    }

    @Test("A strategy is described as it is written")
    func descriptions() {
        #expect("\(Simulation.Strategy.pos)" == "pos")
        #expect("\(Simulation.Strategy.urw)" == "urw")
        #expect("\(Simulation.Strategy.pausing(tasks: 2))" == "pausing(tasks: 2)")
    }
}
