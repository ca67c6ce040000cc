internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens that are renewed (G3, G6, G18)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct TokenAuthenticatorTests {
    // MARK: - After a 401

    @Test func `are sent before a server asks, and renewed once for all that were refused`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = scene.client(scene.authenticator())
        let requests = await scene.refused(50, by: client)
        #expect(await client.scheduler.activeCount == 0)
        // What begins now knows that the token is being renewed.
        let late = client.request(FixtureText("late"))
        await late.start()
        for _ in 0..<100 { await Task.yield() }
        scene.hold.open()
        for request in requests + [late] { #expect(await scene.code(of: request) == "in") }
        #expect(scene.renewed == [OAuthToken(accessToken: "t0")])
        #expect(scene.sent.filter { $0 == "Bearer t0" }.count == 50)
        #expect(scene.sent.filter { $0 == "Bearer t1" }.count == 51)
        #expect(scene.store.calls.last == "save t1")
    }

    @Test func `are used without another renewal by what was refused the one before`() async throws {
        let scene = TokenScene()
        let gate = StubGate()
        scene.transport.removeRoutes()
        scene.transport.route("late", StubReply.status(401).held(by: gate), .text("in"))
        scene.transport.route("a", .status(401), .text("in"))
        let client = scene.client(scene.authenticator())
        let late = client.request(FixtureText("late"))
        await late.start()
        await gate.waitUntilReached()
        #expect(try await client.send(FixtureText("a")) == "in")
        gate.open()
        #expect(try await late.value == "in")
        #expect(scene.renewed.count == 1)
        #expect(scene.sent == ["t0", "t0", "t1", "t1"].map { "Bearer \($0)" })
    }

    @Test func `are renewed once for all servers and all clients`() async throws {
        let scene = TokenScene(isHeld: true)
        let tokens = scene.authenticator()
        let one = scene.client(tokens) { $0.baseURLs.named = ["other": "https://other.test"] }
        let two = scene.client(tokens)
        let requests = [
            one.request(FixtureText("a")), one.request(FixtureText("https://other.test/b")),
            two.request(FixtureText("c")),
        ]
        await scene.refused(requests)
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "in") }
        #expect(scene.renewed.count == 1)
    }

    @Test func `that are refused again are not renewed for the same request`() async {
        let scene = TokenScene(accepting: "none")
        let client = scene.client(scene.authenticator())
        #expect(await scene.code(of: client.request(FixtureText())) == "unacceptableStatus")
        #expect(scene.renewed.count == 1)
        #expect(scene.sent == ["Bearer t0", "Bearer t1"])
    }

    @Test func `are renewed before the next request when a body could not be sent again`() async throws {
        let scene = TokenScene()
        let client = scene.client(scene.authenticator())
        let body = FixtureText {
            $0.method = .post
            $0.body = .stream(FixtureBody.stream([Data("x".utf8)], isRepeatable: false))
        }
        #expect(await scene.code(of: client.request(body)) == "unacceptableStatus")
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.sent == ["Bearer t0", "Bearer t1"])
    }

    // MARK: - Ahead

    @Test func `that are over are renewed before anything is sent`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", expiresAt: Date(timeIntervalSince1970: 999_999)))
        let client = scene.client(scene.authenticator())
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.sent == ["Bearer t1"])
    }

    @Test(arguments: [false, true])
    func `that can still be sent are, when the next one cannot be had`(isCancelled: Bool) async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0"), accepting: "t0")
        let tokens = scene.authenticator(renewingAhead: .seconds(60))
        let client = scene.client(tokens)
        try await tokens.logIn(with: OAuthToken(accessToken: "t0", expiresAt: scene.time(in: 600)))
        #expect(try await client.send(FixtureText()) == "in")
        scene.pass(550)
        scene.renew { _ in throw isCancelled ? CancellationError() : FixtureError() }
        #expect(try await client.send(FixtureText()) == "in")
        await fixtureUntil { scene.renewed.count == 1 }
        for _ in 1...3 { #expect(try await client.send(FixtureText()) == "in") }
        #expect(scene.renewed.count == 1, "it backs off")
        scene.pass(50)
        let code = await scene.code(of: client.request(FixtureText()))
        #expect(code == (isCancelled ? "cancelled" : "authenticatorFailed"))
        #expect(scene.renewed.count == 2)
        #expect(scene.sent.count == 5)
    }

    @Test(arguments: [0.0, -5, 30])
    func `that live for a moment are not renewed for each request`(seconds: Double) async throws {
        let scene = TokenScene(nil)
        scene.renew { OAuthToken(accessToken: "t\($0)", expiresAt: scene.time(in: seconds)) }
        let client = scene.client(scene.authenticator(renewingAhead: .seconds(60)))
        for _ in 1...3 { #expect(try await client.send(FixtureText()) == "in") }
        #expect(scene.renewed == [nil])
    }

    @Test func `are got before the first request where there is none`() async throws {
        let scene = TokenScene(nil)
        let client = scene.client(scene.authenticator())
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed == [nil])
        #expect(scene.sent == ["Bearer t1"])
    }

    @Test func `that nobody has are asked for once, until a user logs in`() async throws {
        let scene = TokenScene(nil)
        scene.renew { _ in nil }
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        for _ in 1...3 { #expect(await scene.code(of: client.request(FixtureText())) == "unacceptableStatus") }
        #expect(scene.renewed == [nil])
        #expect(scene.sent == [nil, nil, nil])
        try await tokens.logIn(with: OAuthToken(accessToken: "t1"))
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.store.token?.accessToken == "t1")
    }

    // MARK: - Failures

    @Test func `that cannot be had fail all who wait once, and are not asked for at once again`() async throws {
        let scene = TokenScene(accepting: "t3", isHeld: true)
        let client = scene.client(scene.authenticator())
        scene.renew { count in
            if count < 3 { throw FixtureError() }
            return OAuthToken(accessToken: "t\(count)")
        }
        let requests = await scene.refused(6, by: client)
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "authenticatorFailed") }
        for _ in 1...3 { #expect(await scene.code(of: client.request(FixtureText())) == "authenticatorFailed") }
        #expect(scene.renewed.count == 1)
        scene.pass(1)
        #expect(await scene.code(of: client.request(FixtureText())) == "authenticatorFailed")
        #expect(scene.renewed.count == 2)
        // Longer each time.
        scene.pass(1.5)
        #expect(await scene.code(of: client.request(FixtureText())) == "authenticatorFailed")
        #expect(scene.renewed.count == 2)
        scene.pass(0.5)
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.count == 3)
    }

    @Test func `that cannot be renewed any more are dropped`() async throws {
        let scene = TokenScene()
        scene.renew { _ in throw ErrandError(.loginRequired, "over") }
        let client = scene.client(scene.authenticator())
        #expect(await scene.code(of: client.request(FixtureText())) == "loginRequired")
        #expect(scene.store.token == nil)
        #expect(await scene.code(of: client.request(FixtureText())) == "unacceptableStatus")
        #expect(scene.renewed.count == 1)
        #expect(scene.sent == ["Bearer t0", nil])
    }

    @Test func `that cannot be loaded fail the request, and are loaded again`() async throws {
        let scene = TokenScene(accepting: "t0")
        scene.store.fail(FixtureError())
        let client = scene.client(scene.authenticator())
        #expect(await scene.code(of: client.request(FixtureText())) == "authenticatorFailed")
        scene.store.fail(nil)
        #expect(try await client.send(FixtureText()) == "in")
    }

    @Test func `that cannot be saved are used all the same`() async throws {
        let scene = TokenScene()
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        _ = try await tokens.token
        scene.store.fail(FixtureError())
        for _ in 1...2 { #expect(try await client.send(FixtureText()) == "in") }
        #expect(scene.renewed.count == 1)
    }

    @Test func `that cannot be sent fail the request`() async throws {
        let scene = TokenScene()
        scene.renew { _ in OAuthToken(accessToken: "a b") }
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        #expect(await scene.code(of: client.request(FixtureText())) == "invalidRequest")
        await #expect(throws: ErrandError.self) { try await tokens.logIn(with: OAuthToken(accessToken: "")) }
    }

    // MARK: - Leaving

    @Test func `go to the others when one leaves, and are kept when all have left`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = scene.client(scene.authenticator())
        let requests = await scene.refused(3, by: client)
        requests[0].cancel()
        #expect(await scene.code(of: requests[0]) == "cancelled")
        for request in requests { request.cancel() }
        for request in requests { #expect(await scene.code(of: request) == "cancelled") }
        #expect(await client.record.count == 0)
        scene.hold.open()
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.count == 1)
        #expect(scene.store.token?.accessToken == "t1")
    }

    @Test func `are got with the very client that they are for`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", expiresAt: .distantPast))
        scene.transport.removeRoutes()
        scene.transport.route("token", .status(401), .text("t1"))
        scene.transport.route("a", .text("in"))
        let client = Locked<Client?>(nil)
        let tokens = TokenAuthenticator(store: scene.store) { _ in
            let client = client.withLock { $0 }
            await #expect(throws: ErrandError.self) { _ = try await client?.send(FixtureText("token")) }
            return OAuthToken(accessToken: try await client?.send(FixtureText("token")) ?? "")
        }
        client.withLock { $0 = scene.client(tokens) }
        #expect(try await client.withLock { $0 }?.send(FixtureText("a")) == "in")
        #expect(scene.sent == [nil, nil, "Bearer t1"])
        client.withLock { $0 = nil }
    }

    @Test func `are not waited for by what gets them, though it is equal to what waits`() async throws {
        let scene = TokenScene(nil)
        scene.transport.removeRoutes()
        scene.transport.route(where: { _ in true }) { request, _ in
            .text(request.headers["Authorization"] ?? "nobody")
        }
        let client = Locked<Client?>(nil)
        let tokens = TokenAuthenticator { _ in
            let client = client.withLock { $0 }
            let text = try await client?.send(FixtureText())
            #expect(text == "nobody")
            return OAuthToken(accessToken: "t1")
        }
        client.withLock { $0 = scene.client(tokens) { $0.options = $0.options.coalescing(true) } }
        let text = try await client.withLock { $0 }?.send(FixtureText())
        #expect(text == "Bearer t1")
        client.withLock { $0 = nil }
    }

    @Test func `are waited for by a task that a renewal has left behind`() async throws {
        let scene = TokenScene(nil)
        let gate = FixtureGate()
        let client = Locked<Client?>(nil)
        let task = Locked<Task<String?, any Error>?>(nil)
        let tokens = TokenAuthenticator { _ in
            let client = client.withLock { $0 }
            let behind = Task<String?, any Error> {
                await gate.pass()
                return try await client?.send(FixtureText("behind"))
            }
            task.withLock { $0 = behind }
            return OAuthToken(accessToken: "t1")
        }
        client.withLock { $0 = scene.client(tokens) }
        #expect(try await client.withLock { $0 }?.send(FixtureText()) == "in")
        gate.open()
        let behind = try await task.withLock { $0 }?.value
        #expect(behind == "in")
        #expect(scene.sent == ["Bearer t1", "Bearer t1"])
        client.withLock { $0 = nil }
    }

    @Test func `are never printed`() {
        let token = OAuthToken(
            accessToken: "secret1", refreshToken: "secret2", expiresAt: .distantPast, user: "secret3")
        let tokens = TokenAuthenticator(store: TokenAuthenticator.MemoryStore(token)) { _ in nil }
        var text = "\(token) \(String(reflecting: token)) \(tokens)"
        dump(token, to: &text)
        dump(tokens, to: &text)
        #expect(!text.contains("secret"))
    }
}
