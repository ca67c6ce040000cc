internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Metrics: hooks (G2, G3)", .timeLimit(.minutes(60)), .paced)
struct MetricsHookTests {
    enum Ending: CaseIterable, Sendable {
        case success, failure, cached, cancelledOnItsWay, cancelledInQueue, timedOut

        var path: String {
            switch self {
            case .success, .cached, .cancelledInQueue: "ok"
            case .failure: "bad"
            case .cancelledOnItsWay, .timedOut: "held"
            }
        }
    }

    private static let hooks = ["willStart", "didStart", "willStop", "didStop"]

    @Test(arguments: Ending.allCases)
    func `of a request run once each and in order, and count it before the call returns`(ending: Ending) async throws {
        let (world, gate) = (try MetricsWorld(), StubGate())
        world.transport.route("/bad", .status(500))
        world.transport.route("/held", StubReply.text("x").held(by: gate))
        world.transport.route("*", .text("x"))
        let client = world.client
        let call = TextCall(ending.path) { $0.options = .caching(.fresh(for: .seconds(60))) }
        if ending == .cached { _ = try await client.send(call) }
        if ending == .cancelledInQueue { await client.scheduler.pause() }
        let before = await world.metrics.snapshot().finishedRequests
        let task = Task { try? await client.send(call) }
        switch ending {
        case .cancelledOnItsWay:
            await gate.waitUntilReached()
            task.cancel()
        case .cancelledInQueue:
            await world.waitUntilQueued(1)
            task.cancel()
        case .timedOut:
            await gate.waitUntilReached()
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(100_000))
        case .success, .failure, .cached: break
        }
        _ = await task.value
        // Not a moment later: `send` has returned.
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.finishedRequests == before + 1)
        await world.expectAtRest()
        for id in world.recorder.ids(of: .request) { #expect(world.recorder.hooks(of: id) == Self.hooks) }
    }

    @Test func `do not run for what never started`() async throws {
        let world = try MetricsWorld()
        let request = world.client.request(TextCall())
        request.cancel()
        await request.start()
        _ = try? await world.client.send(TextCall("a b"))
        await #expect(throws: ErrandError.self) { try await world.client.chain(TextCall("a b")).value }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.finishedRequests == 0)
        await world.expectAtRest()
    }

    /// A chain whose second step is made from a batch: chain, request, batch, its requests, request.
    private static func batchInChain(_ client: Client, _ paths: [String]) -> ChainRequest<String> {
        client.chain(TextCall("first"))
            .then { _ in
                let texts = try await client.batch(of: paths.map { TextCall($0) }).value
                return TextCall("last-\(texts.count)")
            }
    }

    @Test func `of a batch inside of a chain run once each, and all is counted when the chain returns`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        _ = try await Self.batchInChain(world.client, ["1", "2", "3"]).value
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.finishedRequests == 5)
        #expect(snapshot.histogram(.batchDuration)?.count == 1)
        #expect(snapshot.histogram(.chainDuration)?.count == 1)
        await world.expectAtRest()
        try Self.expectHooks(world.recorder)
        let chain = try #require(world.recorder.ids(of: .chain).first)
        let calls = world.recorder.entries.filter { if case .event = $0.call { false } else { true } }
        #expect(calls.first?.activity.id == chain)
        #expect(calls.last?.activity.id == chain)
    }

    @Test func `of a batch inside of a chain that is cancelled run once each, too`() async throws {
        let (world, gate) = (try MetricsWorld(), StubGate())
        world.transport.route("/held", StubReply.text("x").held(by: gate))
        world.transport.route("*", .text("x"))
        let chain = Self.batchInChain(world.client, ["held", "1", "held"])
        let task = Task { try await chain.value }
        await gate.waitUntilReached(2)
        let running = await world.metrics.snapshot()
        #expect(running.activeChains == 1)
        #expect(running.activeBatches == 1)
        #expect(running.activeRequests >= 2)
        chain.cancel()
        _ = await task.result
        await world.client.cancelAll()
        for await count in await world.client.record.counts where count == 0 { break }
        while world.metrics.notedCount > 0 { await Task.yield() }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.chainDuration, where: [.error: "cancelled"])?.count == 1)
        #expect(snapshot.histogram(.batchDuration, where: [.error: "cancelled"])?.count == 1)
        #expect(snapshot.histogram(.requestDuration, where: [.error: "cancelled"])?.count == 2)
        #expect(snapshot.finishedRequests == 4)
        await world.expectAtRest()
        try Self.expectHooks(world.recorder)
    }

    /// G2, as the recorder that stands behind the metrics saw it.
    private static func expectHooks(_ recorder: EventRecorder) throws {
        let ids = [RequestActivity.Kind.request, .batch, .chain].flatMap { recorder.ids(of: $0) }
        try #require(!ids.isEmpty)
        for id in ids { #expect(recorder.hooks(of: id) == self.hooks) }
    }

    @Test func `under cancellation at any moment leave nothing behind and count everything once`() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { simulation in
            try await Self.storm(simulation)
        }
    }

    @Sendable
    private static func storm(_ simulation: Simulation.Context) async throws {
        var options = MetricsOptions()
        options.clock = simulation.clock
        options.labelSetLimit = 4
        let (metrics, recorder, transport) = (try MetricsAccessory(options), EventRecorder(), StubTransport())
        transport.route(where: { _ in true }) { _, _ in
            StubReply.text("x", status: simulation.random.int(in: 0..<6) == 0 ? 500 : 200)
                .delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        let client = Client(baseURL: "http://sim.invalid/") {
            $0.transport = transport
            $0.environment.clock = simulation.clock
            $0.limits.concurrency = RequestScheduler.Limits(total: 2, perHost: 2)
            $0.accessories = [metrics, recorder]
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                let chain = Self.batchInChain(client, (0..<3).map { "http://host\($0 % 3).invalid/\(number)" })
                group.addTask { _ = try? await chain.value }
                guard number % 2 == 0 else { continue }
                group.addTask {
                    for _ in 0..<simulation.random.int(in: 0..<60) { await simulation.yield() }
                    chain.cancel()
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    await simulation.yield()
                    let text = await metrics.text()
                    if !text.hasSuffix("# EOF\n") { simulation.trace("cut short") }
                }
            }
        }
        for await count in await client.record.counts where count == 0 { break }
        while metrics.notedCount > 0 { await simulation.yield() }
        let snapshot = await metrics.snapshot()
        try #require(snapshot.isAtRest)
        let ended = recorder.entries.filter {
            if case .didStop = $0.call { $0.activity.kind == .request } else { false }
        }
        try #require(snapshot.finishedRequests == ended.count)
        try #require(snapshot.requestDuration?.count == UInt64(ended.count))
        let attempts = recorder.entries.count { if case .event(.attemptStarted) = $0.call { true } else { false } }
        try #require(snapshot.counter(.attempts) == Double(attempts))
        try #require(snapshot.mostLabelSets <= 4)
        for id in [RequestActivity.Kind.request, .batch, .chain].flatMap({ recorder.ids(of: $0) }) {
            try #require(recorder.hooks(of: id) == Self.hooks, "G2")
        }
    }
}
