import Errand
import ErrandTesting
import TestEffort
import Testing

/// Small scenarios of which one schedule of each class is run: no schedule fails.
@Suite("Kernels that are proved (G1–G7)", .timeLimit(.minutes(60)), .paced)
struct VerifiedKernelTests {
    /// A scenario with the number of its classes.
    struct Kernel: Sendable, CustomTestStringConvertible {
        let name: String
        let classes: Int
        let scenario: @Sendable (Simulation.Context) async throws -> Void

        var testDescription: String { self.name }
    }

    static let kernels = [
        Kernel(name: "a request that is cancelled while it runs", classes: 21, scenario: Self.cancelled),
        Kernel(name: "two waiters, of whom one leaves", classes: 328, scenario: Self.left),
        Kernel(name: "two equal requests share an exchange, and one leaves", classes: 368, scenario: Self.coalesced),
        Kernel(name: "three equal requests share an exchange", classes: 1032, scenario: Self.coalescedThree),
        Kernel(name: "three requests meet a 401, and one leaves", classes: 368, scenario: Self.refreshed),
        Kernel(name: "a batch of three with a failure and a cancellation", classes: 3072, scenario: Self.batch),
        Kernel(name: "a chain that is cancelled from its own closure", classes: 12, scenario: Self.chain),
        Kernel(name: "a cached response is shown, refreshed, and removed", classes: 52, scenario: Self.cached),
        Kernel(name: "the probe of a circuit breaker is cancelled", classes: 26, scenario: Self.probe),
        Kernel(name: "a hedged request gets both responses", classes: 30, scenario: Self.hedged),
    ]

    @Test(arguments: Self.kernels)
    func `no schedule fails`(_ kernel: Kernel) async throws {
        let verification = try await Simulation.verify(schedules: 10_000, sharing: .seen, kernel.scenario)
        // Elsewhere each schedule is a class.
        if verification.isSharingUnavailable { return }
        #expect(verification.isComplete, "\(verification)")
        #expect(verification.classes == kernel.classes, "\(verification)")
    }

    // MARK: - Scenarios

    private static func world(
        _ simulation: Simulation.Context, _ configure: (inout Client.Configuration) -> Void = { _ in },
        reply: @escaping @Sendable (HTTPRequest, Int) -> StubReply = { _, _ in .text("good") }
    ) -> SimWorld {
        let world = SimWorld(simulation, hooks: false, configure)
        world.stub.route(where: { _ in true }, answer: reply)
        return world
    }

    private static func outcome(of request: Request<SimCall>) async -> String {
        do { return try await request.value } catch { return "\(error.code)" }
    }

    private static func cancel(_ request: Request<SimCall>, _ simulation: Simulation.Context) async {
        await simulation.yield()
        request.cancel()
    }

    @Sendable
    private static func cancelled(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation)
        let request = world.client.request(SimCall(path: "a"))
        async let outcome = Self.outcome(of: request)
        async let cancellation: Void = Self.cancel(request, simulation)
        try #require(["good", "cancelled"].contains(await outcome))
        await cancellation
        let state = await request.state
        try #require(state == .finished || state == .failed)
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func left(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation)
        let request = world.client.request(SimCall(path: "a"))
        let waiters = (0..<2).map { _ in
            Task(executorPreference: simulation.executor) { await Self.outcome(of: request) }
        }
        waiters[0].cancel()
        try #require(["good", "cancelled"].contains(await waiters[0].value))
        try #require(await waiters[1].value == "good")
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func chain(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation)
        let chain = world.client.chain(SimCall(path: "1")).then { _ in
            await world.client.cancelAll()
            return SimCall(path: "2")
        }
        do {
            _ = try await chain.value
            try #require(Bool(false), "it was stopped")
        } catch let error as ErrandError {
            try #require(error.code == .cancelled)
        }
        try #require(world.stub.receivedCount == 1)
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func cached(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation) {
            $0.options = $0.options.caching(.fresh(for: .seconds(1000)))
        }
        let call = SimCall(path: "a")
        _ = try await world.client.send(call)
        let request = world.client.request(call, options: .cacheUse(.thenRefresh))
        async let removal: Void = world.client.cache.remove(call)
        let value = try await request.value
        try await removal
        try #require(value == "good")
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func probe(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation) {
            $0.options = $0.options.circuitBreaker(
                CircuitBreaker(minimumRequests: 1, window: .seconds(100), openFor: .seconds(1), jitter: 0))
        } reply: { _, number in
            number == 1 ? .status(503) : .text("good")
        }
        _ = try? await world.client.send(SimCall(path: "1"))
        try await simulation.clock.sleep(for: .seconds(2))
        let request = world.client.request(SimCall(path: "probe"))
        async let outcome = Self.outcome(of: request)
        async let cancellation: Void = Self.cancel(request, simulation)
        _ = await (outcome, cancellation)
        try #require(try await world.client.send(SimCall(path: "last")) == "good")
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func hedged(_ simulation: Simulation.Context) async throws {
        let world = Self.world(simulation) {
            $0.options = $0.options.hedging(.after(.milliseconds(10)))
            $0.limits.retryBudget = RetryBudget(ratio: 0.2, perSecond: 1, window: .seconds(3))
        } reply: { _, number in
            .text("good").delayed(by: .milliseconds(number == 1 ? 20 : 10), on: simulation.clock)
        }
        try #require(try await world.client.send(SimCall(path: "a")) == "good")
        try await world.checkNothingIsLeft()
    }
}
