import Errand
import ErrandTesting
import Testing

/// Real parallelism; these suites run under the thread sanitizer too.
@Suite("Real parallelism (G1–G8, G11)", .serialized, .timeLimit(.minutes(10)))
struct RaceTests {
    @Test("100 000 requests with random cancels, through batches, chains, streams and single requests")
    func storm() async throws {
        let (stub, counter) = (StubTransport(recordLimit: 0), HookCounter())
        stub.route(where: { _ in true }) { request, use in
            use % 11 == 0 ? .status(500) : .text(request.url.path)
        }
        let client = Client(baseURL: "http://race.invalid/") {
            $0.transport = stub
            $0.accessories = [counter]
            $0.limits = Scheduler.Limits(total: 48, perHost: 24)
        }
        await withTaskGroup { group in
            for lane in 0..<8 {
                group.addTask { await RaceLane(client, seed: UInt64(lane)).run(requests: 12_500) }
            }
        }
        #expect(await client.record.count == 0)
        #expect(await client.scheduler.activeCount == 0)
        #expect(await client.scheduler.waitingCount == 0)
        #expect(stub.activeCount == 0)
        #expect(stub.peakCount <= 48)
        #expect(counter.isBalanced, "G2: \(counter.counts)")
    }

    @Test("The same without hooks, where requests wait without a task of their own")
    func stormWithoutHooks() async throws {
        let stub = StubTransport(recordLimit: 0)
        stub.route(where: { _ in true }) { request, _ in .text(request.url.path) }
        let client = Client(baseURL: "http://race.invalid/") {
            $0.transport = stub
            $0.limits = Scheduler.Limits(total: 5, perHost: 4)
        }
        await withTaskGroup { group in
            for lane in 0..<8 {
                group.addTask { await RaceLane(client, seed: UInt64(100 + lane)).run(requests: 5_000) }
            }
        }
        #expect(await client.record.count == 0)
        #expect(await client.scheduler.activeCount == 0)
        #expect(await client.scheduler.waitingCount == 0)
        #expect(stub.peakCount <= 5)
    }

    @Test("2 000 requests over sockets, with random cancels")
    func sockets() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("*", "/*") { .text($0.path) }
        let counter = HookCounter()
        let client = Client(baseURL: server.baseURL) { $0.accessories = [counter] }
        await withTaskGroup { group in
            for lane in 0..<4 {
                group.addTask { await RaceLane(client, seed: UInt64(200 + lane)).run(requests: 500) }
            }
        }
        #expect(await client.record.count == 0)
        #expect(await client.scheduler.activeCount == 0)
        #expect(counter.isBalanced, "G2: \(counter.counts)")
        await client.shutdown()
    }
}
