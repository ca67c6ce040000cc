internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens in trouble (G3, G6, G18)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct TokenTroubleTests {
    // MARK: - Those that can still be sent

    /// A client whose token is renewed ahead of its end in 60 seconds: from now on, while renewals are held.
    private func soon(_ scene: TokenScene) async throws -> Client {
        let tokens = scene.authenticator(renewingAhead: .seconds(60))
        let client = scene.client(tokens)
        scene.accept("t0")
        try await tokens.logIn(with: OAuthToken(accessToken: "t0", expiresAt: scene.time(in: 600)))
        #expect(try await client.send(FixtureText("before")) == "in")
        scene.pass(545)
        return client
    }

    @Test func `are sent while the next one is got, once for all`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = try await self.soon(scene)
        for number in 0..<20 { #expect(try await client.send(FixtureText("\(number)")) == "in") }
        await scene.hold.waitUntilReached()
        #expect(scene.sent.allSatisfy { $0 == "Bearer t0" })
        scene.hold.open()
        await fixtureUntil { scene.store.token?.accessToken == "t1" }
        scene.accept("t1")
        #expect(try await client.send(FixtureText("after")) == "in")
        #expect(scene.renewed.count == 1)
        #expect(scene.sent.last == "Bearer t1")
    }

    @Test func `are not sent with a body that cannot be sent again, which waits for the next one`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = try await self.soon(scene)
        let upload = client.request(TokenScene.oneTimeCall)
        await upload.start()
        await scene.hold.waitUntilReached()
        // The server takes the old one no more, as soon as it has given out the next.
        scene.accept("t1")
        scene.hold.open()
        #expect(try await upload.value == "in")
        #expect(scene.sent == ["Bearer t0", "Bearer t1"])
    }

    @Test(arguments: [false, true])
    func `are sent with a body that cannot be sent again, when the next one cannot be had`(
        isLoginRequired: Bool
    ) async throws {
        let scene = TokenScene()
        let client = try await self.soon(scene)
        scene.renew { _ in
            if isLoginRequired { throw ErrandError(.loginRequired, "over") }
            throw FixtureError()
        }
        for _ in 1...2 { #expect(await scene.code(of: client.request(TokenScene.oneTimeCall)) == "in") }
        #expect(scene.renewed.count == 1, "it backs off")
        #expect(scene.sent == ["Bearer t0", "Bearer t0", "Bearer t0"])
        #expect(scene.store.token?.accessToken == "t0")
    }

    @Test func `that could be saved at last are not told as ones that could not`() async throws {
        let (scene, recorder) = (TokenScene(), EventRecorder())
        let tokens = scene.authenticator()
        _ = try await tokens.token
        scene.store.fail(FixtureError())
        // Nobody hears of it yet: this client has no accessories.
        #expect(try await scene.client(tokens).send(FixtureText()) == "in")
        scene.store.fail(nil)
        try await tokens.logIn(with: OAuthToken(accessToken: "t1"))
        let request = scene.client(tokens) { $0.accessories = [recorder] }.request(FixtureText())
        #expect(try await request.value == "in")
        #expect(!recorder.names(of: request.id).contains("notice"))
    }

    @Test func `are not sent any more once a server has refused them`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = try await self.soon(scene)
        scene.accept("t1")
        let first = client.request(FixtureText("first"))
        await scene.refused([first])
        await fixtureUntil { await client.scheduler.activeCount == 0 }
        for _ in 0..<100 { await Task.yield() }
        let others = (0..<5).map { client.request(FixtureText("\($0)")) }
        for request in others { await request.start() }
        for _ in 0..<100 { await Task.yield() }
        #expect(scene.sent.count == 2)
        scene.hold.open()
        for request in [first] + others { #expect(await scene.code(of: request) == "in") }
        #expect(scene.renewed.count == 1)
        #expect(scene.sent.filter { $0 == "Bearer t0" }.count == 2)
    }

    @Test func `are sent to their end when the user has to log in again, who is told then`() async throws {
        let scene = TokenScene()
        let client = try await self.soon(scene)
        scene.renew { _ in throw ErrandError(.loginRequired, "over") }
        for _ in 1...3 { #expect(try await client.send(FixtureText()) == "in") }
        await fixtureUntil { scene.renewed.count == 1 }
        for _ in 1...3 { #expect(try await client.send(FixtureText()) == "in") }
        #expect(scene.renewed.count == 1, "it backs off")
        #expect(scene.store.token != nil)
        scene.pass(55)
        #expect(await scene.code(of: client.request(FixtureText())) == "loginRequired")
        #expect(scene.store.token == nil)
        #expect(scene.sent.allSatisfy { $0 == "Bearer t0" })
    }

    // MARK: - The store

    @Test func `are loaded once for all who wait, and each leaves alone`() async throws {
        let store = SlowStore()
        let scene = TokenScene(accepting: "t0")
        let tokens = TokenAuthenticator(store: store) { _ in nil }
        let client = scene.client(tokens)
        let requests = (0..<20).map { client.request(FixtureText("\($0)")) }
        for request in requests { await request.start() }
        await store.gate.waitUntilReached()
        let asked = Task { try await tokens.token }
        for _ in 0..<100 { await Task.yield() }
        requests[0].cancel()
        #expect(await scene.code(of: requests[0]) == "cancelled")
        store.gate.open()
        for request in requests.dropFirst() { #expect(await scene.code(of: request) == "in") }
        #expect(try await asked.value?.accessToken == "t0")
        #expect(store.gate.reachedCount == 1)
    }

    @Test func `are loaded again when all have left, and the store with them`() async throws {
        let store = SlowStore()
        let scene = TokenScene(accepting: "t0")
        let client = scene.client(TokenAuthenticator(store: store) { _ in nil })
        let request = client.request(FixtureText())
        await request.start()
        await store.gate.waitUntilReached()
        request.cancel()
        #expect(await scene.code(of: request) == "cancelled")
        let next = client.request(FixtureText())
        await next.start()
        await store.gate.waitUntilReached(2)
        store.gate.open()
        #expect(await scene.code(of: next) == "in")
    }

    @Test func `are named in a notice when they cannot be saved, or removed`() async throws {
        let scene = TokenScene()
        let recorder = EventRecorder()
        let tokens = scene.authenticator()
        let client = scene.client(tokens) { $0.accessories = [recorder] }
        func notices() -> [String] {
            recorder.entries.compactMap { if case .event(.notice(let text)) = $0.call { text } else { nil } }
        }
        _ = try await tokens.token
        scene.store.fail(FixtureError())
        #expect(try await client.send(FixtureText()) == "in")
        #expect(notices().count == 1)
        #expect(notices().first?.contains("a failure of the app") == true)
        #expect(try await client.send(FixtureText()) == "in")
        #expect(notices().count == 1, "once")
        client.forgetCredentials()
        // The store throws in a moment; the request is one that makes it do nothing more.
        let terms = FixtureText { $0.options = .credentials(.none) }
        await fixtureUntil {
            _ = try? await client.send(terms)
            return notices().count == 2
        }
        #expect(scene.store.calls.last == "remove")
    }

    // MARK: - Servers that take none

    @Test func `that a server refuses all are renewed seldom, and longer apart each time`() async throws {
        let scene = TokenScene(accepting: "none")
        let client = scene.client(scene.authenticator())
        func refused(_ count: Int) async {
            for _ in 0..<count { #expect(await scene.code(of: client.request(FixtureText())) == "unacceptableStatus") }
        }
        await refused(5)
        #expect(scene.renewed.count == 1)
        #expect(scene.sent.map { $0 ?? "" } == ["Bearer t0"] + Array(repeating: "Bearer t1", count: 5))
        scene.pass(1)
        await refused(5)
        #expect(scene.renewed.count == 2)
        scene.pass(1)
        await refused(5)
        #expect(scene.renewed.count == 2)
        scene.pass(1)
        await refused(5)
        #expect(scene.renewed.count == 3)
        // When that is over, so is the trouble.
        scene.accept("t4")
        scene.pass(4)
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.count == 4)
    }

    @Test func `that a server refused when it was new are renewed all the same when they are over`() async throws {
        let scene = TokenScene(accepting: "t2")
        let client = scene.client(scene.authenticator())
        scene.renew { OAuthToken(accessToken: "t\($0)", expiresAt: scene.time(in: 0.5)) }
        #expect(await scene.code(of: client.request(FixtureText())) == "unacceptableStatus")
        scene.pass(0.6)
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.count == 2)
    }

    @Test func `that many were refused together count as one failure`() async throws {
        let scene = TokenScene(accepting: "none", isHeld: true)
        let client = scene.client(scene.authenticator())
        let requests = await scene.refused(30, by: client)
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "unacceptableStatus") }
        scene.accept("t2")
        scene.pass(1)
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.count == 2)
    }

    // MARK: - With hedges

    @Test func `that 30 hedged requests are refused are renewed once, and each attempt is sent again once`()
        async throws
    {
        let scene = TokenScene(isHeld: true)
        let client = scene.client(scene.authenticator()) {
            $0.options = $0.options.hedging(.after(.seconds(1)))
            $0.limits.retryBudget = .unlimited
            $0.options = $0.options.withoutTimeout()
        }
        let requests = (0..<30).map { client.request(FixtureText("\($0)")) }
        let gate = scene.holdReplies()
        for request in requests { await request.start() }
        await fixtureUntil { scene.transport.receivedCount == 30 && scene.clock.sleeperCount >= 30 }
        scene.pass(1)
        await fixtureUntil { scene.transport.receivedCount == 60 }
        scene.letReplies(gate)
        await scene.hold.waitUntilReached()
        await fixtureUntil { scene.transport.activeCount == 0 }
        for _ in 0..<100 { await Task.yield() }
        scene.pass(5)
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "in") }
        #expect(scene.renewed.count == 1)
        #expect((90...120).contains(scene.transport.receivedCount))
        #expect(await client.scheduler.activeCount == 0)
    }
}

/// A store that loads slowly: until its gate is open.
private final class SlowStore: TokenAuthenticator.Store {
    let gate = FixtureGate()

    func load() async throws -> OAuthToken? {
        await self.gate.pass()
        try Task.checkCancellation()
        return OAuthToken(accessToken: "t0")
    }

    func save(_ token: OAuthToken) async throws {}
    func remove() async throws {}
}
