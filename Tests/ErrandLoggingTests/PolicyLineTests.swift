internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Lines of policies", .timeLimit(.minutes(60)), .paced)
struct PolicyLineTests {
    @Test func `a retry, one that is refused, and a circuit have a line each where heads have`() async throws {
        for level in [LogLevel.lines, .heads] {
            let world = LogWorld(level: level, format: .textWithoutTime) {
                $0.options = $0.options.retries(RetryPolicy(limit: 2, backoff: Backoff(base: .zero)))
                $0.limits.retryBudget = RetryBudget(ratio: 1, perSecond: 0)
                $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 1))
                $0.environment.pathMonitor = TestPathMonitor(NetworkPath(interfaces: [.wifi]))
            }
            world.transport.route("*", .status(503))
            _ = try? await world.client.send(LogCall("a"))
            let lines = await world.texts()
            let words = ["again after 0.0 seconds", "not sent again: the retry budget", "the circuit is open"]
            #expect(words.allSatisfy { word in lines.contains { $0.contains(word) } } == (level == .heads))
        }
    }
}
