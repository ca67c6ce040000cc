internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Deadlines: hooks and events (G2, G6)", .timeLimit(.minutes(60)), .paced)
struct DeadlineEndingTests {
    @Test(arguments: [FixtureHook.willStart, .didStart])
    func `of the whole end a hook that takes too long`(hook: FixtureHook) async {
        let world = FixtureWorld(isRecording: true) { $0.options = $0.options.timeouts(Timeouts(total: .seconds(5))) }
        world.transport.route("a", .text("x"))
        let hold = FixtureGate()
        let options = RequestOptions.accessories([FixtureHooks.holding(hook, at: hold)])
        let request = world.client.request(FixtureText(), options: options)
        await request.start()
        await hold.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        // Where no deadline was set, the time limit comes to here.
        if Task.isCancelled { hold.open() }
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        #expect(world.transport.receivedCount == 0)
        #expect(world.recorder.hooks(of: request.id) == FixtureHook.names)
        await world.expectAtRest()
    }

    @Test(arguments: [true, false])
    func `of an attempt are told to accessories as such`(isIntercepted: Bool) async {
        let world = FixtureWorld(isRecording: true) { $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(5))) }
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let pass = FixtureInterceptor { request, _, next in try await next(request) }
        let request = world.client.request(FixtureText { $0.options = .interceptors(isIntercepted ? [pass] : []) })
        await request.start()
        await gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        _ = await #expect(throws: ErrandError.self) { try await request.value }
        let codes = world.recorder.entries.compactMap { entry -> ErrandError.Code? in
            guard case .event(.attemptFailed(_, let error)) = entry.call else { return nil }
            return error.code
        }
        #expect(codes == [.timedOut])
    }

    @Test(arguments: ["bad", "lost", "a"], [false, true])
    func `of the whole are gone with their request, whatever its end`(path: String, isRecording: Bool) async throws {
        let world = FixtureWorld(isRecording: isRecording) {
            $0.options = $0.options.timeouts(Timeouts(total: .seconds(5)))
        }
        world.transport.route("bad", .status(500))
        world.transport.route("lost", .failure(.connectionLost))
        world.transport.route("a", .text("x"))
        _ = try? await world.client.send(FixtureText(path))
        #expect(world.client.environment.deadlines.count == 0)
    }
}
