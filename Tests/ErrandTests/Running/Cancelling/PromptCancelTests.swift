internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Cancelling without await, in every state (G1, G2, G6)", .timeLimit(.minutes(60)), .paced)
struct PromptCancelTests {
    /// What can be cancelled from code that cannot wait.
    private static func cancelTwice(_ cancel: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                cancel()
                cancel()
                continuation.resume()
            }
        }
    }

    private func code(_ value: () async throws -> Void) async -> ErrandError.Code? {
        do {
            try await value()
            return nil
        } catch {
            return (error as? ErrandError)?.code
        }
    }

    // MARK: - Requests

    @Test func `a request that was not started is over when cancel returns`() async {
        let world = FixtureWorld(isRecording: true)
        let request = world.client.request(FixtureText())
        await Self.cancelTwice { request.cancel() }
        #expect(await request.state == .failed)
        await request.start()
        #expect(await self.code { _ = try await request.value } == .cancelled)
        #expect(world.transport.receivedCount == 0 && world.recorder.entries.isEmpty)
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `those who read the responses of a request that was not started hear of it`(isLate: Bool) async {
        let world = FixtureWorld()
        let request = world.client.request(FixtureText())
        let early = await request.responses
        request.cancel()
        let responses = isLate ? await request.responses : early
        #expect(await self.code { for try await _ in responses {} } == .cancelled)
    }

    @Test(arguments: FixtureHook.allCases)
    func `a request in each of its hooks is cancelled, or keeps its outcome`(hook: FixtureHook) async {
        let hold = FixtureGate()
        let world = FixtureWorld {
            $0.accessories = [FixtureHooks.holding(hook, at: hold, isPatient: true)]
        }
        world.transport.route("a", .text("x"))
        let recorder = EventRecorder()
        let request = world.client.request(FixtureText(), options: .accessories([recorder]))
        await request.start()
        await hold.waitUntilReached()
        await Self.cancelTwice { request.cancel() }
        hold.open()
        let isSettled = hook == .willStop || hook == .didStop
        #expect(await self.code { _ = try await request.value } == (isSettled ? nil : .cancelled))
        #expect(recorder.hooks(of: request.id) == FixtureHook.names)
        await world.expectAtRest()
    }

    @Test func `a request that waits for its response ends, and stays ended`() async {
        let world = FixtureWorld(isRecording: true)
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        await Self.cancelTwice { request.cancel() }
        #expect(await self.code { _ = try await request.value } == .cancelled)
        await Self.cancelTwice { request.cancel() }
        #expect(await request.state == .failed)
        #expect(world.recorder.hooks(of: request.id) == FixtureHook.names)
        await world.expectAtRest()
    }

    @Test func `who asks for a request that everyone left, and that is cancelled meanwhile, is cancelled`() async {
        for _ in 0..<TestEffort.rounds(of: 200) {
            let world = FixtureWorld()
            let gate = StubGate()
            world.transport.route("a", StubReply.text("old").held(by: gate), StubReply.text("new"))
            let request = world.client.request(FixtureText())
            let first = Task { await self.code { _ = try await request.value } }
            await gate.waitUntilReached()
            first.cancel()
            #expect(await first.value == .cancelled)
            let isCancelled = Locked(false)
            async let cancelled: Void = Self.cancelTwice {
                request.cancel()
                isCancelled.withLock { $0 = true }
            }
            let isLate = isCancelled.withLock { $0 }
            let code = await self.code { _ = try await request.value }
            #expect(code == .cancelled || !isLate && code == nil)
            await cancelled
            // Whoever comes after the cancellation gets nothing new, unless the new run had its value before.
            #expect([nil, .cancelled].contains(await self.code { _ = try await request.value }))
            await world.expectAtRest()
        }
    }

    // MARK: - Batches and chains

    @Test func `a batch that was not started is over, with the streams of its progress`() async {
        let world = FixtureWorld(isRecording: true)
        let batch = world.client.batch(of: [FixtureText("a"), FixtureText("b")])
        let early = await batch.progressUpdates
        await Self.cancelTwice { batch.cancel() }
        #expect(await fixtureAll(early).map(\.words) == ["0 of 2"])
        #expect(await fixtureAll(batch.progressUpdates).map(\.words) == ["0 of 2"])
        #expect(await batch.state == .failed)
        for _ in 0..<2 { #expect(await self.code { try await batch.start() } == .cancelled) }
        #expect(await self.code { _ = try await batch.value } == .cancelled)
        #expect(await batch.outcomes.count == 2)
        #expect(world.transport.receivedCount == 0 && world.recorder.entries.isEmpty)
        await world.expectAtRest()
    }

    @Test func `a batch that runs ends with all its requests`() async {
        let world = FixtureWorld(isRecording: true)
        let gate = StubGate()
        world.transport.route(where: { _ in true }, StubReply.text("x").held(by: gate))
        let batch = world.client.batch(of: (0..<5).map { FixtureText("\($0)") })
        let waiting = Task { await self.code { _ = try await batch.value } }
        await gate.waitUntilReached()
        await Self.cancelTwice { batch.cancel() }
        #expect(await waiting.value == .cancelled)
        #expect(world.recorder.hooks(of: batch.id) == FixtureHook.names)
        #expect(await self.code { try await batch.start() } == .alreadyStarted)
        await world.expectAtRest()
    }

    @Test(arguments: [0, 1])
    func `a chain that was not started is over, and takes no step any more`(steps: Int) async {
        let world = FixtureWorld(isRecording: true)
        let chain = world.client.chain()
        if steps > 0 { #expect(await self.code { try await chain.add(FixtureText("a")) } == nil) }
        await Self.cancelTwice { chain.cancel() }
        #expect(await chain.state == .failed)
        #expect(await self.code { try await chain.add(FixtureText("b")) } == .cancelled)
        for _ in 0..<2 { #expect(await self.code { try await chain.start() } == .cancelled) }
        #expect(await self.code { _ = try await chain.value } == .cancelled)
        #expect(world.transport.receivedCount == 0 && world.recorder.entries.isEmpty)
        await world.expectAtRest()
    }

    @Test func `a start and a cancellation at the same time have one outcome`() async {
        for _ in 0..<TestEffort.rounds(of: 200) {
            let world = FixtureWorld(isRecording: true)
            world.transport.route(where: { _ in true }, .text("x"))
            let request = world.client.request(FixtureText())
            let batch = world.client.batch(of: [FixtureText("b"), FixtureText("c")])
            let chain = world.client.chain(FixtureText("d"))
            async let cancelled: Void = Self.cancelTwice {
                chain.cancel()
                batch.cancel()
                request.cancel()
            }
            async let started: Void = request.start()
            _ = await self.code { try await batch.start() }
            _ = await self.code { try await chain.start() }
            _ = await (cancelled, started)
            for code in [
                await self.code { _ = try await request.value }, await self.code { _ = try await batch.value },
                await self.code { _ = try await chain.value },
            ] { #expect([nil, .cancelled].contains(code)) }
            for id in [request.id, batch.id, chain.id] {
                #expect([[], FixtureHook.names].contains(world.recorder.hooks(of: id)))
            }
            await world.expectAtRest()
        }
    }
}
