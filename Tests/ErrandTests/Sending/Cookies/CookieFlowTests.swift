internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Cookies: from response to request", .timeLimit(.minutes(60)), .paced)
struct CookieFlowTests {
    private let pass = FixtureInterceptor { request, _, next in try await next(request) }

    private func world(
        _ policy: CookiePolicy = .perClient, intercepted: Bool = false,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        FixtureWorld {
            $0.cookies = policy
            if intercepted { $0.interceptors = [self.pass] }
            configure(&$0)
        }
    }

    private func reply(_ cookies: String..., location: String? = nil) -> StubReply {
        var headers = HTTPFields(cookies.map { HTTPField(name: "Set-Cookie", value: $0) })
        headers["Location"] = location
        return .data(Data("x".utf8), status: location == nil ? 200 : 302, headers: headers)
    }

    private func sent(_ world: FixtureWorld) -> [String?] {
        world.transport.received.map { $0.headers["Cookie"] }
    }

    @Test(arguments: [false, true])
    func `a cookie that is set goes with later requests of its host`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted)
        world.transport.route("login", self.reply("s=1", "t=2; Path=/deep"))
        world.transport.route("*", .text("x"))
        for path in ["login", "a", "deep/b", "https://other.test/c"] {
            _ = try await world.client.send(FixtureText(path))
        }
        #expect(self.sent(world) == [nil, "s=1", "t=2; s=1", nil])
    }

    @Test(arguments: [false, true])
    func `a cookie that is set by a redirection goes with the next hop`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted)
        world.transport.route("a", self.reply("s=1", location: "b"))
        world.transport.route("b", self.reply("s=2", location: "https://other.test/c"))
        world.transport.route("c", self.reply("o=1", location: "https://api.test/d"))
        world.transport.route("d", .text("x"))
        _ = try await world.client.send(FixtureText())
        #expect(self.sent(world) == [nil, "s=1", nil, "s=2"])
    }

    @Test(arguments: [false, true])
    func `whoever waits for the slot gets it once the cookies are kept`(intercepted: Bool) async throws {
        let (gate, keeping) = (StubGate(), FixtureGate())
        let world = self.world(.store(HoldingStore(gate: keeping)), intercepted: intercepted) {
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
            $0.options = $0.options.withoutTimeout()
        }
        world.transport.route("login", self.reply("s=1").held(by: gate))
        world.transport.route("*", .text("x"))
        let requests = ["login", "a"].map { world.client.request(FixtureText($0)) }
        // The one that is to wait starts when the other one has the slot.
        await requests[0].start()
        await gate.waitUntilReached()
        await requests[1].start()
        await world.waitUntilQueued(1)
        gate.open()
        await keeping.waitUntilReached()
        #expect(await world.client.scheduler.waitingCount == 1, "the store is still at it")
        keeping.open()
        for request in requests { #expect(try await request.value == "x") }
        #expect(self.sent(world) == [nil, "s=1"])
    }

    @Test(arguments: [false, true])
    func `a redirection to the same URL is followed when it sets a cookie`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted)
        world.transport.route("a", self.reply("s=1", location: "a"), .text("in"))
        #expect(try await world.client.send(FixtureText()) == "in")
        #expect(self.sent(world) == [nil, "s=1"])
    }

    @Test func `a redirection to the same URL that changes no cookie is a circle`() async {
        for policy in [CookiePolicy.perClient, .off] {
            let world = self.world(policy)
            world.transport.route("a", self.reply("s=1", location: "a"))
            let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
            #expect(error?.code == .invalidRedirect)
            if case .off = policy {
                #expect(world.transport.receivedCount == 1)
            } else {
                #expect(self.sent(world) == [nil, "s=1"])
            }
            await world.expectAtRest()
        }
    }

    @Test(arguments: [401, 404, 500])
    func `any response may set cookies`(status: Int) async throws {
        let world = self.world()
        world.transport.route(
            "a", .data(Data(), status: HTTPStatus(rawValue: status), headers: ["Set-Cookie": "s=1"]), .text("x"))
        _ = try? await world.client.send(FixtureText())
        _ = try await world.client.send(FixtureText())
        #expect(self.sent(world) == [nil, "s=1"])
    }

    @Test func `nothing is kept unless it is asked for`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", self.reply("s=1"))
        for _ in 1...2 { _ = try await world.client.send(FixtureText()) }
        #expect(self.sent(world) == [nil, nil])
    }

    @Test func `a request's own cookies go before those of the same name`() async throws {
        let world = self.world()
        world.transport.route("login", self.reply("a=1", "b=2"))
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText("login"))
        _ = try await world.client.send(FixtureText { $0.headers = ["Cookie": "b=own"] })
        #expect(self.sent(world) == [nil, "b=own; a=1"])
    }

    @Test func `a store is shared by the clients that have it`() async throws {
        let jar = CookieJar()
        let (one, two) = (self.world(.store(jar)), self.world(.store(jar)))
        one.transport.route("*", self.reply("s=1"))
        two.transport.route("*", .text("x"))
        _ = try await one.client.send(FixtureText())
        _ = try await two.client.send(FixtureText())
        #expect(self.sent(two) == ["s=1"])
        #expect(await jar.cookies.map(\.name) == ["s"])
    }

    @Test(arguments: [false, true])
    func `what waits for its slot has the cookies that came meanwhile`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted) {
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        }
        let gate = StubGate()
        world.transport.route("login", self.reply("s=1").held(by: gate))
        world.transport.route("*", .text("x"))
        let login = world.client.request(FixtureText("login"))
        await login.start()
        await gate.waitUntilReached()
        let later = world.client.request(FixtureText("a"))
        await later.start()
        await world.waitUntilQueued(1)
        gate.open()
        _ = try await login.value
        _ = try await later.value
        #expect(self.sent(world) == [nil, "s=1"])
    }

    @Test func `the wall clock of the client ends them`() async throws {
        let date = FixtureDate()
        let world = self.world { $0.environment.date = { date.now } }
        world.transport.route("login", self.reply("s=1; Max-Age=60"))
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText("login"))
        _ = try await world.client.send(FixtureText())
        date.advance(by: 61)
        _ = try await world.client.send(FixtureText())
        #expect(self.sent(world) == [nil, "s=1", nil])
    }
}

/// A jar that takes its time to keep something.
private final class HoldingStore: CookieStore {
    private let jar = CookieJar()
    private let gate: FixtureGate

    init(gate: FixtureGate) { self.gate = gate }

    func cookies(for url: HTTPURL) async -> [StoredCookie] { await self.jar.cookies(for: url) }

    func store(_ cookies: [StoredCookie], from url: HTTPURL) async {
        await self.gate.pass()
        await self.jar.store(cookies, from: url)
    }

    func removeAll() async { await self.jar.removeAll() }
}
