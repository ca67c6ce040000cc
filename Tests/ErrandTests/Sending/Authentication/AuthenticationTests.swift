internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// An authenticator made of a closure.
struct FixtureAuthenticator: Authenticator {
    let answer: @Sendable (AuthenticationContext) async throws -> HTTPCredential?

    init(_ answer: @escaping @Sendable (AuthenticationContext) async throws -> HTTPCredential?) {
        self.answer = answer
    }

    func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
        try await self.answer(context)
    }
}

@Suite("Authentication", .timeLimit(.minutes(60)), .paced)
struct AuthenticationTests {
    private let pass = FixtureInterceptor { request, _, next in try await next(request) }

    private func world(
        intercepted: Bool = false, _ authenticator: FixtureAuthenticator? = nil,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        FixtureWorld {
            $0.options = $0.options.defaultHeaders(.off)
            $0.credentials.authenticator = authenticator
            if intercepted { $0.interceptors = [self.pass] }
            configure(&$0)
        }
    }

    private func challenge(_ value: String = "Basic realm=\"r\"") -> StubReply {
        .data(Data("who?".utf8), status: 401, headers: ["WWW-Authenticate": value])
    }

    private func sent(_ world: FixtureWorld) -> [String?] {
        world.transport.received.map { $0.headers["Authorization"] }
    }

    // MARK: - Unasked

    @Test(arguments: [false, true])
    func `a credential goes to the origin of the base URL, and nowhere else`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted) { $0.credentials.origin = .bearer("t") }
        world.transport.route("*", .text("x"))
        for path in ["a", "https://api.test:443/b", "http://api.test/c", "https://other.test/d", "https://api.test:1/"]
        {
            _ = try await world.client.send(FixtureText(path))
        }
        #expect(self.sent(world) == ["Bearer t", "Bearer t", nil, nil, nil])
        #expect(await world.client.scheduler.activeCount == 0)
    }

    @Test func `other origins have credentials of their own`() async throws {
        let world = self.world {
            $0.credentials.otherOrigins = ["https://other.test": .basic(user: "u", password: "p")]
        }
        world.transport.route("*", .text("x"))
        for path in ["a", "https://other.test/b"] { _ = try await world.client.send(FixtureText(path)) }
        #expect(self.sent(world) == [nil, "Basic dTpw"])
    }

    @Test(arguments: [false, true])
    func `a credential stays behind on the way to another origin`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted) { $0.credentials.origin = .bearer("t") }
        world.transport.route("a", .redirect("b"))
        world.transport.route("b", .redirect("https://other.test/c"))
        world.transport.route("c", .redirect("https://api.test/d"))
        world.transport.route("d", .text("x"))
        _ = try await world.client.send(FixtureText())
        #expect(self.sent(world) == ["Bearer t", "Bearer t", nil, "Bearer t"])
    }

    @Test func `a request keeps an authorization of its own`() async throws {
        let world = self.world { $0.credentials.origin = .bearer("t") }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText { $0.headers = ["authorization": "own"] })
        #expect(self.sent(world) == ["own"])
    }

    @Test func `a credential that cannot be sent fails each request, before anything is sent`() async {
        let world = self.world { $0.credentials.origin = .basic(user: "a:b", password: "") }
        for _ in 1...2 {
            let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }

    // MARK: - Asked

    @Test(arguments: [false, true])
    func `a challenge is answered once more with a credential`(intercepted: Bool) async throws {
        let log = FixtureLog()
        let world = self.world(
            intercepted: intercepted,
            FixtureAuthenticator { context in
                log.add("\(context.attempt) \(context.requestID) \(context.url) \(context.challenges)")
                return .basic(user: "u", password: "p")
            })
        world.transport.route("a", self.challenge("Digest realm=\"d\", Basic realm=\"b\""), .text("in"))
        let request = world.client.request(FixtureText())
        let response = try await request.response
        #expect(response.value == "in")
        #expect(response.attempts == 2)
        #expect(response.redirects == 0)
        #expect(self.sent(world) == [nil, "Basic dTpw"])
        #expect(log.lines == ["1 \(request.id) https://api.test/a [Digest realm=\"d\", Basic realm=\"b\"]"])
        await world.expectAtRest()
    }

    @Test func `nobody to ask, or no answer, delivers the challenge`() async throws {
        for authenticator in [nil, FixtureAuthenticator { _ in nil }] {
            let world = self.world(authenticator)
            world.transport.route("a", self.challenge())
            let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.status == 401)
            #expect(error?.context.body == Data("who?".utf8))
            #expect(world.transport.receivedCount == 1)
            await world.expectAtRest()
        }
    }

    @Test(arguments: [false, true])
    func `a request asks twice at most, retries included`(intercepted: Bool) async {
        let asked = Locked(0)
        let authenticator = FixtureAuthenticator { _ in
            let count = asked.withLock { count in
                count += 1
                return count
            }
            return .bearer("t\(count)")
        }
        let world = self.world(authenticator)
        world.transport.route("a", self.challenge())
        let retry = FixtureInterceptor { request, _, next in
            _ = try await next(request)
            return try await next(request)
        }
        let endpoint = FixtureText {
            $0.options = $0.options.interceptors(intercepted ? [retry] : [])
            $0.headers = ["Authorization": "own"]
        }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(error?.context.status == 401)
        #expect(asked.withLock { $0 } == 2)
        #expect(self.sent(world) == ["own", "Bearer t1", "Bearer t2"] + (intercepted ? ["own"] : []))
    }

    @Test func `a credential that was asked for goes along on its origin, and not to another`() async throws {
        let world = self.world(FixtureAuthenticator { _ in .bearer("t") })
        world.transport.route("a", self.challenge(), .redirect("b"))
        world.transport.route("b", .redirect("https://other.test/c"))
        world.transport.route("c", .text("x"))
        _ = try await world.client.send(FixtureText())
        #expect(self.sent(world) == [nil, "Bearer t", "Bearer t", nil])
    }

    @Test func `a login that redirects back is no circle`() async throws {
        let world = self.world(FixtureAuthenticator { _ in .bearer("t") })
        world.transport.route("a", .redirect("login"), .text("in"))
        world.transport.route("login", self.challenge(), .redirect("a"))
        #expect(try await world.client.send(FixtureText()) == "in")
        #expect(self.sent(world) == [nil, nil, "Bearer t", "Bearer t"])
    }

    // MARK: - Who may ask

    /// Each server lets in who has a credential; `a` leads to another one.
    private func askingWorld(
        _ asked: FixtureLog, intercepted: Bool = false, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        let authenticator = FixtureAuthenticator { context in
            asked.add(context.url.origin)
            return .bearer("t")
        }
        let world = self.world(intercepted: intercepted, authenticator, configure)
        world.transport.route("https://api.test/a", .redirect("https://other.test/b"))
        world.transport.route(where: { _ in true }) { [challenge = self.challenge()] request, _ in
            request.headers["Authorization"] == nil ? challenge : .text("in")
        }
        return world
    }

    @Test(arguments: ["a", "https://other.test/b", "http://api.test/b", "https://api.test:8443/b"], [false, true])
    func `a server that is none of the client's gets the challenge back`(path: String, intercepted: Bool) async {
        let asked = FixtureLog()
        let world = self.askingWorld(asked, intercepted: intercepted)
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText(path)) }
        #expect(error?.context.status == .unauthorized)
        #expect(asked.lines.isEmpty)
        #expect(self.sent(world).allSatisfy { $0 == nil })
        await world.expectAtRest()
    }

    @Test func `one that is named as the client's, or has a credential there, may ask`() async throws {
        let asked = FixtureLog()
        let named = self.askingWorld(asked) { $0.baseURLs.named = ["other": "https://other.test/v1"] }
        for path in ["a", "https://other.test/c"] { #expect(try await named.client.send(FixtureText(path)) == "in") }
        #expect(self.sent(named) == [nil, nil, "Bearer t", "Bearer t"])
        let known = self.askingWorld(asked) { $0.credentials.otherOrigins = ["https://other.test": .bearer("old")] }
        known.transport.removeRoutes()
        known.transport.route("*", self.challenge(), .text("in"))
        #expect(try await known.client.send(FixtureText("https://other.test/b")) == "in")
        #expect(self.sent(known) == ["Bearer old", "Bearer t"])
        #expect(asked.lines == ["https://other.test", "https://other.test"])
    }

    @Test func `one may ask a call that sends secrets elsewhere, and the answer is for no other`() async throws {
        let asked = FixtureLog()
        let world = self.askingWorld(asked)
        let trusting = FixtureText("https://other.test/b") { $0.options = .sendingSecretsToAllOrigins() }
        for _ in 1...2 { #expect(try await world.client.send(trusting) == "in") }
        #expect(self.sent(world) == [nil, "Bearer t", "Bearer t"])
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureText("https://other.test/b"))
        }
        #expect(error?.context.status == .unauthorized)
        #expect(self.sent(world).last == .some(nil))
        #expect(asked.lines == ["https://other.test"])
    }

    // MARK: - Failing

    @Test func `what an authenticator throws is the cause`() async {
        let world = self.world(FixtureAuthenticator { _ in throw FixtureError() })
        world.transport.route("a", self.challenge())
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .authenticatorFailed)
        #expect(error?.cause as? FixtureError == FixtureError())
        #expect(error?.message.contains("FixtureAuthenticator") == true)
        #expect(error?.context.status == 401)
        await world.expectAtRest()
    }

    @Test(arguments: [
        (ErrandError(.unsupported, "own") as any Error, ErrandError.Code.unsupported),
        (CancellationError(), .cancelled),
    ])
    func `errors of Errand and cancellations stay what they are`(thrown: any Error, code: ErrandError.Code) async {
        let world = self.world(FixtureAuthenticator { _ in throw thrown })
        world.transport.route("a", self.challenge())
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == code)
    }

    @Test func `a credential that cannot be sent is an error`() async {
        let world = self.world(FixtureAuthenticator { _ in .bearer("a b") })
        world.transport.route("a", self.challenge())
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 1)
    }

    @Test(arguments: [false, true])
    func `nobody is asked for a body that cannot be sent again`(isRepeatable: Bool) async {
        let world = self.world(FixtureAuthenticator { _ in .bearer("t") })
        world.transport.route("a", self.challenge(), .text("in"))
        let endpoint = FixtureText {
            $0.method = .put
            $0.body = .stream(BodyStream(isRepeatable: isRepeatable) { { nil } })
        }
        let value = try? await world.client.send(endpoint)
        #expect(value == (isRepeatable ? "in" : nil))
        #expect(world.transport.receivedCount == (isRepeatable ? 2 : 1))
    }

    // MARK: - Meanwhile

    @Test(arguments: [false, true])
    func `no slot is held while an authenticator answers`(intercepted: Bool) async throws {
        let hold = FixtureGate()
        let authenticator = FixtureAuthenticator { _ in
            await hold.pass()
            return .bearer("t")
        }
        let world = self.world(intercepted: intercepted, authenticator) {
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        }
        world.transport.route("a", self.challenge(), .text("in"))
        world.transport.route("*", .text("x"))
        let request = world.client.request(FixtureText())
        await request.start()
        await hold.waitUntilReached()
        #expect(await world.client.scheduler.activeCount == 0)
        #expect(try await world.client.send(FixtureText("free")) == "x")
        hold.open()
        #expect(try await request.value == "in")
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `cancelling ends a request whose authenticator is being asked`(isPatient: Bool) async {
        let hold = FixtureGate()
        let world = self.world(
            FixtureAuthenticator { _ in
                await hold.pass(isPatient: isPatient)
                return .bearer("t")
            })
        world.transport.route("a", self.challenge())
        let request = world.client.request(FixtureText())
        await request.start()
        await hold.waitUntilReached()
        request.cancel()
        hold.open()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(world.transport.receivedCount == 1)
        await world.expectAtRest()
    }
}
