internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Accessories: hooks (G2, G3; D12, D13)", .timeLimit(.minutes(60)), .paced)
struct HookOrderTests {
    private let log = FixtureLog()
    private let gate = StubGate()

    /// A world whose accessories are named `one` and `two`; requests bring `own` along.
    private func world() -> FixtureWorld {
        let log = self.log
        let world = FixtureWorld {
            $0.accessories = [FixtureHooks.logging("one", to: log), FixtureHooks.logging("two", to: log)]
        }
        world.transport.route("bad", .status(500))
        world.transport.route("held", StubReply.text("x").held(by: self.gate))
        world.transport.route("*", .text("x"))
        return world
    }

    private var options: RequestOptions {
        RequestOptions.accessories([FixtureHooks.logging("own", to: self.log)])
    }

    private var wholeOrder: [String] {
        FixtureHook.names.flatMap { hook in ["one", "two", "own"].map { "\($0) \(hook)" } }
    }

    enum Ending: CaseIterable { case success, failure, cached, cancelled }

    @Test(arguments: Ending.allCases)
    func `run hook by hook, the client's accessories first, whatever the ending (D12, D13)`(ending: Ending) async {
        let world = self.world()
        let client = world.client
        let path =
            switch ending {
            case .success, .cached: "ok"
            case .failure: "bad"
            case .cancelled: "held"
            }
        let endpoint = FixtureText(path) { $0.options = .caching(.fresh(for: .seconds(3600))) }
        if ending == .cached { _ = try? await client.send(endpoint) }
        let earlier = self.log.lines.count
        let options = self.options
        let task = Task { try? await client.send(endpoint, options: options) }
        if ending == .cancelled {
            await self.gate.waitUntilReached()
            task.cancel()
        }
        _ = await task.value
        // Not one line more: `send` returned after the last hook.
        #expect(self.log.lines.dropFirst(earlier) == self.wholeOrder[...])
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `run around those of the requests of a batch`() async throws {
        let recorder = EventRecorder()
        let world = FixtureWorld { $0.accessories = [recorder] }
        world.transport.route("*", .text("x"))
        let batch = world.client.batch(FixtureText("1"), FixtureData(path: "2"))
        _ = try await batch.value
        let calls = recorder.entries.filter { if case .event = $0.call { false } else { true } }
        #expect(calls.prefix(2).map(\.call.name) == ["willStart", "didStart"])
        #expect(calls.suffix(2).map(\.call.name) == ["willStop", "didStop"])
        #expect((calls.prefix(2) + calls.suffix(2)).allSatisfy { $0.activity.id == batch.id })
        #expect(calls.count == 12)
        #expect(calls.dropFirst(2).dropLast(2).allSatisfy { $0.activity.parent == batch.id })
    }

    @Test func `run around those of the steps of a chain, one after another`() async throws {
        let log = self.log
        let world = FixtureWorld {
            $0.accessories = [
                FixtureHooks(
                    willStart: { log.add("\($0.request?.url.path ?? $0.name) willStart") },
                    didStart: { log.add("\($0.request?.url.path ?? $0.name) didStart") },
                    willStop: { activity, _ in log.add("\(activity.request?.url.path ?? activity.name) willStop") },
                    didStop: { activity, _ in log.add("\(activity.request?.url.path ?? activity.name) didStop") })
            ]
        }
        world.transport.route("*", .text("x"))
        _ = try await world.client.chain(FixtureText("1")).then { _ in FixtureText("2") }.value
        let (first, second) = (FixtureHook.names.map { "/1 \($0)" }, FixtureHook.names.map { "/2 \($0)" })
        let steps = first + second
        #expect(log.lines == ["chain willStart", "chain didStart"] + steps + ["chain willStop", "chain didStop"])
    }

    @Test func `see the state that goes with them`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let (client, log) = (world.client, self.log)
        let look: @Sendable (String, RequestID) async -> Void = { hook, id in
            let entry = await client.record.entry(id)
            log.add("\(hook) \(entry.map { "\($0.state)" } ?? "not recorded")")
        }
        let hooks = FixtureHooks(
            willStart: { await look("willStart", $0.id) }, didStart: { await look("didStart", $0.id) },
            willStop: { activity, _ in await look("willStop", activity.id) },
            didStop: { activity, _ in await look("didStop", activity.id) })
        _ = try await client.send(FixtureText(), options: .accessories([hooks]))
        #expect(
            log.lines == ["willStart idle", "didStart running", "willStop running", "didStop not recorded"])
    }

    @Test(arguments: [false, true])
    func `of a batch or a chain see the state that goes with them`(isBatch: Bool) async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let (client, log) = (world.client, self.log)
        let look: @Sendable (String, RequestID) async -> Void = { hook, id in
            let entry = await client.record.entry(id)
            log.add("\(hook) \(entry.map { "\($0.kind) \($0.state)" } ?? "not recorded")")
        }
        let hooks = FixtureHooks(
            willStart: { await look("willStart", $0.id) }, didStart: { await look("didStart", $0.id) },
            willStop: { activity, _ in await look("willStop", activity.id) },
            didStop: { activity, _ in await look("didStop", activity.id) })
        let options = RequestOptions.accessories([hooks])
        if isBatch {
            _ = try await client.batch(of: [FixtureText()], options: options).value
        } else {
            _ = try await client.chain(FixtureText(), options: options).value
        }
        let kind = isBatch ? "batch" : "chain"
        let states = ["willStart \(kind) idle", "didStart \(kind) running", "willStop \(kind) running"]
        #expect(log.lines == states + ["didStop not recorded"])
    }

    @Test func `hold no slot while they stop`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let (client, log) = (world.client, self.log)
        let look: @Sendable (RequestActivity, RequestActivity.End) async -> Void = { _, _ in
            log.add("\(await client.scheduler.activeCount)")
        }
        let hooks = FixtureHooks(willStop: look, didStop: look)
        _ = try await client.send(FixtureText(), options: .accessories([hooks]))
        #expect(log.lines == ["0", "0"])
    }

    @Test func `may send requests themselves`() async throws {
        let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
        world.transport.route(where: { _ in true }) { request, _ in .text(String(request.url.path.dropFirst())) }
        let (client, log) = (world.client, self.log)
        let send: @Sendable (String) async -> Void = { name in
            log.add((try? await client.send(FixtureText(name))) ?? "failed")
        }
        let hooks = FixtureHooks(
            willStart: { _ in await send("willStart") }, didStart: { _ in await send("didStart") },
            willStop: { _, _ in await send("willStop") }, didStop: { _, _ in await send("didStop") })
        #expect(try await client.send(FixtureText("main"), options: .accessories([hooks])) == "main")
        #expect(log.lines == FixtureHook.names)
        #expect(world.sentPaths == ["willStart", "didStart", "main", "willStop", "didStop"])
        await world.expectAtRest()
    }

    @Test(arguments: FixtureHook.allCases)
    func `that are slow delay their own request only`(hook: FixtureHook) async throws {
        let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
        world.transport.route("*", .text("x"))
        let hold = FixtureGate()
        let request = world.client.request(
            FixtureText("slow"), options: .accessories([FixtureHooks.holding(hook, at: hold)]))
        await request.start()
        await hold.waitUntilReached()
        for index in 1...5 { #expect(try await world.client.send(FixtureText("\(index)")) == "x") }
        hold.open()
        #expect(try await request.value == "x")
    }

    @Test(arguments: FixtureHook.allCases)
    func `all run when the request is cancelled in one of them`(hook: FixtureHook) async throws {
        let world = FixtureWorld(isRecording: true)
        world.transport.route("*", .text("x"))
        let hold = FixtureGate()
        let request = world.client.request(
            FixtureText(), options: .accessories([FixtureHooks.holding(hook, at: hold)]))
        await request.start()
        await hold.waitUntilReached()
        request.cancel()
        if hook == .willStop || hook == .didStop {
            // The outcome was settled before; the hook has all the time it wants.
            hold.open()
            #expect(try await request.value == "x")
            #expect(await request.state == .finished)
        } else {
            // The hook runs in a cancelled task, and leaves its gate by itself.
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled)
            #expect(world.transport.receivedCount == 0)
        }
        #expect(world.recorder.hooks(of: request.id) == FixtureHook.names)
        await world.expectAtRest()
    }

    @Test func `do not run for what was never started`() async {
        let world = self.world()
        let request = world.client.request(FixtureText(), options: self.options)
        request.cancel()
        await request.start()
        _ = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText("a b")) }
        #expect(self.log.lines.isEmpty)
    }

    @Test func `are told how it ended`() async throws {
        let world = FixtureWorld(isRecording: true)
        world.transport.route("a", .data(Data([1, 2, 3]), status: 201, headers: ["X-A": "1"]))
        world.transport.route("bad", .text("gone", status: 410))
        let good = world.client.request(FixtureData())
        _ = try await good.value
        let end = try #require(world.recorder.end(of: good.id))
        #expect(end.error == nil)
        #expect(end.isCancelled == false)
        #expect(end.head?.status == .created)
        #expect(end.bodySize == 3)
        #expect(end.attempts == 1)
        let bad = world.client.request(FixtureText("bad"))
        let error = await #expect(throws: ErrandError.self) { try await bad.value }
        let failed = try #require(world.recorder.end(of: bad.id))
        #expect(failed.error?.code == error?.code)
        #expect(failed.error?.context.status == .gone)
        #expect(failed.head?.status == .gone)
        #expect(failed.bodySize == 4)
    }
}
