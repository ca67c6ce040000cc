import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Thousands of schedules: what was stopped did not fail (G4, G7)", .timeLimit(.minutes(60)), .paced)
struct StopScheduleTests {
    @Test("A batch that is cancelled while its children fail is cancelled")
    func cancelledBatch() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.batchScenario($0) }
    }

    @Test("A streamed batch that is cancelled while its children fail is cancelled")
    func cancelledStream() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.streamScenario($0) }
    }

    @Test("A batch in which all is cancelled names no child that failed")
    func cancelAll() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.cancelAllScenario($0) }
    }

    // MARK: - Scenarios

    /// A world whose replies are failures that wait for a gate.
    private static func world(_ simulation: Simulation.Context, _ gate: StubGate) -> SimWorld {
        let world = SimWorld(simulation, hooks: simulation.seed % 2 == 0)
        world.stub.route(where: { _ in true }) { _, _ in StubReply.status(500).held(by: gate) }
        return world
    }

    private static let calls = (0..<4).map { SimCall(path: "\($0)") }

    /// The gate is opened when the batch has been cancelled: no child had ended.
    @Sendable
    private static func batchScenario(_ simulation: Simulation.Context) async throws {
        let gate = StubGate()
        let world = Self.world(simulation, gate)
        let batch = world.client.batch(of: Self.calls, failure: .failFast)
        try await batch.start()
        await gate.waitUntilReached(Self.calls.count)
        batch.cancel()
        gate.open()
        try await Self.checkIsCancelled(batch)
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func cancelAllScenario(_ simulation: Simulation.Context) async throws {
        let gate = StubGate()
        let world = Self.world(simulation, gate)
        let batch = world.client.batch(of: Self.calls, failure: .failFast)
        try await batch.start()
        for _ in 0..<simulation.random.int(in: 0..<60) { await simulation.yield() }
        await world.client.cancelAll()
        try await Self.checkIsCancelled(batch)
        try await world.checkNothingIsLeft()
    }

    private static func checkIsCancelled(
        _ batch: BatchRequest<[String], [Result<String, ErrandError>]>
    ) async throws {
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        try #require(error?.code == .cancelled)
        try #require(error?.context.index == nil)
        try #require(await batch.failedRequest == nil)
    }

    /// What the hooks are told of the end is what the batch ended as: its loop ends without an error.
    @Sendable
    private static func streamScenario(_ simulation: Simulation.Context) async throws {
        let gate = StubGate()
        let world = SimWorld(simulation)
        world.stub.route(where: { _ in true }) { _, _ in StubReply.status(500).held(by: gate) }
        let client = world.client
        async let outcomes = Self.read(client)
        await gate.waitUntilReached(Self.calls.count)
        await client.cancelAll()
        gate.open()
        for outcome in await outcomes { try #require(outcome.response.failureCode != nil) }
        try await world.checkNothingIsLeft()
        let id = try #require(world.recorder.ids(of: .batch).first)
        try #require(world.recorder.end(of: id)?.error?.code == .cancelled)
        try #require(world.recorder.end(of: id)?.error?.context.index == nil)
    }

    private static func read(_ client: Client) async -> [BatchOutcomes<SimCall>.Outcome] {
        var outcomes: [BatchOutcomes<SimCall>.Outcome] = []
        for await outcome in client.outcomes(of: Self.calls, width: Self.calls.count, failure: .failFast) {
            outcomes.append(outcome)
        }
        return outcomes
    }
}
