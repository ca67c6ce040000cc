import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite(
    "Schedules: newcomers to a shared request, and those who leave it (G1, G3, G6)", .timeLimit(.minutes(60)), .paced)
struct AbandonScheduleTests {
    @Test("Who is not cancelled gets the value, whoever leaves when")
    func newcomers() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.newcomersScenario)
    }

    @Test("Who starts it for good gets it to its end, whoever leaves when")
    func starters() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.startersScenario)
    }

    private static func world(_ simulation: Simulation.Context) -> SimWorld {
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 1, perHost: 1), hooks: simulation.seed % 2 == 0)
        world.stub.route(where: { _ in true }) { _, _ in
            let delay = simulation.random.int(in: 0..<3)
            let reply = StubReply.text("good")
            return delay == 0 ? reply : reply.delayed(by: .milliseconds(delay), on: simulation.clock)
        }
        return world
    }

    @Sendable
    static func newcomersScenario(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation)
        let request = world.client.request(SimCall(path: "shared"))
        let outcomes = await withTaskGroup(of: SimOutcome.self) { group in
            for number in 0..<5 {
                let isCancelled = number < 3
                let waiter = group.addWaiter(request, number, isCancelled: isCancelled, simulation)
                guard isCancelled else { continue }
                group.addTask {
                    await simulation.pause(yields: 30)
                    waiter.cancel()
                    return .other
                }
            }
            return await group.reduce(into: [SimOutcome]()) { $0.append($1) }
        }
        try #require(!outcomes.contains(.wrong), "nobody is cancelled because a stranger left")
        try #require(outcomes.count { $0 == .good } >= 2)
        try #require(world.stub.peakCount == 1)
        try #require(world.stub.receivedCount <= 4, "one run more for each time that it was left")
        try await world.checkNothingIsLeft()
    }

    @Sendable
    static func startersScenario(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation)
        let request = world.client.request(SimCall(path: "shared"))
        let outcomes = await withTaskGroup(of: SimOutcome.self) { group in
            let waiter = group.addWaiter(request, 0, isCancelled: true, simulation)
            group.addTask {
                await simulation.pause(yields: 30)
                waiter.cancel()
                return .other
            }
            group.addTask {
                await simulation.pause(yields: 30)
                await request.start()
                for await _ in await request.states {}
                return await request.state == .finished ? .good : .wrong
            }
            return await group.reduce(into: [SimOutcome]()) { $0.append($1) }
        }
        try #require(!outcomes.contains(.wrong), "what was started for good goes on")
        try await world.checkNothingIsLeft()
    }
}

extension TaskGroup<SimOutcome> {
    /// Adds a task that comes after a while and waits; it can be cancelled alone.
    fileprivate mutating func addWaiter(
        _ request: Request<SimCall>, _ number: Int, isCancelled: Bool, _ simulation: Simulation.Context
    ) -> Task<SimOutcome, Never> {
        let waiter = Task(executorPreference: simulation.executor) {
            for _ in 0..<simulation.random.int(in: 0..<30) { await simulation.yield() }
            return await SimOutcome(number, isCancelled: isCancelled, of: request)
        }
        self.addTask { await waiter.value }
        return waiter
    }
}
