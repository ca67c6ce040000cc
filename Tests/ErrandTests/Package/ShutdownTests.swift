internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("The client: its end (G2, G3, G6)", .timeLimit(.minutes(60)), .paced)
struct ShutdownTests {
    private let gate = StubGate()

    private func world(isRecording: Bool = false) -> FixtureWorld {
        let world = FixtureWorld(isRecording: isRecording)
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        return world
    }

    private func code(_ body: () async throws -> Void) async -> ErrandError.Code? {
        await #expect(throws: ErrandError.self) { try await body() }?.code
    }

    @Test(arguments: [false, true])
    func `fails what is in flight`(isRecording: Bool) async throws {
        let world = self.world(isRecording: isRecording)
        let request = world.client.request(FixtureText("1"))
        let batch = world.client.batch(of: [FixtureText("2"), FixtureText("3")])
        let chain = world.client.chain(FixtureText("4")).then { FixtureText($0) }
        await request.start()
        try await batch.start()
        try await chain.start()
        await self.gate.waitUntilReached(4)
        await world.client.shutdown()
        #expect(await self.code { _ = try await request.value } == .clientShutDown)
        #expect(await self.code { _ = try await batch.value } == .clientShutDown)
        #expect(await self.code { _ = try await chain.value } == .clientShutDown)
        #expect(await request.state == .failed)
        #expect(world.transport.receivedCount == 4)
        if isRecording {
            await fixtureUntil { world.recorder.end(of: request.id) != nil }
            for id in [request.id, batch.id, chain.id] + world.recorder.ids(of: .request) {
                #expect(world.recorder.hooks(of: id) == FixtureHook.names)
            }
        }
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `fails what waits for a slot`(isRecording: Bool) async {
        let world = self.world(isRecording: isRecording)
        await world.client.scheduler.pause()
        let task = Task { await self.code { _ = try await world.client.send(FixtureText()) } }
        await world.waitUntilQueued(1)
        await world.client.shutdown()
        #expect(await task.value == .clientShutDown)
        await world.expectAtRest()
    }

    @Test(arguments: [FixtureHook.willStart, .didStart])
    func `fails what is in its first hooks`(hook: FixtureHook) async {
        let world = self.world()
        self.gate.open()
        let hold = FixtureGate()
        let request = world.client.request(
            FixtureText(),
            options: .accessories([FixtureHooks.holding(hook, at: hold, isPatient: true)]))
        await request.start()
        await hold.waitUntilReached()
        await world.client.shutdown()
        hold.open()
        #expect(await self.code { _ = try await request.value } == .clientShutDown)
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }

    @Test func `ends streamed outcomes`() async {
        let world = self.world()
        let task = Task {
            var codes: [ErrandError.Code?] = []
            for await outcome in world.client.outcomes(of: (1...9).map { FixtureText("\($0)") }, width: 2) {
                codes.append(outcome.response.fixtureFailure?.code)
            }
            return codes
        }
        await self.gate.waitUntilReached(2)
        await world.client.shutdown()
        #expect(await task.value.count == 2)
        await world.expectAtRest()
    }

    @Test func `fails what is started later, without a hook`() async throws {
        let world = self.world(isRecording: true)
        self.gate.open()
        await world.client.shutdown()
        await world.client.shutdown()
        let request = world.client.request(FixtureText())
        #expect(await self.code { _ = try await request.value } == .clientShutDown)
        #expect(await self.code { _ = try await world.client.send(FixtureText()) } == .clientShutDown)
        #expect(world.recorder.entries.isEmpty)
        #expect(await self.code { _ = try await world.client.batch(of: [FixtureText()]).value } == .clientShutDown)
        #expect(await self.code { _ = try await world.client.chain(FixtureText()).value } == .clientShutDown)
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }

    @Test func `fails a batch or a chain that is started later as such, an empty batch too`() async throws {
        let world = self.world()
        await world.client.shutdown()
        #expect(await self.code { _ = try await world.client.batch(of: [] as [FixtureText]).value } == .clientShutDown)
        let batch = world.client.batch(of: [FixtureText()])
        let ofBatch = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(ofBatch?.context.index == nil)
        #expect(await batch.failedRequest == nil)
        let ofChain = await #expect(throws: ErrandError.self) { try await world.client.chain(FixtureText()).value }
        #expect(ofChain?.context.index == nil)
        await world.expectAtRest()
    }

    @Test func `tells a step of a chain that it was that`() async throws {
        for _ in 1...20 {
            let world = FixtureWorld(isRecording: true)
            let gate = StubGate()
            world.transport.route("*", StubReply.text("x").held(by: gate))
            let chain = world.client.chain(FixtureText())
            try await chain.start()
            await gate.waitUntilReached()
            await world.client.shutdown()
            #expect(await self.code { _ = try await chain.value } == .clientShutDown)
            let step = try #require(world.recorder.ids(of: .request).first)
            #expect(world.recorder.end(of: step)?.error?.code == .clientShutDown)
        }
    }

    @Test func `leaves answers that are there`() async throws {
        let world = self.world()
        self.gate.open()
        let request = world.client.request(FixtureText())
        #expect(try await request.value == "x")
        await world.client.shutdown()
        #expect(try await request.value == "x")
    }

    @Test func `leaves a transport alone that was given`() async throws {
        let world = self.world()
        await world.client.shutdown()
        #expect(world.transport.isShutDown == false)
        let other = Client(baseURL: "https://api.test/") { $0.transport = world.transport }
        self.gate.open()
        #expect(try await other.send(FixtureText()) == "x")
    }

    @Test func `shuts down the transport of its own`() async {
        let client = Client()
        await client.shutdown()
        #expect(await self.code { _ = try await client.send(FixtureText("http://127.0.0.1:1/")) } == .clientShutDown)
    }

    @Test func `by letting go of it lets requests finish`() async throws {
        let transport = StubTransport()
        transport.route("*", StubReply.text("x").held(by: self.gate))
        let (request, batch) = try await self.started(on: transport)
        await self.gate.waitUntilReached(2)
        self.gate.open()
        #expect(try await request.value == "x")
        #expect(try await batch.value == ["x"])
    }

    /// Starts work with a client that nobody holds afterwards.
    private func started(
        on transport: StubTransport
    ) async throws -> (Request<FixtureText>, BatchRequest<[String], [Result<String, ErrandError>]>) {
        let client = Client(baseURL: "https://api.test/") { $0.transport = transport }
        let request = client.request(FixtureText())
        let batch = client.batch(of: [FixtureText("b")])
        await request.start()
        try await batch.start()
        return (request, batch)
    }
}
