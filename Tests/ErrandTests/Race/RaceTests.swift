import Errand
import ErrandTesting
import Foundation
import TestEffort
import Testing

/// Real parallelism; these suites run under the thread sanitizer too.
@Suite("Real parallelism (G1–G8, G11)", .serialized, .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct RaceTests {
    @Test("Very many requests with random cancels, through batches, chains, streams and single requests")
    func storm() async throws {
        let (stub, counter) = (StubTransport(recordLimit: 0), HookCounter())
        stub.route(where: { _ in true }) { request, use in
            use % 11 == 0 ? .status(500) : .text(request.url.path)
        }
        let client = Client(baseURL: "http://race.invalid/") {
            $0.transport = stub
            $0.accessories = [counter]
            $0.limits.concurrency = RequestScheduler.Limits(total: 48, perHost: 24)
        }
        let count = TestEffort.rounds(of: 18_000)
        await withTaskGroup { group in
            for lane in 0..<8 {
                group.addTask { await RaceLane(client, seed: UInt64(lane)).run(requests: count) }
            }
        }
        await Self.waitUntilAllIsOver(client, counter)
        #expect(stub.activeCount == 0)
        #expect(stub.peakCount <= 48)
        #expect(counter.counts[0] > TestEffort.rounds(of: 100_000), "G2: \(counter.counts)")
    }

    @Test("The same without hooks, where requests wait without a task of their own")
    func stormWithoutHooks() async throws {
        let stub = StubTransport(recordLimit: 0)
        stub.route(where: { _ in true }) { request, _ in .text(request.url.path) }
        let client = Client(baseURL: "http://race.invalid/") {
            $0.transport = stub
            $0.limits.concurrency = RequestScheduler.Limits(total: 5, perHost: 4)
        }
        let count = TestEffort.rounds(of: 5_000)
        await withTaskGroup { group in
            for lane in 0..<8 {
                group.addTask { await RaceLane(client, seed: UInt64(100 + lane)).run(requests: count) }
            }
        }
        await Self.waitUntilAllIsOver(client)
        #expect(stub.activeCount == 0)
        #expect(stub.peakCount <= 5)
    }

    @Test("The same with retries, hedges, limits that are found out, a breaker, shared exchanges and a token")
    func stormWithPolicies() async throws {
        let stub = StubTransport(recordLimit: 0)
        stub.route(where: { _ in true }) { request, use in
            if use % 13 == 0 { return .status(503) }
            if request.headers["Authorization"] != "Bearer 1", use % 5 == 0 { return .status(401) }
            return .text(request.url.path)
        }
        let counter = HookCounter()
        let client = Client(baseURL: "http://race.invalid/") {
            $0.transport = stub
            $0.accessories = [counter]
            $0.limits.concurrency = RequestScheduler.Limits(total: 20, perHost: 16)
            $0.options = $0.options.retries(RetryPolicy(limit: 2, backoff: .every(.zero)))
            $0.options = $0.options.hedging(.after(.zero))
            $0.limits.adaptive = AdaptiveConcurrency(initial: 8)
            $0.options = $0.options.circuitBreaker(
                CircuitBreaker(failureRate: 0.9, minimumRequests: 1_000, openFor: .milliseconds(1)))
            $0.limits.rates.perHost = RateLimit(1 << 30, burst: 1 << 20)
            $0.options = $0.options.coalescing(true)
            // Renewed ahead again and again, while requests are sent with it.
            $0.credentials.authenticator = TokenAuthenticator(
                store: TokenAuthenticator.MemoryStore(), renewingAhead: .seconds(1)
            ) { _ in
                OAuthToken(accessToken: "1", expiresAt: Date().addingTimeInterval(0.01))
            }
        }
        let watcher = Task {
            guard let circuits = client.circuits else { return }
            for await state in circuits.changes(of: "http://other.invalid") { #expect(state != .halfOpen) }
        }
        let (latest, count) = (client.latest(), TestEffort.rounds(of: 3_000))
        await withTaskGroup { group in
            for lane in 0..<6 {
                group.addTask { await RaceLane(client, seed: UInt64(300 + lane)).run(requests: count) }
            }
            group.addTask {
                for number in 0..<count {
                    let circuits = client.circuits
                    if number % 2 == 0 {
                        circuits?.open("http://other.invalid")
                    } else {
                        circuits?.close("http://other.invalid")
                    }
                    await Task.yield()
                }
            }
            for lane in 0..<2 {
                group.addTask {
                    for number in 0..<count / 4 {
                        let value = try? await latest.send(RaceCall(path: "latest/\(lane)/\(number)"))
                        #expect(value == nil || value == "/latest/\(lane)/\(number)")
                    }
                }
            }
        }
        watcher.cancel()
        await watcher.value
        await Self.waitUntilAllIsOver(client, counter)
        #expect(stub.activeCount == 0 && stub.peakCount <= 20)
        #expect(client.environment.sharedExchangeCount == 0)
    }

    @Test("Many requests over sockets, with random cancels")
    func sockets() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("*", "/*") { .text($0.path) }
        let counter = HookCounter()
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.accessories = [counter]
        }
        let count = TestEffort.rounds(of: 800)
        await withTaskGroup { group in
            for lane in 0..<4 {
                group.addTask { await RaceLane(client, seed: UInt64(200 + lane)).run(requests: count) }
            }
        }
        await Self.waitUntilAllIsOver(client, counter)
        #expect(counter.counts[0] > TestEffort.rounds(of: 2_000), "G2: \(counter.counts)")
        await client.shutdown()
    }

    /// A stream that is left is cancelled, and ends by itself.
    ///
    /// If anything leaks, this never returns: the suite's time limit tells.
    private static func waitUntilAllIsOver(_ client: Client, _ counter: HookCounter? = nil) async {
        for await count in await client.record.counts where count == 0 { break }
        while await client.scheduler.activeCount + client.scheduler.waitingCount > 0 { await Task.yield() }
        while counter?.isBalanced == false { await Task.yield() }
    }
}
