internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import TestEffort
internal import Testing

@Suite("Timelines of policies", .timeLimit(.minutes(60)), .paced)
struct PolicyTimelineTests {
    @Test func `a retry is a note and another attempt`() async throws {
        let world = TimelineWorld {
            $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: Backoff(base: .zero)))
            $0.limits.retryBudget = .unlimited
            $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 1))
            $0.environment.pathMonitor = TestPathMonitor(NetworkPath(interfaces: [.wifi]))
        }
        world.stub.route("/v1/a", .status(503))
        _ = try? await world.client.send(GetText("a"))
        let span = try world.span()
        #expect(span.attemptCount == 2)
        #expect(span.notes.first?.hasPrefix("attempt 1 failed (503 Service Unavailable), again after ") == true)
        #expect(span.notes.last == "the circuit is open")
    }
}
