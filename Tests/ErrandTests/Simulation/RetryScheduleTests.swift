import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: requests that are sent again (G1–G3, G6, G16, G18)", .timeLimit(.minutes(60)), .paced)
struct RetryScheduleTests {
    @Test("Each ends, whoever cancels or suspends it when, and nothing is left")
    func stopped() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.stoppedScenario($0) }
    }

    @Test("All requests to a server that fails send no more than their budget")
    func outage() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.outageScenario($0) }
    }

    @Sendable
    private static func stoppedScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 1, perHost: 1), hooks: simulation.random.bool()
        ) {
            $0.options = $0.options.retries(RetryPolicy(limit: 3, backoff: Backoff(base: .seconds(1), jitter: .full)))
            $0.environment.random = SeededNumbers(simulation.seed)
            if simulation.seed % 3 == 0 { $0.options = $0.options.timeouts(Timeouts(total: .seconds(2))) }
            if simulation.seed % 5 == 0 { $0.interceptors = [URLFilter(query: ["a": "b"])] }
        }
        world.stub.route(where: { _ in true }) { _, number in
            let reply: StubReply = number % 3 == 2 ? .text("good") : .status(503)
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        let requests = (0..<4).map { world.client.request(SimCall(path: "\($0)")) }
        await withTaskGroup(of: Void.self) { group in
            for (number, request) in requests.enumerated() {
                group.addTask {
                    await simulation.pause(yields: 30, milliseconds: 3_000)
                    // One runs in a task of its own, the other in that of who sends it.
                    if number % 2 == 0 { await request.start() }
                    _ = try? await request.value
                }
            }
            group.addTask {
                await simulation.pause(yields: 30, milliseconds: 3_000)
                requests[0].cancel()
                await simulation.pause(yields: 30, milliseconds: 3_000)
                requests[1].suspend()
                requests[2].cancel()
                await simulation.pause(yields: 30, milliseconds: 3_000)
                requests[1].resume()
            }
        }
        for request in requests {
            let state = await request.state
            try #require(state == .finished || state == .failed, "each ends")
        }
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func outageScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: false) {
            $0.options = $0.options.retries(RetryPolicy(limit: 5, backoff: Backoff(base: .milliseconds(100))))
            $0.limits.retryBudget = RetryBudget(ratio: 0.2, perSecond: 1, window: .seconds(10))
            $0.environment.random = SeededNumbers(simulation.seed)
            $0.options = $0.options.withoutTimeout()
        }
        world.stub.route(where: { _ in true }) { _, _ in .status(503) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    try? await simulation.clock.sleep(for: .milliseconds(10 * number))
                    _ = try? await world.client.send(SimCall(path: "\(number)"))
                }
            }
        }
        try #require(world.stub.receivedCount <= 30 + 30 / 5 + 10, "\(world.stub.receivedCount) requests were sent")
        try #require(world.stub.receivedCount >= 30 + 10, "what may be sent again is")
        try await world.checkNothingIsLeft()
    }
}
