internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Requests: completion closures (G1, G2; D14)", .timeLimit(.minutes(60)), .paced)
struct RequestCompletionTests {
    private let log = FixtureLog()

    private func world(isLogging: Bool = false) -> FixtureWorld {
        let log = self.log
        return FixtureWorld { if isLogging { $0.accessories = [FixtureHooks.logging("-", to: log)] } }
    }

    private func start(_ request: Request<FixtureText>, _ name: String = "closure") {
        let log = self.log
        request.start {
            MainActor.assertIsolated()
            log.add("\(name) \($0)")
        } onFailure: {
            MainActor.assertIsolated()
            log.add("\(name) \($0.code)")
        }
    }

    @Test func `run on the main actor after willStop and before didStop`() async {
        let world = self.world(isLogging: true)
        world.transport.route("a", .text("x"))
        self.start(world.client.request(FixtureText()))
        await self.log.wait(for: 5)
        #expect(self.log.lines == ["- willStart", "- didStart", "- willStop", "closure x", "- didStop"])
    }

    @Test(arguments: [false, true])
    func `are told of a failure`(isLogging: Bool) async {
        let world = self.world(isLogging: isLogging)
        world.transport.route("a", .failure(.cannotConnect))
        self.start(world.client.request(FixtureText()))
        await self.log.wait(for: isLogging ? 5 : 1)
        #expect(self.log.lines.filter { $0.hasPrefix("closure") } == ["closure cannotConnect"])
    }

    @Test func `are told of a cancellation, once`() async {
        let world = self.world()
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        self.start(request)
        await gate.waitUntilReached()
        request.cancel()
        request.cancel()
        await self.log.wait(for: 1)
        await #expect(throws: ErrandError.self) { try await request.value }
        await fixtureUntil { await world.client.record.count == 0 }
        #expect(self.log.lines == ["closure cancelled"])
    }

    @Test func `of a request that is refused are told so`() async {
        let world = self.world(isLogging: true)
        self.start(world.client.request(FixtureText("a b")))
        await self.log.wait(for: 1)
        #expect(self.log.lines == ["closure invalidURL"])
    }

    @Test func `of a request that was cancelled before it started are told so`() async {
        let world = self.world(isLogging: true)
        let request = world.client.request(FixtureText())
        request.cancel()
        self.start(request)
        await self.log.wait(for: 1)
        #expect(self.log.lines == ["closure cancelled"])
    }

    @Test func `of a request that is over are told at once`() async throws {
        let world = self.world()
        world.transport.route("a", .text("x"))
        let request = world.client.request(FixtureText())
        _ = try await request.value
        self.start(request)
        await self.log.wait(for: 1)
        #expect(self.log.lines == ["closure x"])
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `may be several, each called once`() async throws {
        let world = self.world()
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        for name in ["1", "2", "3"] { self.start(request, name) }
        await gate.waitUntilReached()
        gate.open()
        await self.log.wait(for: 3)
        _ = try await request.value
        #expect(self.log.lines.sorted() == ["1 x", "2 x", "3 x"])
        #expect(world.transport.receivedCount == 1)
    }

    @Test(arguments: ["a", "a b"])
    func `are let go of once they ran`(path: String) async throws {
        let world = self.world()
        world.transport.route("a", .text("x"))
        let request = world.client.request(FixtureText(path))
        weak var leaked: FixtureToken?
        do {
            let token = FixtureToken()
            leaked = token
            let log = self.log
            request.start { [token] _ in
                withExtendedLifetime(token) { log.add("ran") }
            } onFailure: { [token] _ in
                withExtendedLifetime(token) { log.add("ran") }
            }
        }
        await self.log.wait(for: 1)
        await fixtureUntil { leaked == nil }
        #expect(leaked == nil)
        // The request itself is still there.
        #expect(await request.state != .running)
    }

    @Test func `may start the same call again (D14)`() async {
        let world = self.world(isLogging: true)
        world.transport.route("a", .text("1"), .text("2"))
        let (client, log) = (world.client, self.log)
        client.request(FixtureText()).start { first in
            log.add("first \(first)")
            client.request(FixtureText()).start { log.add("second \($0)") }
        }
        await fixtureUntil { log.lines.filter { $0 == "- didStop" }.count == 2 }
        #expect(log.lines.filter { !$0.hasPrefix("-") } == ["first 1", "second 2"])
    }

    @Test func `may start their own request again, which is over by then`() async {
        let world = self.world()
        world.transport.route("a", .text("1"), .text("2"))
        let request = world.client.request(FixtureText())
        let log = self.log
        request.start { first in
            log.add("first \(first)")
            request.start { log.add("second \($0)") }
        }
        await log.wait(for: 2)
        #expect(log.lines == ["first 1", "second 1"])
    }
}
