import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Thousands of schedules: draining (G1–G3, G6)", .timeLimit(.minutes(60)), .paced)
struct DrainScheduleTests {
    @Test("Each call succeeds or is refused, none that had begun is stopped, and nothing is left")
    func drained() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.drainScenario($0) }
    }

    @Test("When the time is over all ends, and what is returned is what had not")
    func late() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.lateScenario($0) }
    }

    /// Requests and a batch begin around the moment at which the client starts to drain.
    @Sendable
    private static func drainScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 2, perHost: 2))
        world.stub.route(where: { _ in true }) { _, _ in
            StubReply.text("x").delayed(by: .seconds(1), on: simulation.clock)
        }
        let before = world.client.request(SimCall(path: "before"))
        await before.start()
        let outcome = await withTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    for _ in 0..<simulation.random.int(in: 0..<20) { await simulation.yield() }
                    await Self.check { try await world.client.send(SimCall(path: "\(number)")) }
                }
            }
            group.addTask {
                await Self.check { try await world.client.batch(of: (0..<3).map { SimCall(path: "b\($0)") }).value }
            }
            for _ in 0..<simulation.random.int(in: 0..<20) { await simulation.yield() }
            return await world.client.shutdown(drainingFor: .seconds(60)).count
        }
        try #require(outcome == 0, "all ends in time")
        try #require(try await before.value == "x", "what had begun ends by itself")
        try await world.checkNothingIsLeft()
    }

    /// Wants a success, or the refusal of what came too late.
    private static func check(_ call: () async throws -> some Sendable) async {
        do {
            _ = try await call()
        } catch {
            #expect((error as? ErrandError)?.code == .clientShutDown)
        }
    }

    @Sendable
    private static func lateScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation)
        world.stub.route(where: { _ in true }) { request, _ in
            StubReply.text("x").delayed(
                by: request.url.path == "/slow" ? .seconds(100) : .seconds(1), on: simulation.clock)
        }
        let (quick, slow) = (world.client.request(SimCall(path: "quick")), world.client.request(SimCall(path: "slow")))
        await quick.start()
        await slow.start()
        let left = await world.client.shutdown(drainingFor: .seconds(10))
        try #require(left.map(\.id) == [slow.id])
        try #require(try await quick.value == "x")
        let error = await #expect(throws: ErrandError.self) { try await slow.value }
        try #require(error?.code == .clientShutDown)
        try await world.checkNothingIsLeft()
    }
}
