import Errand
import ErrandTesting
import TestEffort
import Testing

/// A request that is sent runs in the task of its sender, which nobody but the sender may cancel; yet whoever else
/// stops it ends what it waits for.
@Suite("Stopping a request in its sender's task (G2, G3, G6)", .timeLimit(.minutes(60)), .paced)
struct StoppedSendTests {
    enum Stop: CaseIterable {
        case byRecord, byShutdown, byDeadline

        var code: ErrandError.Code {
            switch self {
            case .byRecord: .cancelled
            case .byShutdown: .clientShutDown
            case .byDeadline: .timedOut
            }
        }
    }

    private func carryOut(_ stop: Stop, in world: FixtureWorld) async {
        switch stop {
        case .byRecord: await world.client.record.cancelAll()
        case .byShutdown: await world.client.shutdown()
        case .byDeadline:
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(5))
        }
    }

    /// Sends a call that is held at a gate, stops it there, and answers whether the task of its sender was cancelled.
    private func check(
        _ stop: Stop, _ call: FixtureText, _ options: RequestOptions = RequestOptions(), at gate: FixtureGate,
        in world: FixtureWorld
    ) async {
        world.transport.route("*", .text("x"))
        let sending = Task { () -> (code: ErrandError.Code?, isCancelled: Bool) in
            do throws(ErrandError) {
                _ = try await world.client.send(call, options: options)
                return (nil, Task.isCancelled)
            } catch {
                return (error.code, Task.isCancelled)
            }
        }
        await gate.waitUntilReached()
        await self.carryOut(stop, in: world)
        // Where the stop does not reach what is waited for, the time limit comes to here.
        if Task.isCancelled { gate.open() }
        let end = await sending.value
        #expect(end.code == stop.code)
        #expect(!end.isCancelled, "the sender's task belongs to the sender")
        if stop != .byShutdown { await world.expectAtRest() }
    }

    private func world() -> FixtureWorld {
        FixtureWorld(isRecording: true) { $0.options = $0.options.timeouts(Timeouts(total: .seconds(5))) }
    }

    @Test(arguments: [FixtureHook.willStart, .didStart], Stop.allCases)
    func `ends a hook that waits`(hook: FixtureHook, stop: Stop) async {
        let (world, gate) = (self.world(), FixtureGate())
        let options = RequestOptions.accessories([FixtureHooks.holding(hook, at: gate)])
        await self.check(stop, FixtureText(), options, at: gate, in: world)
        #expect(world.transport.receivedCount == 0)
    }

    @Test(arguments: Stop.allCases)
    func `ends an interceptor that waits`(stop: Stop) async {
        let (world, gate) = (self.world(), FixtureGate())
        let holding = FixtureInterceptor { request, _, next in
            await gate.pass()
            return try await next(request)
        }
        await self.check(stop, FixtureText { $0.options = .interceptors([holding]) }, at: gate, in: world)
    }

    @Test func `lets the hooks of its end run in a task that is cancelled`() async {
        let (world, gate, log) = (self.world(), StubGate(), FixtureLog())
        let hooks = FixtureHooks(
            willStop: { _, _ in log.add("willStop \(Task.isCancelled)") },
            didStop: { _, _ in log.add("didStop \(Task.isCancelled)") })
        world.transport.route("*", StubReply.text("x").held(by: gate))
        let sending = Task {
            try? await world.client.send(FixtureText(), options: .accessories([hooks]))
        }
        await gate.waitUntilReached()
        await world.client.cancelAll()
        #expect(await sending.value == nil)
        #expect(log.lines == ["willStop true", "didStop true"])
    }

    @Test(arguments: Stop.allCases)
    func `ends an exchange by the handle that its transport gives`(stop: Stop) async {
        let (stub, gate, clock) = (StubTransport(), StubGate(), TestClock())
        let transport = HandleTransport(stub)
        stub.route("*", StubReply.text("x").held(by: gate))
        let client = Client(baseURL: "http://stop.invalid/") {
            $0.transport = transport
            $0.environment.clock = clock
            $0.options = $0.options.timeouts(Timeouts(total: .seconds(5)))
        }
        let sending = Task { () -> ErrandError.Code? in
            do throws(ErrandError) {
                _ = try await client.send(FixtureText())
                return nil
            } catch {
                return error.code
            }
        }
        await gate.waitUntilReached()
        switch stop {
        case .byRecord: await client.cancelAll()
        case .byShutdown: await client.shutdown()
        case .byDeadline:
            await clock.waitForSleeper()
            clock.advance(by: .seconds(5))
        }
        if Task.isCancelled { gate.open() }
        #expect(await sending.value == stop.code)
        #expect(transport.stopCount == 1)
        #expect(stub.activeCount == 0)
    }

    @Test func `ends an exchange by its handle when the sender's task is cancelled`() async {
        let (stub, gate) = (StubTransport(), StubGate())
        let transport = HandleTransport(stub)
        stub.route("*", StubReply.text("x").held(by: gate))
        let client = Client(baseURL: "http://stop.invalid/") { $0.transport = transport }
        let sending = Task { try? await client.send(FixtureText()) }
        await gate.waitUntilReached()
        sending.cancel()
        #expect(await sending.value == nil)
        #expect(transport.stopCount == 1)
    }

    @Test(arguments: [FixtureHook.willStop, .didStop])
    func `leaves the hooks of a success alone when the sender's task is cancelled in them`(hook: FixtureHook) async {
        let (world, gate) = (self.world(), FixtureGate())
        let log = FixtureLog()
        let look: @Sendable (RequestActivity, RequestActivity.End) async -> Void = { _, _ in
            await gate.pass(isPatient: true)
            log.add("\(Task.isCancelled)")
        }
        let hooks = hook == .willStop ? FixtureHooks(willStop: look) : FixtureHooks(didStop: look)
        world.transport.route("*", .text("x"))
        let sending = Task {
            try? await world.client.send(FixtureText(), options: .accessories([hooks]))
        }
        await gate.waitUntilReached()
        sending.cancel()
        gate.open()
        #expect(await sending.value == "x")
        #expect(log.lines == ["false"])
    }

    @Test(arguments: Stop.allCases)
    func `ends cookies that somebody else keeps and waits for`(stop: Stop) async {
        let gate = FixtureGate()
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.timeouts(Timeouts(total: .seconds(5)))
            $0.cookies = .store(SlowCookies(gate: gate))
        }
        await self.check(stop, FixtureText(), at: gate, in: world)
    }

    private struct SlowCookies: CookieStore {
        let gate: FixtureGate

        func cookies(for url: HTTPURL) async -> [StoredCookie] {
            await self.gate.pass()
            return []
        }

        func store(_ cookies: [StoredCookie], from url: HTTPURL) async {}

        func removeAll() async {}
    }
}
