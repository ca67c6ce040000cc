internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Metrics of policies", .timeLimit(.minutes(60)), .paced)
struct PolicyMetricsTests {
    @Test func `retries, those that were refused, and circuits are counted, each once`() async throws {
        let network = TestPathMonitor(NetworkPath(interfaces: [.wifi]))
        let world = try MetricsWorld { _ in
        } _: {
            // Told everything twice.
            $0.accessories.append($0.accessories[0])
            $0.options = $0.options.retries(RetryPolicy(limit: 2, backoff: Backoff(base: .zero)))
            $0.limits.retryBudget = RetryBudget(ratio: 1, perSecond: 0)
            $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 2))
            $0.environment.pathMonitor = network
            $0.options = $0.options.withoutTimeout()
        }
        world.transport.route("*", .status(503))
        for _ in 0..<2 { _ = try? await world.client.send(TextCall()) }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.counter(.retries, where: [.endpoint: "TextCall"]) == 2)
        #expect(snapshot.counter(.refusedRetries, where: [.endpoint: "TextCall"]) == 2)
        #expect(snapshot.counter(.openedCircuits) == 1)
        #expect(snapshot.counter(.attempts) == 4)
        await world.expectAtRest()
    }
}
