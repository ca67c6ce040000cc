import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: a stop that comes while something starts (G2, G6)", .timeLimit(.minutes(60)), .paced)
struct StartScheduleTests {
    @Test("What is cancelled while it starts runs its first hooks as cancelled")
    func hooks() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.hookScenario)
    }

    // MARK: - Scenarios

    /// No reply ever comes: what is not told to stop never ends.
    private static func world(
        _ simulation: Simulation.Context, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> SimWorld {
        let world = SimWorld(simulation, hooks: simulation.seed % 2 == 0, configure)
        world.stub.route(where: { _ in true }) { _, _ in StubReply.text("x").held(by: StubGate()) }
        return world
    }

    /// The hook waits until its task is cancelled.
    ///
    /// Someone reads the counts of the record, so that what enters that has to wait for an actor.
    @Sendable
    private static func hookScenario(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation) {
            let hold = FixtureGate()
            $0.accessories.append(FixtureHooks(willStart: { _ in await hold.pass() }))
        }
        let counts = await world.client.record.counts
        let request = world.client.request(SimCall(path: "a"))
        let chain = world.client.chain(SimCall(path: "b"))
        let codes = await withTaskGroup(of: ErrandError.Code?.self) { group in
            group.addTask {
                await request.start()
                return await #expect(throws: ErrandError.self) { try await request.value }?.code
            }
            group.addTask {
                try? await chain.start()
                return await #expect(throws: ErrandError.self) { try await chain.value }?.code
            }
            group.addTask {
                await simulation.pause(yields: 60)
                request.cancel()
                chain.cancel()
                return .cancelled
            }
            return await group.reduce(into: [ErrandError.Code?]()) { $0.append($1) }
        }
        try #require(codes == [.cancelled, .cancelled, .cancelled])
        withExtendedLifetime(counts) {}
        try await world.checkNothingIsLeft()
    }
}
