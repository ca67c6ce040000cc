internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Batches: cancelling (G4, G6, G7; D7)", .timeLimit(.minutes(60)), .paced)
struct BatchCancellingTests {
    private let gate = StubGate()

    private func world(isRecording: Bool = true) -> FixtureWorld {
        let world = FixtureWorld(isRecording: isRecording)
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        return world
    }

    private func code(of batch: BatchRequest<[String], [Result<String, ErrandError>]>) async -> ErrandError.Code? {
        await #expect(throws: ErrandError.self) { try await batch.value }?.code
    }

    @Test func `before the start runs no hook and refuses the start`() async {
        let world = self.world()
        let batch = world.client.batch(of: [FixtureText("1")])
        let (states, updates) = (await batch.states, await batch.progressUpdates)
        batch.cancel()
        batch.cancel()
        let error = await #expect(throws: ErrandError.self) { try await batch.start() }
        #expect(error?.code == .cancelled)
        #expect(await self.code(of: batch) == .cancelled)
        #expect(await batch.outcomes.map(\.fixtureFailure?.code) == [.cancelled])
        #expect(await fixtureAll(states) == [.idle, .failed])
        #expect(await fixtureAll(updates).map(\.words) == ["0 of 1"])
        #expect(world.recorder.entries.isEmpty)
        #expect(world.transport.receivedCount == 0)
    }

    @Test func `of an empty batch before the start fails it too`() async {
        let batch = self.world().client.batch(of: [] as [FixtureText])
        batch.cancel()
        #expect(await self.code(of: batch) == .cancelled)
    }

    @Test(arguments: [false, true], [FailurePolicy.failFast, .collectAll])
    func `on the wire ends all of it, with one word (D7)`(isRecording: Bool, policy: FailurePolicy) async {
        let world = self.world(isRecording: isRecording)
        let batch = world.client.batch(of: ["1", "2", "3"].map { FixtureText($0) }, failure: policy)
        let log = FixtureLog()
        batch.start { _ in
            log.add("success")
        } onFailure: {
            log.add("\($0.code)")
        }
        await self.gate.waitUntilReached(3)
        batch.cancel()
        batch.cancel()
        #expect(await self.code(of: batch) == .cancelled)
        #expect(await batch.failedRequest == nil)
        #expect(await batch.state == .failed)
        #expect(await batch.outcomes.allSatisfy { $0.fixtureFailure?.code == .cancelled })
        await log.wait(for: 1)
        #expect(log.lines == ["cancelled"])
        await world.expectAtRest()
        if isRecording {
            #expect(world.recorder.hooks(of: batch.id) == FixtureHook.names)
            #expect(world.recorder.end(of: batch.id)?.isCancelled == true)
        }
    }

    @Test(arguments: [false, true])
    func `in the queue ends those that wait`(isRecording: Bool) async {
        let world = self.world(isRecording: isRecording)
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 2, perHost: 2))
        let batch = world.client.batch(of: (1...50).map { FixtureText("\($0)") })
        let task = Task { await self.code(of: batch) }
        await self.gate.waitUntilReached(2)
        await world.waitUntilQueued(48)
        batch.cancel()
        #expect(await task.value == .cancelled)
        #expect(world.transport.receivedCount == 2)
        await world.expectAtRest()
    }

    @Test(arguments: FixtureHook.allCases)
    func `in a hook of the batch lets all hooks run`(hook: FixtureHook) async throws {
        let world = self.world()
        let hold = FixtureGate()
        let recorder = EventRecorder()
        let batch = world.client.batch(
            of: [FixtureText("1")],
            options: .accessories([FixtureHooks.holding(hook, at: hold, isPatient: true), recorder]))
        try await batch.start()
        if hook == .willStop || hook == .didStop { self.gate.open() }
        await hold.waitUntilReached()
        batch.cancel()
        hold.open()
        let isTooLate = hook == .willStop || hook == .didStop
        if isTooLate {
            #expect(try await batch.value == ["x"])
        } else {
            #expect(await self.code(of: batch) == .cancelled)
        }
        #expect(recorder.hooks(of: batch.id) == FixtureHook.names)
        #expect(world.recorder.hooks(of: batch.id) == FixtureHook.names)
        if hook == .willStart { #expect(world.transport.receivedCount == 0) }
        await world.expectAtRest()
    }

    @Test func `after the end changes nothing`() async throws {
        let world = self.world()
        self.gate.open()
        let batch = world.client.batch(of: [FixtureText("1")])
        #expect(try await batch.value == ["x"])
        batch.cancel()
        #expect(try await batch.value == ["x"])
        #expect(await batch.state == .finished)
    }

    @Test func `one of its requests is a failure of the batch`() async throws {
        let world = self.world()
        let batch = world.client.batch(of: ["1", "2"].map { FixtureText($0) })
        try await batch.start()
        await self.gate.waitUntilReached(2)
        let children = await world.client.record.snapshot().filter { $0.kind == .request }
        #expect(await world.client.record.cancel(children[1].id))
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .cancelled)
        #expect(await batch.failedRequest?.index == 1)
        await world.expectAtRest()
    }

    @Test func `the last task that waits for an implicit start ends it, and sees it out`() async {
        let world = self.world()
        let batch = world.client.batch(of: ["1", "2"].map { FixtureText($0) })
        let task = Task { await self.code(of: batch) }
        await self.gate.waitUntilReached(2)
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await batch.state == .failed)
        #expect(world.recorder.hooks(of: batch.id) == FixtureHook.names)
        await world.expectAtRest()
    }

    @Test func `a task that waits for an explicit start leaves it running`() async throws {
        let world = self.world()
        let batch = world.client.batch(of: ["1", "2"].map { FixtureText($0) })
        try await batch.start()
        await self.gate.waitUntilReached(2)
        let waiters = [Task { await self.code(of: batch) }, Task { await batch.outcomes[0].fixtureFailure?.code }]
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { #expect(await waiter.value == .cancelled) }
        #expect(await batch.state == .running)
        self.gate.open()
        #expect(try await batch.value == ["x", "x"])
    }

    @Test func `a task that is cancelled before it asks starts nothing`() async {
        let world = self.world()
        let batch = world.client.batch(of: [FixtureText("1")])
        let hold = FixtureGate()
        let task = Task {
            await hold.pass()
            return await self.code(of: batch)
        }
        await hold.waitUntilReached()
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(world.recorder.entries.isEmpty)
        #expect(world.transport.receivedCount == 0)
    }

    @Test func `the queue and a slot at the same time leaves nothing over`() async {
        for _ in 1...50 {
            let world = self.world(isRecording: false)
            await world.client.scheduler.pause()
            let batch = world.client.batch(of: (1...6).map { FixtureText("\($0)") })
            let task = Task { await self.code(of: batch) }
            await world.waitUntilQueued(6)
            async let resumed: Void = world.client.scheduler.resume()
            async let cancelled: Void = batch.cancel()
            _ = await (resumed, cancelled)
            #expect(await task.value == .cancelled)
            await world.expectAtRest()
        }
    }

    @Test func `a batch whose requests wait for the slot of another is cancelled at once`() async throws {
        let gate = StubGate()
        let world = FixtureWorld {
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
            $0.options = $0.options.withoutTimeout()
        }
        world.transport.route("*", StubReply.text("x").held(by: gate))
        let holder = world.client.request(FixtureText("holder"))
        await holder.start()
        await gate.waitUntilReached()
        let batch = world.client.batch(of: ["a", "b"].map { FixtureText($0) })
        try await batch.start()
        await world.waitUntilQueued(2)
        batch.cancel()
        #expect(await fixtureHolds { await batch.state.isTerminal })
        #expect(world.sentPaths == ["holder"])
        gate.open()
        #expect(try await holder.value == "x")
        await world.expectAtRest()
    }
}
