import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: requests at a rate that are cancelled or suspended (G3, G6)", .timeLimit(.minutes(60)), .paced)
struct RateScheduleTests {
    @Test("What is cancelled before it is sent uses up nothing of the rate")
    func cancelled() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.scenario($0) }
    }

    @Test("What is cancelled when it has just been given its slot uses up nothing of the rate")
    func cancelledWhenAdmitted() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.admittedScenario($0) }
    }

    /// Two of five are sent at once, whichever of three is cancelled when.
    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let total = simulation.random.bool() ? 1 : 64
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: total, perHost: total), hooks: simulation.random.bool()
        ) {
            $0.limits.rates = RateLimits(total: RateLimit(1, per: .seconds(3_600), burst: 2))
            $0.options = $0.options.withoutTimeout()
            if simulation.seed % 3 == 0 { $0.interceptors = [URLFilter(query: ["a": "b"])] }
        }
        let moments = SentMoments()
        world.stub.route(where: { _ in true }) { _, _ in
            moments.note(simulation.clock.now.offset)
            return .text("good").delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        let requests = (0..<5).map { world.client.request(SimCall(path: "\($0)")) }
        await withTaskGroup(of: Void.self) { group in
            for (number, request) in requests.enumerated() {
                group.addTask {
                    await simulation.pause(yields: 20, milliseconds: 3)
                    if number % 2 == 0 { await request.start() }
                    _ = try? await request.value
                }
                group.addTask {
                    guard number < 3 else { return }
                    await simulation.pause(yields: 40, milliseconds: 3)
                    request.cancel()
                }
            }
        }
        let early = moments.all.filter { $0 < .seconds(60) }
        try #require(early.count == 2, "as many as the rate allows at once: \(moments.all)")
        try await world.checkNothingIsLeft()
    }

    /// One that has given its slot to the next cancels that while its own value is made; then two of three are sent at once.
    @Sendable
    private static func admittedScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 1, perHost: 1), hooks: simulation.random.bool()
        ) {
            $0.limits.rates = RateLimits(total: RateLimit(1, per: .seconds(3_600), burst: 2))
            $0.options = $0.options.withoutTimeout()
            if simulation.seed % 3 == 0 { $0.interceptors = [URLFilter(query: ["a": "b"])] }
        }
        let moments = SentMoments()
        world.stub.route(where: { _ in true }) { _, _ in
            moments.note(simulation.clock.now.offset)
            return .text("good").delayed(by: .milliseconds(5), on: simulation.clock)
        }
        let next = world.client.request(SimCall(path: "next"))
        let first = world.client.request(
            FixtureCustom<String>(path: "first") { _ in
                next.cancel()
                return "good"
            })
        let others = (0..<2).map { world.client.request(SimCall(path: "\($0)")) }
        await first.start()
        await next.start()
        for request in others { await request.start() }
        for request in others { try #require(try await request.value == "good") }
        try #require(try await first.value == "good")
        _ = await next.fixtureResult
        let early = moments.all.filter { $0 < .seconds(60) }
        try #require(early.count == 2, "as many as the rate allows at once: \(moments.all)")
        try await world.checkNothingIsLeft()
    }
}
