internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens: whom they are for, and where they go (G14, G15)", .timeLimit(.minutes(60)), .paced)
struct TokenOwnerTests {
    // MARK: - Users

    @Test func `that come after the user has logged out are not kept for the next one`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = scene.client(scene.authenticator())
        let requests = await scene.refused(3, by: client)
        client.forgetCredentials()
        // Of nobody who has logged in there is no token to renew.
        scene.renew { $0 == 1 ? OAuthToken(accessToken: "t1") : nil }
        let next = client.request(FixtureText("next"))
        await next.start()
        await scene.hold.waitUntilReached(2)
        scene.hold.open()
        #expect(await scene.code(of: next) == "unacceptableStatus")
        for request in requests { #expect(await scene.code(of: request) == "unacceptableStatus") }
        #expect(await scene.code(of: client.request(FixtureText("later"))) == "unacceptableStatus")
        #expect(!scene.sent.contains("Bearer t1"))
        #expect(scene.renewed == [OAuthToken(accessToken: "t0"), nil])
        await fixtureUntil { scene.store.token == nil }
        #expect(!scene.store.calls.contains("save t1"))
    }

    /// Starts a request that an interceptor holds at a gate.
    private func startHeld(_ client: Client) async -> (Request<FixtureText>, FixtureGate) {
        let gate = FixtureGate()
        let interceptor = FixtureInterceptor { request, _, next in
            await gate.pass()
            return try await next(request)
        }
        let old = client.request(FixtureText("old") { $0.options = .interceptors([interceptor]) })
        await old.start()
        await gate.waitUntilReached()
        return (old, gate)
    }

    @Test func `of the next user do not go with what began before`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"))
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        let (old, gate) = await self.startHeld(client)
        try await tokens.logOut()
        #expect(scene.store.token == nil)
        try await tokens.logIn(with: OAuthToken(accessToken: "t1", user: "bob"))
        #expect(try await client.send(FixtureText("new")) == "in")
        gate.open()
        #expect(await scene.code(of: old) == "unacceptableStatus")
        #expect(scene.sent == ["Bearer t1", nil])
        #expect(scene.renewed.isEmpty)
    }

    @Test(arguments: [(nil, nil), ("ann", nil), (nil, "ann"), ("ann", "bob")] as [(String?, String?)])
    func `of a login go with nothing that began before, unless it is known to be the same user`(
        before: String?, after: String?
    ) async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: before))
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        let (old, gate) = await self.startHeld(client)
        try await tokens.logIn(with: OAuthToken(accessToken: "t1", user: after))
        #expect(try await client.send(FixtureText("new")) == "in")
        gate.open()
        #expect(await scene.code(of: old) == "unacceptableStatus")
        #expect(scene.sent == ["Bearer t1", nil])
        #expect(scene.renewed.isEmpty)
    }

    @Test func `of the same user go with what began before`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"), isHeld: true)
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        let requests = await scene.refused(2, by: client)
        try await tokens.logIn(with: OAuthToken(accessToken: "t1", user: "ann"))
        scene.hold.open()
        scene.renew { _ in OAuthToken(accessToken: "t1") }
        for request in requests { #expect(await scene.code(of: request) == "in") }
    }

    @Test(arguments: ["over", "none", "t1"])
    func `that come while one is renewed are kept whatever comes of that`(renewal: String) async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"), accepting: "t9", isHeld: true)
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        let requests = await scene.refused(2, by: client)
        try await tokens.logIn(with: OAuthToken(accessToken: "t9", user: "ann"))
        scene.renew { _ in
            switch renewal {
            case "over": throw ErrandError(.loginRequired, "over")
            case "none": nil
            default: OAuthToken(accessToken: renewal)
            }
        }
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "in") }
        #expect(try await client.send(FixtureText("later")) == "in")
        #expect(scene.store.token?.accessToken == "t9")
        #expect(scene.renewed.count == 1)
    }

    @Test func `that cannot be sent log nobody out`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"), accepting: "t0")
        let tokens = scene.authenticator()
        await #expect(throws: ErrandError.self) { try await tokens.logIn(with: OAuthToken(accessToken: "")) }
        #expect(try await tokens.token?.user == "ann")
    }

    @Test func `that are renewed keep what they do not bring along`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", refreshToken: "r0", scope: "all", user: "ann"))
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        #expect(try await client.send(FixtureText()) == "in")
        let expected = OAuthToken(accessToken: "t1", refreshToken: "r0", scope: "all", user: "ann")
        #expect(try await tokens.token == expected)
        #expect(scene.store.token == expected)
        scene.renew { OAuthToken(accessToken: "t\($0)", refreshToken: "r\($0)") }
        scene.accept("t2")
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.store.token?.refreshToken == "r2")
    }

    // MARK: - Stored responses

    @Test(arguments: [CachePolicy.fresh(for: .seconds(600)), .http])
    func `of one user share what is stored, and those of another do not`(caching: CachePolicy) async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"), accepting: "t0")
        let tokens = scene.authenticator()
        let client = scene.client(tokens) { $0.cache = MemoryCache() }
        let endpoint = FixtureText { $0.options = .caching(caching) }
        #expect(try await client.response(for: endpoint).source == .network)
        #expect(try await client.response(for: endpoint).source.isCache)
        scene.accept("t1")
        #expect(try await client.send(FixtureText("other")) == "in")
        #expect(scene.renewed.count == 1)
        #expect(try await client.response(for: endpoint).source.isCache)
        try await tokens.logOut()
        try await tokens.logIn(with: OAuthToken(accessToken: "t1", user: "bob"))
        #expect(try await client.response(for: endpoint).source == .network)
        try await tokens.logIn(with: OAuthToken(accessToken: "t1", user: "ann"))
        #expect(try await client.response(for: endpoint).source.isCache)
    }

    @Test(arguments: [CachePolicy.fresh(for: .seconds(600)), .http])
    func `that are renewed on the way to a response do not keep it from being stored`(caching: CachePolicy) async throws
    {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"))
        let client = scene.client(scene.authenticator()) { $0.cache = MemoryCache() }
        let endpoint = FixtureText { $0.options = .caching(caching) }
        #expect(try await client.response(for: endpoint).source == .network)
        #expect(try await client.response(for: endpoint).source.isCache)
    }

    @Test(arguments: [CachePolicy.fresh(for: .seconds(600)), .http])
    func `without a user are told apart by themselves`(caching: CachePolicy) async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0"), accepting: "t0")
        let client = scene.client(scene.authenticator()) { $0.cache = MemoryCache() }
        let endpoint = FixtureText { $0.options = .caching(caching) }
        #expect(try await client.response(for: endpoint).source == .network)
        #expect(try await client.response(for: endpoint).source.isCache)
        scene.accept("t1")
        _ = try await client.send(FixtureText("other"))
        #expect(try await client.response(for: endpoint).source == .network)
    }

    @Test func `are not renewed for what is stored`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"), accepting: "t0")
        let tokens = scene.authenticator()
        let client = scene.client(tokens) { $0.cache = MemoryCache() }
        try await tokens.logIn(with: OAuthToken(accessToken: "t0", expiresAt: scene.time(in: 60), user: "ann"))
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(600))) }
        _ = try await client.send(endpoint)
        scene.pass(100)
        #expect(try await client.response(for: endpoint).source.isCache)
        #expect(scene.renewed.isEmpty)
    }

    @Test func `are those of requests that are shared`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = scene.client(scene.authenticator()) { $0.options = $0.options.coalescing(true) }
        let requests = (0..<5).map { _ in client.request(FixtureText()) }
        for request in requests { await request.start() }
        await scene.hold.waitUntilReached()
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "in") }
        #expect(scene.sent == ["Bearer t0", "Bearer t1"])
    }

    // MARK: - Places

    @Test func `do not go to another server, nor are renewed for one`() async throws {
        let scene = TokenScene()
        scene.transport.removeRoutes()
        scene.transport.route("a", .status(302, headers: ["Location": "https://elsewhere.test/b"]))
        scene.transport.route("b", .status(401))
        let client = scene.client(scene.authenticator())
        #expect(await scene.code(of: client.request(FixtureText("a"))) == "unacceptableStatus")
        #expect(await scene.code(of: client.request(FixtureText("https://elsewhere.test/b"))) == "unacceptableStatus")
        #expect(scene.sent == ["Bearer t0", nil, nil])
        #expect(scene.renewed.isEmpty)
    }

    @Test(arguments: [true, false])
    func `are not sent with an endpoint that uses no credentials`(keepsTokens: Bool) async throws {
        let scene = TokenScene()
        let asked = Locked(0)
        let plain = FixtureAuthenticator { _ in
            asked.withLock { $0 += 1 }
            return .bearer("t1")
        }
        let client = scene.client(keepsTokens ? scene.authenticator() : plain) {
            $0.credentials.origin = .bearer("client")
            $0.headers = ["Authorization": "header"]
        }
        let public_ = FixtureText { $0.options = .credentials(.none) }
        #expect(await scene.code(of: client.request(public_)) == "unacceptableStatus")
        let own = FixtureText {
            $0.options = $0.options.credentials(.own(.bearer("own")))
        }
        #expect(await scene.code(of: client.request(own)) == "unacceptableStatus")
        #expect(scene.sent == [nil, "Bearer own"])
        #expect(scene.renewed.isEmpty)
        #expect(asked.withLock { $0 } == 0)
    }

    @Test func `do not replace what a request brings along`() async throws {
        let scene = TokenScene()
        let client = scene.client(scene.authenticator())
        let own = FixtureText { $0.options = .credentials(.own(.bearer("own"))) }
        #expect(await scene.code(of: client.request(own)) == "unacceptableStatus")
        #expect(scene.sent == ["Bearer own"])
        #expect(scene.renewed.isEmpty)
    }

    @Test func `a token does not replace the Authorization of a request`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t1"))
        let client = scene.client(scene.authenticator())
        #expect(try await client.send(FixtureText("a")) == "in")
        let own = client.request(FixtureText("b") { $0.headers = ["Authorization": "Basic own"] })
        #expect(await scene.code(of: own) == "unacceptableStatus")
        #expect(scene.sent == ["Bearer t1", "Basic own"])
        #expect(scene.renewed.isEmpty)
    }
}
