internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens: when they are renewed, and which one stays (G3, G15)", .timeLimit(.minutes(60)), .paced)
struct TokenTimingTests {
    @Test func `a token that lives for a moment is renewed at half of its life, and not for each request`()
        async throws
    {
        let scene = TokenScene(nil)
        scene.renew { OAuthToken(accessToken: "t\($0)", expiresAt: scene.time(in: 30)) }
        let client = scene.client(scene.authenticator(renewingAhead: .seconds(60)))
        #expect(try await client.send(FixtureText()) == "in")
        scene.pass(14)
        // It would wait for a renewal that is due, and so would the count.
        for _ in 1...2 { #expect(await scene.code(of: client.request(TokenScene.oneTimeCall)) == "in") }
        #expect(scene.renewed.count == 1)
        scene.pass(1)
        scene.accept("t2")
        for _ in 1...2 { #expect(await scene.code(of: client.request(TokenScene.oneTimeCall)) == "in") }
        #expect(scene.renewed.count == 2)
        #expect(scene.sent == ["t1", "t1", "t1", "t2", "t2"].map { "Bearer \($0)" })
    }

    @Test func `a late 401 to an older token, which cannot be followed up, does not have the current one renewed`()
        async throws
    {
        let scene = TokenScene()
        let client = scene.client(scene.authenticator())
        let held = scene.holdReplies()
        let late = client.request(TokenScene.oneTimeCall)
        await late.start()
        await held.waitUntilReached()
        scene.holdReplies().open()
        #expect(try await client.send(FixtureText()) == "in")
        held.open()
        #expect(await scene.code(of: late) == "unacceptableStatus")
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.sent == ["t0", "t0", "t1", "t1"].map { "Bearer \($0)" })
        #expect(scene.renewed.count == 1)
    }

    @Test func `a renewal that fails by a request of its own is a failure of the authenticator`() async throws {
        let scene = TokenScene()
        let server = FixtureWorld()
        server.transport.route("/token", .status(404))
        let tokens = TokenAuthenticator(store: scene.store) { _ in
            _ = try await server.client.send(FixtureText("token"))
            return nil
        }
        let error = await #expect(throws: ErrandError.self) { try await scene.client(tokens).send(FixtureText()) }
        #expect(error?.code == .authenticatorFailed)
        #expect(error?.context.url?.hasSuffix("/token") != true)
        #expect((error?.cause as? ErrandError)?.code == .unacceptableStatus)
    }

    // MARK: - Which one stays

    @Test func `a token that is loaded late does not take the place of one that came with a login`() async throws {
        let scene = TokenScene()
        let store = SlowStore()
        let tokens = TokenAuthenticator(store: store) { _ in nil }
        let client = scene.client(tokens)
        let early = Task { try await tokens.token }
        await store.gate.waitUntilReached()
        try await tokens.logOut()
        try await tokens.logIn(with: OAuthToken(accessToken: "t1"))
        store.gate.open()
        _ = try await early.value
        #expect(try await tokens.token?.accessToken == "t1")
        #expect(await scene.code(of: client.request(FixtureText())) == "in")
        #expect(scene.sent == ["Bearer t1"])
    }

    @Test func `the token of the last login is the one that is stored, though an earlier one is stored late`()
        async throws
    {
        let store = OrderedStore(holding: "t1")
        let tokens = TokenAuthenticator(store: store) { _ in nil }
        let early = Task { try await tokens.logIn(with: OAuthToken(accessToken: "t1")) }
        await store.gate.waitUntilReached()
        try await tokens.logIn(with: OAuthToken(accessToken: "t2"))
        store.gate.open()
        try await early.value
        #expect(store.saved.withLock { $0 } == ["t2", "t1", "t2"])
        #expect(try await tokens.token?.accessToken == "t2")
    }
}

/// A store that is long at keeping one of the tokens.
private final class OrderedStore: TokenAuthenticator.Store {
    let gate = FixtureGate()
    let saved = Locked<[String]>([])
    private let held: String

    init(holding held: String) { self.held = held }

    func load() async throws -> OAuthToken? { nil }

    func save(_ token: OAuthToken) async throws {
        if token.accessToken == self.held { await self.gate.pass() }
        self.saved.withLock { $0.append(token.accessToken) }
    }

    func remove() async throws {}
}

/// A store whose token is long on its way.
private final class SlowStore: TokenAuthenticator.Store {
    let gate = FixtureGate()

    func load() async throws -> OAuthToken? {
        await self.gate.pass(isPatient: true)
        return OAuthToken(accessToken: "t0")
    }

    func save(_ token: OAuthToken) async throws {}
    func remove() async throws {}
}
