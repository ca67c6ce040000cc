internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Authenticators that give no answer (G3, G6)", .timeLimit(.minutes(60)), .paced)
final class AuthenticatorTimeoutTests: Sendable {
    private let client = Locked<Client?>(nil)

    /// Waits until so many requests wait for an authenticator.
    private func waiting(_ count: Int, for client: Client) async {
        await fixtureUntil {
            guard client.environment.deadlines.count == count else { return false }
            return await client.scheduler.activeCount == 0
        }
    }

    /// Sends a request of the client that is known by now, in a task that nobody knows it belongs to.
    private func sendElsewhere() async throws {
        _ = try await Task.detached { try await self.client.withLock { $0 }?.send(FixtureText("elsewhere")) }.value
    }

    /// What a request fails with, and what it says.
    private func failure(of request: Request<FixtureText>) async -> ErrandError? {
        await #expect(throws: ErrandError.self) { _ = try await request.value }
    }

    @Test func `a renewal that waits for a request of the same client in another task is told so`() async throws {
        let scene = TokenScene()
        let told = Locked<ErrandError?>(nil)
        let tokens = TokenAuthenticator(store: scene.store, backoff: .every(.seconds(1))) { _ in
            do {
                try await self.sendElsewhere()
            } catch {
                told.withLock { $0 = error as? ErrandError }
            }
            return OAuthToken(accessToken: "t1")
        }
        let client = scene.client(tokens) { $0.options = $0.options.timeouts(Timeouts()) }
        self.client.withLock { $0 = client }
        let request = client.request(FixtureText("a"))
        await request.start()
        await self.waiting(2, for: client)
        scene.pass(59)
        await self.waiting(2, for: client)
        #expect(await request.state == .running)
        scene.pass(1)
        let failure = await self.failure(of: request)
        #expect(failure?.code == .timedOut)
        #expect(failure?.description.contains("60.0 seconds") == true)
        #expect(failure?.description.contains("detached task") == true)
        await fixtureUntil { scene.store.token?.accessToken == "t1" }
        #expect(told.withLock { $0 }?.code == .timedOut)
        // What the renewal brought after all is kept.
        #expect(try await client.send(FixtureText("b")) == "in")
        self.client.withLock { $0 = nil }
    }

    @Test func `an authenticator of an app's own that waits so is told, too`() async {
        let world = FixtureWorld {
            $0.options = $0.options.timeouts(Timeouts())
            $0.credentials.authenticator = FixtureAuthenticator { _ in
                try await self.sendElsewhere()
                return nil
            }
        }
        world.transport.route("*", .status(401))
        self.client.withLock { $0 = world.client }
        let request = world.client.request(FixtureText("a"))
        await request.start()
        await self.waiting(2, for: world.client)
        world.clock.advance(by: .seconds(60))
        #expect(await self.failure(of: request)?.code == .timedOut)
        // The other one fails as well.
        await fixtureUntil { await world.client.record.count == 0 }
        self.client.withLock { $0 = nil }
    }

    @Test func `one that asks a person is given more time`() async throws {
        let gate = FixtureGate()
        let world = FixtureWorld {
            $0.options = $0.options.timeout(authentication: .seconds(600))
            $0.credentials.authenticator = FixtureAuthenticator { _ in
                await gate.pass()
                return .bearer("t")
            }
        }
        world.transport.route(where: { _ in true }) { request, _ in
            request.headers["Authorization"] == nil ? .status(401) : .text("in")
        }
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        world.clock.advance(by: .seconds(599))
        gate.open()
        #expect(try await request.value == "in")
        await world.expectAtRest()
    }

    @Test func `a renewal goes on without those who could not wait, and no other one begins meanwhile`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = scene.client(scene.authenticator())
        let request = client.request(FixtureText("a"))
        await scene.refused([request])
        scene.pass(60)
        #expect(await self.failure(of: request)?.code == .timedOut)
        let next = client.request(FixtureText("b"))
        await next.start()
        await self.waiting(1, for: client)
        scene.hold.open()
        #expect(try await next.value == "in")
        #expect(scene.renewed.count == 1)
        #expect(scene.store.token?.accessToken == "t1")
    }

    @Test func `the time for which a request is suspended does not count`() async throws {
        let scene = TokenScene(isHeld: true)
        let client = scene.client(scene.authenticator())
        let request = client.request(FixtureText("a"))
        await scene.refused([request])
        request.suspend()
        scene.pass(600)
        request.resume()
        scene.pass(59)
        #expect(await request.state == .running)
        scene.hold.open()
        #expect(try await request.value == "in")
    }

    /// How a request is sent that waits for a store, or that a store sends.
    enum Way: CaseIterable {
        case plain, byHTTP, kept, unsafe, coalesced

        func endpoint(_ path: String) -> FixtureText {
            FixtureText(path) {
                switch self {
                case .plain: break
                case .byHTTP: $0.options = $0.options.caching(.http)
                case .kept: $0.options = $0.options.caching(.fresh(for: .seconds(60)))
                case .unsafe: $0.method = .post
                case .coalesced: $0.options = $0.options.coalescing(true)
                }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a store may load by a request of the same client, which goes without a token`(way: Way) async throws {
        let scene = TokenScene(accepting: "t0")
        let store = RemoteStore {
            let error = await #expect(throws: ErrandError.self) {
                _ = try await self.client.withLock { $0 }?.send(way.endpoint("vault"))
            }
            #expect(error?.context.status == 401)
        }
        let client = scene.client(TokenAuthenticator(store: store) { _ in nil }) { $0.cache = MemoryCache() }
        self.client.withLock { $0 = client }
        #expect(try await client.send(FixtureText("a")) == "in")
        #expect(scene.sent == [nil, "Bearer t0"])
        self.client.withLock { $0 = nil }
    }

    @Test(arguments: Way.allCases)
    func `a store that waits for a request of the same client in another task is told so`(way: Way) async {
        let scene = TokenScene()
        let store = RemoteStore { try await self.sendElsewhere() }
        let client = scene.client(TokenAuthenticator(store: store) { _ in nil }) {
            $0.options = $0.options.timeouts(Timeouts(authentication: .seconds(5)))
            $0.cache = MemoryCache()
        }
        self.client.withLock { $0 = client }
        let request = client.request(way.endpoint("a"))
        await request.start()
        await self.waiting(2, for: client)
        scene.pass(5)
        #expect(await self.failure(of: request)?.code == .timedOut)
        self.client.withLock { $0 = nil }
    }

    @Test(arguments: Way.allCases, [true, false])
    func `who waits for a store can be stopped`(way: Way, byTotal: Bool) async {
        let (scene, gate) = (TokenScene(), FixtureGate())
        let client = scene.client(TokenAuthenticator(store: RemoteStore { await gate.pass() }) { _ in nil }) {
            $0.options = $0.options.timeouts(Timeouts(authentication: nil, total: .seconds(5)))
            $0.cache = MemoryCache()
        }
        async let failure = #expect(throws: ErrandError.self) { _ = try await client.send(way.endpoint("a")) }
        await gate.waitUntilReached()
        if byTotal { scene.pass(5) } else { await client.cancelAll() }
        #expect(await failure?.code == (byTotal ? .timedOut : .cancelled))
        #expect(scene.sent == [])
        gate.open()
    }

    @Test func `the limit for authentication ends with the answer, not with what is sent afterwards`() async throws {
        let gate = StubGate()
        let world = FixtureWorld {
            $0.options = $0.options.withoutTimeout().timeout(authentication: .seconds(60))
            $0.credentials.authenticator = FixtureAuthenticator { _ in .bearer("t") }
        }
        world.transport.route(where: { _ in true }) { request, _ in
            request.headers["Authorization"] == nil ? .status(401) : StubReply.text("in").held(by: gate)
        }
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        #expect(world.client.environment.deadlines.count == 0)
        world.clock.advance(by: .seconds(61))
        gate.open()
        #expect(try await request.value == "in")
        await world.expectAtRest()
    }
}

/// A store on a server.
private final class RemoteStore: TokenAuthenticator.Store {
    private let ask: @Sendable () async throws -> Void

    init(_ ask: @escaping @Sendable () async throws -> Void) { self.ask = ask }

    func load() async throws -> OAuthToken? {
        try await self.ask()
        return OAuthToken(accessToken: "t0")
    }

    func save(_ token: OAuthToken) async throws {}
    func remove() async throws {}
}
