internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Credentials that are refreshed (G3, G6)", .timeLimit(.minutes(60)), .paced)
struct RefreshedCredentialTests {
    private final class Token: Sendable {
        let value: Locked<String>

        init(_ value: String) {
            self.value = Locked(value)
        }
    }

    /// A server that takes one token, and an authenticator that counts how often it is asked.
    private final class Scene: Sendable {
        let transport = StubTransport()
        let hold = FixtureGate()
        private let token: Token
        private let questions = Locked<[AuthenticationContext]>([])

        var questionCount: Int { self.questions.withLock { $0.count } }
        var contexts: [AuthenticationContext] { self.questions.withLock { $0 } }
        var sent: [String?] { self.transport.received.map { $0.headers["Authorization"] } }

        init(_ token: String = "t1", isHeld: Bool = true) {
            self.token = Token(token)
            if !isHeld { self.hold.open() }
            self.transport.route(where: { _ in true }) { [token = self.token] request, _ in
                let isIn = request.headers["Authorization"] == "Bearer \(token.value.withLock { $0 })"
                return isIn ? .text("in") : .status(401)
            }
        }

        func accept(_ token: String) { self.token.value.withLock { $0 = token } }

        func world(
            _ answer: @escaping @Sendable (Int) throws -> HTTPCredential? = { .bearer("t\($0)") },
            _ configure: (inout Client.Configuration) -> Void = { _ in }
        ) -> FixtureWorld {
            FixtureWorld {
                $0.transport = self.transport
                $0.credentials.origin = .bearer("t0")
                $0.limits.concurrency = RequestScheduler.Limits(total: 64, perHost: 64)
                $0.credentials.authenticator = FixtureAuthenticator { context in
                    let count = self.questions.withLock { questions in
                        questions.append(context)
                        return questions.count
                    }
                    await self.hold.pass()
                    try Task.checkCancellation()
                    return try answer(count)
                }
                configure(&$0)
            }
        }

        /// Starts requests, and waits until all of them were refused.
        func refused(_ count: Int, in world: FixtureWorld) async -> [Request<FixtureText>] {
            let requests = (0..<count).map { world.client.request(FixtureText("\($0)")) }
            for request in requests { await request.start() }
            await fixtureUntil { self.transport.receivedCount >= count && self.transport.activeCount == 0 }
            // Nobody waits for a slot: who has given its own back goes on to ask without giving way.
            await fixtureUntil { await world.client.scheduler.activeCount == 0 }
            for request in requests { _ = await request.state }
            await self.hold.waitUntilReached()
            return requests
        }
    }

    private func code(of request: Request<FixtureText>) async -> String {
        do throws(ErrandError) {
            return try await request.value
        } catch {
            return error.code.description
        }
    }

    // MARK: - Shared

    @Test func `are asked for once by all that were refused the same`() async {
        let scene = Scene()
        let world = scene.world()
        let requests = await scene.refused(20, in: world)
        scene.hold.open()
        for request in requests { #expect(await self.code(of: request) == "in") }
        #expect(scene.questionCount == 1)
        #expect(scene.transport.receivedCount == 40)
        #expect(await world.client.scheduler.activeCount == 0)
    }

    @Test func `fail all who share the question, and are asked for again by who comes later`() async {
        let scene = Scene("t2")
        let world = scene.world { count in
            guard count > 1 else { throw FixtureError() }
            return .bearer("t\(count)")
        }
        let requests = await scene.refused(6, in: world)
        scene.hold.open()
        for request in requests { #expect(await self.code(of: request) == "authenticatorFailed") }
        #expect(await self.code(of: world.client.request(FixtureText())) == "in")
        #expect(scene.questionCount == 2)
    }

    @Test func `that nobody has deliver the challenge to all who share the question`() async {
        let scene = Scene()
        let world = scene.world { _ in nil }
        let requests = await scene.refused(6, in: world)
        scene.hold.open()
        for request in requests { #expect(await self.code(of: request) == "unacceptableStatus") }
        #expect(scene.questionCount == 1)
    }

    @Test func `go to the others when one leaves, also the one that asked`() async throws {
        let scene = Scene()
        let world = scene.world()
        let requests = await scene.refused(4, in: world)
        let asker = try #require(requests.first { $0.id == scene.contexts.first?.requestID })
        asker.cancel()
        #expect(await self.code(of: asker) == "cancelled")
        scene.hold.open()
        for request in requests where request.id != asker.id { #expect(await self.code(of: request) == "in") }
        #expect(scene.questionCount == 1)
    }

    @Test func `are not asked for any more when all have left, and asked for anew by who comes then`() async {
        let scene = Scene("t2")
        let world = scene.world()
        let requests = await scene.refused(3, in: world)
        for request in requests { request.cancel() }
        for request in requests { #expect(await self.code(of: request) == "cancelled") }
        scene.hold.open()
        #expect(await self.code(of: world.client.request(FixtureText())) == "in")
        #expect(scene.questionCount == 2)
    }

    // MARK: - Remembered

    @Test(arguments: [false, true])
    func `are used at once by later requests`(intercepted: Bool) async throws {
        let scene = Scene(isHeld: false)
        let world = scene.world {
            .bearer("t\($0)")
        } _: {
            if intercepted { $0.interceptors = [FixtureInterceptor { try await $2($0) }] }
        }
        for path in ["a", "b", "c"] { #expect(try await world.client.send(FixtureText(path)) == "in") }
        #expect(scene.sent == ["Bearer t0", "Bearer t1", "Bearer t1", "Bearer t1"])
        #expect(scene.questionCount == 1)
    }

    @Test func `that are refused later are asked for again, once`() async throws {
        let scene = Scene(isHeld: false)
        let world = scene.world()
        _ = try await world.client.send(FixtureText("a"))
        scene.accept("t2")
        #expect(try await world.client.send(FixtureText("b")) == "in")
        #expect(try await world.client.send(FixtureText("c")) == "in")
        #expect(scene.sent == ["t0", "t1", "t1", "t2", "t2"].map { "Bearer \($0)" })
        #expect(scene.contexts.map(\.attempt) == [1, 1])
    }

    @Test func `are used without a question by what was refused an older one`() async throws {
        let scene = Scene(isHeld: false)
        let gate = StubGate()
        scene.transport.removeRoutes()
        scene.transport.route("late", StubReply.status(401).held(by: gate), .text("in"))
        scene.transport.route("a", .status(401), .text("in"))
        let world = scene.world()
        let late = world.client.request(FixtureText("late"))
        await late.start()
        await gate.waitUntilReached()
        #expect(try await world.client.send(FixtureText("a")) == "in")
        gate.open()
        #expect(try await late.value == "in")
        #expect(scene.questionCount == 1)
        #expect(scene.sent == ["t0", "t0", "t1", "t1"].map { "Bearer \($0)" })
    }

    @Test func `are not remembered when they are refused themselves`() async throws {
        let scene = Scene("none", isHeld: false)
        let world = scene.world()
        for _ in 1...2 { #expect(await self.code(of: world.client.request(FixtureText())) == "unacceptableStatus") }
        #expect(scene.sent == ["t0", "t1", "t2", "t0", "t3", "t4"].map { "Bearer \($0)" })
    }

    @Test func `stay with their origin, and with what they replace`() async throws {
        let scene = Scene(isHeld: false)
        let world = scene.world {
            .bearer("t\($0)")
        } _: {
            $0.baseURLs.named = ["other": "https://other.test"]
        }
        _ = try await world.client.send(FixtureText("a"))
        scene.accept("t2")
        _ = try await world.client.send(FixtureText("b") { $0.headers = ["Authorization": "Bearer other"] })
        scene.accept("t1")
        _ = try await world.client.send(FixtureText("c"))
        scene.accept("t3")
        _ = try await world.client.send(FixtureText("https://other.test/d"))
        scene.accept("t2")
        _ = try await world.client.send(FixtureText("e") { $0.headers = ["Authorization": "Bearer other"] })
        #expect(
            scene.sent
                == ["t0", "t1", "other", "t2", "t1"].map { "Bearer \($0)" } + [nil] + ["Bearer t3", "Bearer t2"])
    }

    @Test func `are forgotten when the client is told to`() async throws {
        let scene = Scene(isHeld: false)
        let world = scene.world()
        _ = try await world.client.send(FixtureText("a"))
        world.client.forgetCredentials()
        scene.accept("t2")
        _ = try await world.client.send(FixtureText("b"))
        #expect(scene.sent == ["t0", "t1", "t0", "t2"].map { "Bearer \($0)" })
    }

    @Test func `that come after everything was forgotten are not remembered`() async throws {
        let scene = Scene()
        let world = scene.world()
        let requests = await scene.refused(2, in: world)
        world.client.forgetCredentials()
        scene.hold.open()
        for request in requests { #expect(await self.code(of: request) == "in") }
        scene.accept("t0")
        #expect(try await world.client.send(FixtureText("b")) == "in")
        #expect(scene.sent.last == "Bearer t0")
    }

    @Test func `are not asked for by what was on its way when everything was forgotten`() async throws {
        let scene = Scene(isHeld: false)
        let gate = StubGate()
        scene.transport.removeRoutes()
        scene.transport.route("old", StubReply.status(401).held(by: gate), .text("in"))
        scene.transport.route("new", .status(401), .text("in"))
        let world = scene.world()
        let old = world.client.request(FixtureText("old"))
        await old.start()
        await gate.waitUntilReached()
        world.client.forgetCredentials()
        // What the next user is given is remembered for who begins now.
        #expect(try await world.client.send(FixtureText("new")) == "in")
        gate.open()
        #expect(await self.code(of: old) == "unacceptableStatus")
        #expect(scene.questionCount == 1)
        #expect(scene.sent == ["t0", "t0", "t1"].map { "Bearer \($0)" })
    }

    @Test func `of the next user are not added to what began before everything was forgotten`() async throws {
        let scene = Scene(isHeld: false)
        let world = scene.world()
        let gate = FixtureGate()
        let interceptor = FixtureInterceptor { request, _, next in
            await gate.pass()
            return try await next(request)
        }
        let old = world.client.request(FixtureText("old") { $0.options = .interceptors([interceptor]) })
        await old.start()
        await gate.waitUntilReached()
        world.client.forgetCredentials()
        #expect(try await world.client.send(FixtureText("new")) == "in")
        gate.open()
        #expect(await self.code(of: old) == "unacceptableStatus")
        #expect(scene.sent == ["t0", "t1", "t0"].map { "Bearer \($0)" })
    }

    @Test func `tell stored answers apart`() async throws {
        let scene = Scene(isHeld: false)
        let world = scene.world {
            .bearer("t\($0)")
        } _: {
            $0.cache = MemoryCache()
        }
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        for _ in 1...3 { _ = try await world.client.send(endpoint) }
        // The first one met a challenge and is not stored, the second is, and the third one comes from there.
        #expect(scene.transport.receivedCount == 3)
        world.client.forgetCredentials()
        scene.accept("t2")
        let response = try await world.client.response(for: endpoint)
        #expect(response.source == .network)
    }

    // MARK: - The authenticator itself

    @Test func `may be asked for with the same client, which asks nobody then`() async throws {
        let transport = StubTransport()
        transport.route("a", .status(401), .text("in"))
        transport.route("token", .status(401))
        let client = Locked<Client?>(nil)
        let world = FixtureWorld {
            $0.transport = transport
            $0.credentials.authenticator = FixtureAuthenticator { _ in
                let error = await #expect(throws: ErrandError.self) {
                    _ = try await client.withLock { $0 }?.send(FixtureText("token"))
                }
                return error?.context.status == 401 ? .bearer("t") : nil
            }
        }
        client.withLock { $0 = world.client }
        #expect(try await world.client.send(FixtureText("a")) == "in")
        client.withLock { $0 = nil }
    }

    /// Ways to end a request.
    enum Ending: CaseIterable {
        case cancel, cancelAll, total, shutdown
    }

    /// The app had begun to fetch a token before anybody asked, over the same client, and the server refuses that too.
    @Test(arguments: Ending.allCases)
    func `may wait for a request that waits for it, until that is ended`(ending: Ending) async {
        let fetching = Locked<Task<String, Never>?>(nil)
        let reached = FixtureGate()
        let world = FixtureWorld {
            $0.options = $0.options.timeouts(Timeouts(total: .seconds(60)))
            $0.credentials.authenticator = FixtureAuthenticator { _ in
                await reached.pass()
                _ = await fetching.withLock { $0 }?.value
                return nil
            }
        }
        world.transport.route("*", .status(401))
        let request = world.client.request(FixtureText("token"))
        let task = Task { await self.code(of: request) }
        fetching.withLock { $0 = task }
        await reached.waitUntilReached()
        reached.open()
        switch ending {
        case .cancel: request.cancel()
        case .cancelAll: await world.client.cancelAll()
        case .total: world.clock.advance(by: .seconds(60))
        case .shutdown: await world.client.shutdown()
        }
        let codes: [Ending: String] = [.total: "timedOut", .shutdown: "clientShutDown"]
        #expect(await task.value == codes[ending, default: "cancelled"])
        await world.expectAtRest()
    }

    @Test func `a late refusal of an older one leaves the newer one`() async throws {
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = StubTransport()
            $0.credentials.authenticator = FixtureAuthenticator { _ in .bearer("new") }
        }
        let refresher = try #require(client.environment.refresher)
        let place = CredentialRefresher.CredentialKey(origin: "https://api.test", original: nil, generation: 0)
        let context = AuthenticationContext(
            requestID: .next(), method: .get, url: try HTTPURL("https://api.test/a"), challenges: [], attempt: 1,
            refused: nil, date: Date())
        #expect(try await refresher.answer(to: "Bearer old", at: place, context) == "Bearer new")
        refresher.forget("Bearer old", at: place)
        #expect(refresher.value(for: place) == "Bearer new")
        refresher.forget("Bearer new", at: place)
        #expect(refresher.value(for: place) == nil)
    }
}
