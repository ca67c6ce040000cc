import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: equal requests that come and leave (G1–G3, G6)", .timeLimit(.minutes(60)), .paced)
struct CoalescingScheduleTests {
    @Test("Who is not cancelled has the response, nobody is cancelled for another, and nothing is left")
    func comesAndLeaves() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.scenario($0) }
    }

    @Test("While an exchange is under way no equal request begins another, whoever leaves the one before it")
    func followsOn() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.successionScenario($0) }
    }

    @Test("Who asks once it has a response has a later one, though others have not got theirs yet")
    func asksAgain() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.repeatedScenario($0) }
    }

    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: simulation.random.bool()) {
            $0.options = $0.options.coalescing(true)
            if simulation.seed % 3 == 0 { $0.interceptors = [URLFilter(query: ["a": "b"])] }
        }
        world.stub.route(where: { _ in true }) { _, _ in
            .text("good").delayed(by: .milliseconds(simulation.random.int(in: 0..<4)), on: simulation.clock)
        }
        let requests = (0..<6).map { _ in world.client.request(SimCall(path: "same")) }
        await withTaskGroup(of: Void.self) { group in
            for (number, request) in requests.enumerated() {
                group.addTask {
                    await simulation.pause(yields: 40, milliseconds: 4)
                    // One runs in a task of its own, the other in that of who sends it.
                    if number % 2 == 0 { await request.start() }
                    _ = try? await request.value
                }
                group.addTask {
                    guard number < 4 else { return }
                    await simulation.pause(yields: 40, milliseconds: 4)
                    request.cancel()
                }
            }
        }
        for (number, request) in requests.enumerated() {
            let value = try? await request.value
            try #require(value == "good" || number < 4, "nobody is cancelled because a stranger left")
        }
        try await world.checkNothingIsLeft()
        try #require(world.client.environment.sharedExchangeCount == 0, "nothing is shared any more")
    }

    /// Nobody is cancelled: of equal requests one exchange is under way at a time.
    @Sendable
    private static func successionScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: simulation.random.bool()) { $0.options = $0.options.coalescing(true) }
        world.stub.route("*", .text("good").delayed(by: .milliseconds(1), on: simulation.clock))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    let turns = simulation.random.int(in: 0..<30)
                    try? await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 0..<4)))
                    for _ in 0..<turns { await simulation.yield() }
                    _ = try? await world.client.send(SimCall(path: "same"))
                }
            }
        }
        try #require(world.stub.peakCount == 1, "one exchange at a time: \(world.stub.peakCount)")
        try await world.checkNothingIsLeft()
        try #require(world.client.environment.sharedExchangeCount == 0, "nothing is shared any more")
    }

    /// Several have one response, and each asks again at once.
    @Sendable
    private static func repeatedScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: simulation.random.bool()) { $0.options = $0.options.coalescing(true) }
        world.stub.route(where: { _ in true }) { _, number in
            .text("\(number)").delayed(by: .milliseconds(1), on: simulation.clock)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let first = try await world.client.send(SimCall(path: "same"))
                    let second = try await world.client.send(SimCall(path: "same"))
                    try #require(Int(first) ?? 0 < Int(second) ?? 0, "\(second) is what it had")
                }
            }
            try await group.waitForAll()
        }
        try await world.checkNothingIsLeft()
        try #require(world.client.environment.sharedExchangeCount == 0, "nothing is shared any more")
    }
}
