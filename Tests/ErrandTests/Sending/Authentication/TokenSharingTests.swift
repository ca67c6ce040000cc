internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens in a store that another process uses, too (G14, G18)", .timeLimit(.minutes(60)), .paced)
struct TokenSharingTests {
    // MARK: - What another process has renewed

    @Test func `that another process renewed are used after a 401, and not renewed`() async throws {
        let scene = TokenScene()
        let client = scene.client(scene.authenticator())
        scene.accept("t0")
        #expect(try await client.send(FixtureText()) == "in")
        try await scene.store.save(OAuthToken(accessToken: "t9", refreshToken: "r9"))
        scene.accept("t9")
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.isEmpty)
        #expect(scene.store.token == OAuthToken(accessToken: "t9", refreshToken: "r9"))
    }

    @Test func `that another process renewed are used in place of one that is over`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", expiresAt: Date(timeIntervalSince1970: 1_000_010)))
        let client = scene.client(scene.authenticator())
        scene.accept("t0")
        #expect(try await client.send(FixtureText()) == "in")
        try await scene.store.save(OAuthToken(accessToken: "t9", expiresAt: scene.time(in: 600)))
        scene.accept("t9")
        scene.pass(20)
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.isEmpty)
        #expect(scene.sent == ["Bearer t0", "Bearer t9"])
    }

    @Test func `that another process renewed and that are over are renewed, and not those before`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", refreshToken: "r0"))
        let client = scene.client(scene.authenticator())
        scene.accept("t0")
        #expect(try await client.send(FixtureText()) == "in")
        let other = OAuthToken(accessToken: "t9", refreshToken: "r9", expiresAt: .distantPast)
        try await scene.store.save(other)
        scene.accept("t1")
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed == [other])
        #expect(scene.store.token?.accessToken == "t1")
    }

    @Test func `that another process renews meanwhile are used when this one's cannot be, and not removed`()
        async throws
    {
        let scene = TokenScene(OAuthToken(accessToken: "t0", refreshToken: "r0"), accepting: "t9", isHeld: true)
        let client = scene.client(scene.authenticator())
        scene.renew { _ in throw ErrandError(.loginRequired, "invalid_grant") }
        let requests = await scene.refused(5, by: client)
        try await scene.store.save(OAuthToken(accessToken: "t9", refreshToken: "r9"))
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "in") }
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.store.token == OAuthToken(accessToken: "t9", refreshToken: "r9"))
        #expect(!scene.store.calls.contains("remove"))
        #expect(scene.renewed.count == 1)
    }

    @Test func `that another process gets later are found by one that was logged out`() async throws {
        let scene = TokenScene(accepting: "t9")
        let client = scene.client(scene.authenticator())
        scene.renew { _ in throw ErrandError(.loginRequired, "invalid_grant") }
        #expect(await scene.code(of: client.request(FixtureText())) == "loginRequired")
        #expect(scene.store.token == nil)
        try await scene.store.save(OAuthToken(accessToken: "t9"))
        #expect(try await client.send(FixtureText()) == "in")
        #expect(scene.renewed.count == 1)
    }

    @Test func `that came of a renewal do not take the place of those of another process`() async throws {
        let scene = TokenScene(accepting: "t9", isHeld: true)
        let client = scene.client(scene.authenticator())
        let requests = await scene.refused(2, by: client)
        try await scene.store.save(OAuthToken(accessToken: "t9"))
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "in") }
        #expect(scene.store.token?.accessToken == "t9")
    }

    @Test func `of a store that cannot be read are renewed all the same, and removed from none`() async throws {
        let scene = TokenScene()
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        _ = try await tokens.token
        scene.store.fail(FixtureError())
        scene.renew { _ in throw ErrandError(.loginRequired, "over") }
        #expect(await scene.code(of: client.request(FixtureText())) == "loginRequired")
        #expect(scene.store.token?.accessToken == "t0")
    }

    // MARK: - Users

    @Test func `of another user do not go with what began before`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", user: "ann"), accepting: "t9")
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        _ = try await tokens.token
        try await scene.store.save(OAuthToken(accessToken: "t9", user: "bob"))
        #expect(await scene.code(of: client.request(FixtureText())) == "unacceptableStatus")
        #expect(scene.sent == ["Bearer t0"])
        #expect(scene.renewed.isEmpty)
        #expect(try await client.send(FixtureText()) == "in")
        #expect(try await tokens.token?.user == "bob")
    }

    @Test func `that the user has logged out of elsewhere are not renewed`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", refreshToken: "r0", user: "ann"))
        let tokens = scene.authenticator()
        let client = scene.client(tokens)
        _ = try await tokens.token
        try await scene.store.remove()
        #expect(await scene.code(of: client.request(FixtureText())) == "unacceptableStatus")
        #expect(scene.renewed.isEmpty)
        #expect(try await tokens.token == nil)
        #expect(scene.store.token == nil)
    }

    // MARK: - Files

    @Test func `in a file are renewed by one authenticator at a time`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try await TokenAuthenticator.FileStore(file: file).save(OAuthToken(accessToken: "t0"))
        let count = Locked(0)
        let together = Locked((now: 0, most: 0))
        let scenes = (0..<3).map { _ in TokenScene(accepting: "t1") }
        let clients = scenes.map { scene in
            scene.client(
                TokenAuthenticator(store: TokenAuthenticator.FileStore(file: file)) { _ in
                    together.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    for _ in 0..<100 { await Task.yield() }
                    together.withLock { $0.now -= 1 }
                    let number = count.withLock { count -> Int in
                        count += 1
                        return count
                    }
                    return OAuthToken(accessToken: "t\(number)")
                })
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for client in clients + clients { group.addTask { try await client.send(FixtureText()) } }
            for try await text in group { #expect(text == "in") }
        }
        #expect(count.withLock { $0 } == 1)
        #expect(together.withLock { $0.most } == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
    }

    @Test func `in a file are not waited for when who renews them never ends`() async throws {
        let folder = try FixtureFolder()
        let store = TokenAuthenticator.FileStore(file: folder.url.appending(path: "token"))
        let held = try #require(await store.lockRenewal(looks: 1))
        #expect(await store.lockRenewal(looks: 1) == nil)
        held.unlock()
        #expect(await store.lockRenewal(looks: 1) != nil)
    }

    @Test func `in a file are replaced only where they are still the same`() async throws {
        let folder = try FixtureFolder()
        let store = TokenAuthenticator.FileStore(file: folder.url.appending(path: "token"))
        let (one, two) = (OAuthToken(accessToken: "1", refreshToken: "r"), OAuthToken(accessToken: "2"))
        #expect(try await store.replace(nil, with: one))
        #expect(try await store.replace(OAuthToken(accessToken: "1"), with: two) == false)
        #expect(try await store.replace(OAuthToken(accessToken: "1", refreshToken: "r", user: "ann"), with: two))
        #expect(try await store.replace(one, with: nil) == false)
        #expect(try await store.load() == two)
        #expect(try await store.replace(two, with: nil))
        #expect(try await store.replace(two, with: one) == false, "who has logged out stays so")
        #expect(try await store.load() == nil)
    }

    @Test(arguments: ForeignFile.possible)
    func `in a file that others could have written are refused`(way: ForeignFile) async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try await TokenAuthenticator.FileStore(file: file).save(OAuthToken(accessToken: "planted"))
        try way.apply(to: file)
        let error = await #expect(throws: ErrandError.self) {
            _ = try await TokenAuthenticator.FileStore(file: file).load()
        }
        #expect(error?.code == .fileFailed)
    }

    @Test func `in a file as long as a disk are not read`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try await TokenAuthenticator.FileStore(file: file).save(OAuthToken(accessToken: "a"))
        try #require(unsafe truncate(file.path, 900 << 30) == 0)
        let error = await #expect(throws: ErrandError.self) {
            _ = try await TokenAuthenticator.FileStore(file: file).load()
        }
        #expect(error?.code == .fileFailed)
        try await TokenAuthenticator.FileStore(file: file).save(OAuthToken(accessToken: "b"))
        #expect(try await TokenAuthenticator.FileStore(file: file).load()?.accessToken == "b")
    }

    // MARK: - Refresh tokens that change

    /// A server that has given out another refresh token, in a response with something wrong.
    @Test(arguments: [
        #""access_token":"a b","token_type":"Bearer""#, #""access_token":"a","token_type":"mac""#,
        #""token_type":"Bearer""#, #""access_token":7"#, #""access_token":"a","scope":["a"]"#,
        #""access_token":"a","error":"slow_down""#, #""access_token":"a","token_type":null"#,
    ])
    func `whose refresh token changed keep that, whatever is wrong with the response`(fields: String) async throws {
        let transport = StubTransport()
        let store = TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "t0", refreshToken: "r0", user: "ann"))
        transport.route(
            "token", .json(#"{"refresh_token":"r1",\#(fields)}"#),
            .json(#"{"access_token":"t2","refresh_token":"r2"}"#))
        transport.route("a", .status(401), .status(401), .text("in"))
        let login = Client(baseURL: "https://login.test/") { $0.transport = transport }
        let grant = OAuthGrant.refreshToken(at: "https://login.test/token", clientID: "app")
        // The app makes of the error what it likes.
        let tokens = TokenAuthenticator(store: store, backoff: .every(.zero)) { token in
            do { return try await grant.token(renewing: token, with: login) } catch { throw FixtureError() }
        }
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = transport
            $0.credentials.authenticator = tokens
        }
        await #expect(throws: ErrandError.self) { _ = try await client.send(FixtureText()) }
        #expect(store.load() == OAuthToken(accessToken: "t0", refreshToken: "r1", user: "ann"))
        #expect(try await client.send(FixtureText()) == "in")
        #expect(store.load()?.refreshToken == "r2")
        let forms = transport.received.filter { $0.url.host == "login.test" }.map { request -> String in
            guard case .bytes(let body) = request.body else { return "" }
            return String(decoding: body, as: UTF8.self)
        }
        #expect(forms.map { $0.contains("refresh_token=r0") } == [true, false])
        #expect(forms.last?.contains("refresh_token=r1") == true)
    }

    @Test func `that the app made and cannot be sent leave their refresh token`() async throws {
        let scene = TokenScene(OAuthToken(accessToken: "t0", refreshToken: "r0"))
        scene.renew { _ in OAuthToken(accessToken: "a b", refreshToken: "r1") }
        let client = scene.client(scene.authenticator())
        #expect(await scene.code(of: client.request(FixtureText())) == "invalidRequest")
        #expect(scene.store.token == OAuthToken(accessToken: "t0", refreshToken: "r1"))
    }

    @Test func `without a type are bearer tokens`() async throws {
        let transport = StubTransport()
        transport.route("*", .json(#"{"access_token":"new","expires_in":60}"#))
        let client = Client(baseURL: "https://login.test/") { $0.transport = transport }
        let grant = OAuthGrant.clientCredentials(at: "https://login.test/token", clientID: "a", clientSecret: "b")
        #expect(try await grant.token(renewing: nil, with: client)?.accessToken == "new")
    }
}
