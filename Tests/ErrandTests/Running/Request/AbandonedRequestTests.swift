internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Requests that everyone who waited has left (G1, G3, G6)", .timeLimit(.minutes(60)), .paced)
struct AbandonedRequestTests {
    private let gate = StubGate()

    /// A world in which the first reply is held, and all others come at once.
    private func world(_ accessories: [any Accessory] = []) -> FixtureWorld {
        let world = FixtureWorld { $0.accessories = accessories }
        world.transport.route("a", StubReply.text("old").held(by: self.gate), StubReply.text("new"))
        return world
    }

    /// A task that waits for the value and answers it, or the code of its error.
    private func waiter(_ request: Request<FixtureText>) -> Task<String, Never> {
        Task { await self.value(of: request) }
    }

    private func value(of request: Request<FixtureText>) async -> String {
        do throws(ErrandError) {
            return try await request.value
        } catch {
            return error.code.description
        }
    }

    /// A request whose only waiter has come and gone.
    private func abandoned(in world: FixtureWorld) async -> Request<FixtureText> {
        let request = world.client.request(FixtureText(), options: .tag("t"))
        let first = self.waiter(request)
        await self.gate.waitUntilReached()
        first.cancel()
        #expect(await first.value == "cancelled")
        return request
    }

    // MARK: - Newcomers

    @Test func `run anew for who joins while they end`() async {
        let ending = FixtureGate()
        let world = self.world([FixtureHooks.holding(.willStop, at: ending, isPatient: true)])
        let request = world.client.request(FixtureText())
        let first = self.waiter(request)
        await self.gate.waitUntilReached()
        first.cancel()
        await ending.waitUntilReached()
        let second = self.waiter(request)
        // The old run is still at its end, and the new one on its way.
        await fixtureUntil { world.transport.receivedCount == 2 }
        ending.open()
        #expect(await second.value == "new")
        #expect(await first.value == "cancelled")
        #expect(world.transport.receivedCount == 2)
        await world.expectAtRest()
    }

    @Test func `run anew for who joins when they are over`() async throws {
        let world = self.world()
        let request = await self.abandoned(in: world)
        let response = try await request.response
        #expect(response.value == "new")
        #expect(response.requestID != request.id)
        #expect(world.transport.receivedCount == 2)
        await world.expectAtRest()
    }

    @Test func `run anew once for all who join`() async {
        let world = self.world()
        let request = await self.abandoned(in: world)
        let newcomers = (1...20).map { _ in self.waiter(request) }
        for newcomer in newcomers { #expect(await newcomer.value == "new") }
        #expect(await self.waiter(request).value == "new")
        #expect(world.transport.receivedCount == 2)
    }

    @Test func `run anew as often as they are left`() async {
        let world = FixtureWorld()
        world.transport.route("a", StubReply.text("x").held(by: self.gate))
        let request = world.client.request(FixtureText())
        for count in 1...3 {
            let waiter = self.waiter(request)
            await self.gate.waitUntilReached(count)
            waiter.cancel()
            #expect(await waiter.value == "cancelled")
        }
        self.gate.open()
        #expect(await self.waiter(request).value == "x")
        #expect(world.transport.receivedCount == 4)
        await world.expectAtRest()
    }

    @Test func `run anew for who starts them`() async throws {
        let world = self.world()
        let request = await self.abandoned(in: world)
        await request.start()
        let values = AsyncStream<String>.makeStream()
        request.start(onSuccess: { values.continuation.yield($0) })
        #expect(await values.stream.first { _ in true } == "new")
        #expect(try await request.value == "new")
        #expect(world.transport.receivedCount == 2)
    }

    @Test func `do not run anew for a task that is cancelled`() async {
        let world = self.world()
        let request = await self.abandoned(in: world)
        let gate = FixtureGate()
        let newcomer = Task {
            await gate.pass()
            return await self.value(of: request)
        }
        newcomer.cancel()
        #expect(await newcomer.value == "cancelled")
        #expect(world.transport.receivedCount == 1)
    }

    // MARK: - Looking and cancelling

    @Test func `show the new run`() async throws {
        let world = self.world()
        let request = await self.abandoned(in: world)
        #expect(await request.state == .failed)
        await request.start()
        var states: [RequestState] = []
        for await state in await request.states { states.append(state) }
        #expect(states.last == .finished)
        #expect(await request.state == .finished)
        var values: [String] = []
        for try await response in await request.responses { values.append(response.value) }
        #expect(values == ["new"])
    }

    @Test func `cancel the new run when they are cancelled`() async {
        let world = FixtureWorld()
        world.transport.route("a", StubReply.text("x").held(by: self.gate))
        let request = await self.abandoned(in: world)
        let newcomer = self.waiter(request)
        await self.gate.waitUntilReached(2)
        request.cancel()
        #expect(await newcomer.value == "cancelled")
        #expect(await self.waiter(request).value == "cancelled")
        #expect(world.transport.receivedCount == 2)
        await world.expectAtRest()
    }

    @Test func `stay cancelled when someone cancels them afterwards`() async {
        let world = self.world()
        let request = await self.abandoned(in: world)
        request.cancel()
        #expect(await self.waiter(request).value == "cancelled")
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `do not run anew when somebody cancelled, and not only left`() async {
        let world = self.world()
        let request = world.client.request(FixtureText())
        let first = self.waiter(request)
        await self.gate.waitUntilReached()
        request.cancel()
        #expect(await first.value == "cancelled")
        #expect(await self.waiter(request).value == "cancelled")
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `do not run anew when the client was shut down`() async {
        let world = self.world()
        let request = await self.abandoned(in: world)
        await world.client.shutdown()
        #expect(await self.waiter(request).value == "clientShutDown")
    }
}
