internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Shutting a client down when what is in flight has ended (G6, G7)", .timeLimit(.minutes(60)), .paced)
struct DrainingTests {
    private let world = FixtureWorld(isRecording: true) {
        $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        $0.options = $0.options.withoutTimeout()
    }
    private let gate = StubGate()

    /// Sends a request that waits at the gate, and returns when it does.
    private func holdOne() async -> Request<FixtureText> {
        self.world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let request = self.world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { self.world.transport.activeCount == 1 }
        return request
    }

    /// An empty batch ends at once, well as long as it may start.
    private func waitUntilDraining() async {
        await fixtureUntil { (try? await self.world.client.batch(of: [FixtureText]()).value) == nil }
    }

    @Test func `lets what is in flight end, and refuses what is new`() async throws {
        let request = await self.holdOne()
        async let left = self.world.client.shutdown(drainingFor: .seconds(10))
        await self.waitUntilDraining()
        let refused = await #expect(throws: ErrandError.self) { try await self.world.client.send(FixtureText("late")) }
        #expect(refused?.code == .clientShutDown)
        #expect(self.world.sentPaths == ["a"])
        self.gate.open()
        #expect(await left.isEmpty)
        #expect(try await request.value == "x")
        await self.world.expectAtRest()
        let error = await #expect(throws: ErrandError.self) { try await self.world.client.send(FixtureText()) }
        #expect(error?.code == .clientShutDown)
    }

    @Test func `lets a batch send what waits`() async throws {
        self.world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let batch = self.world.client.batch(of: (0..<3).map { FixtureText("\($0)") })
        try await batch.start()
        await fixtureUntil { self.world.transport.activeCount == 1 }
        async let left = self.world.client.shutdown(drainingFor: .seconds(10))
        await self.waitUntilDraining()
        self.gate.open()
        #expect(try await batch.value == ["x", "x", "x"])
        #expect(await left.isEmpty)
        let chain = self.world.client.chain(FixtureText())
        let error = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(error?.code == .clientShutDown)
    }

    @Test func `ends what is in flight when the time is over, and says what that was`() async throws {
        let request = await self.holdOne()
        async let left = self.world.client.shutdown(drainingFor: .seconds(10))
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .seconds(10))
        #expect(await left.map(\.id) == [request.id])
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .clientShutDown)
    }

    @Test func `ends it at once when the calling task is cancelled`() async throws {
        let request = await self.holdOne()
        let client = self.world.client
        let task = Task { await client.shutdown(drainingFor: .seconds(10)) }
        task.cancel()
        #expect(await task.value.map(\.id) == [request.id])
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .clientShutDown)
    }

    @Test func `returns at once where nothing is in flight, a second time too`() async throws {
        #expect(await self.world.client.shutdown(drainingFor: .seconds(10)).isEmpty)
        #expect(await self.world.client.shutdown(drainingFor: .seconds(10)).isEmpty)
    }

    /// What is refused runs its hooks, and is in flight meanwhile.
    @Test func `is not held up by what is refused, and does not return it`() async throws {
        let hook = FixtureGate()
        let held = FixtureHooks(willStop: { activity, _ in
            if activity.request?.url.path == "/late" { await hook.pass(isPatient: true) }
        })
        let world = FixtureWorld {
            $0.accessories = [held]
            $0.options = $0.options.withoutTimeout()
        }
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { world.transport.activeCount == 1 }
        async let left = world.client.shutdown(drainingFor: .seconds(10))
        await fixtureUntil { (try? await world.client.batch(of: [FixtureText]()).value) == nil }
        let late = world.client.request(FixtureText("late"))
        await late.start()
        await hook.waitUntilReached()
        self.gate.open()
        #expect(await left.isEmpty)
        hook.open()
    }

    @Test func `ends for all when the client is shut down`() async throws {
        _ = await self.holdOne()
        async let left = self.world.client.shutdown(drainingFor: .seconds(1_000))
        await self.waitUntilDraining()
        await self.world.client.shutdown()
        _ = await left
    }

    @Test func `ends once for all who drain`() async throws {
        _ = await self.holdOne()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { await self.world.client.shutdown(drainingFor: .seconds(10)).count }
            }
            await self.waitUntilDraining()
            self.gate.open()
            #expect(await group.reduce(0, +) == 0)
        }
        await self.world.expectAtRest()
    }

    @Test func `a draining client lets a chain send its other steps`() async throws {
        self.world.transport.route("a", StubReply.text("x").held(by: self.gate))
        self.world.transport.route("b", .text("y"))
        let chain = self.world.client.chain(FixtureText("a")).then { _ in FixtureText("b") }
        try await chain.start()
        await self.gate.waitUntilReached()
        async let left = self.world.client.shutdown(drainingFor: .seconds(10))
        await self.waitUntilDraining()
        self.gate.open()
        #expect(try await chain.value == "y")
        #expect(await left.isEmpty)
    }
}
