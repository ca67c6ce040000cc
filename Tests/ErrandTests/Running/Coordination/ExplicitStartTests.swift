internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Batches and chains that were started explicitly (G1)", .timeLimit(.minutes(60)), .paced)
struct ExplicitStartTests {
    /// Starts while another task asks for the value and is cancelled; answers whether the explicit start was the first.
    private static func start(
        _ start: @escaping @Sendable () async throws -> Void, against value: @escaping @Sendable () async throws -> Void
    ) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await start()) != nil }
            group.addTask {
                await withTaskGroup { inner in
                    inner.addTask { try? await value() }
                    await Task.yield()
                    inner.cancelAll()
                }
                return false
            }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    @Test func `a batch goes on when a task that waited is cancelled meanwhile`() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { _ in
            let world = FixtureWorld()
            world.transport.route("*", .text("x"))
            let batch = world.client.batch(of: [FixtureText("1")])
            guard await Self.start({ try await batch.start() }, against: { _ = try await batch.value }) else { return }
            let value = try await batch.value
            try #require(value == ["x"])
        }
    }

    @Test func `a chain goes on when a task that waited is cancelled meanwhile`() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { _ in
            let world = FixtureWorld()
            world.transport.route("*", .text("x"))
            let chain = world.client.chain(FixtureText("1"))
            guard await Self.start({ try await chain.start() }, against: { _ = try await chain.value }) else { return }
            let value = try await chain.value
            try #require(value == "x")
        }
    }
}
