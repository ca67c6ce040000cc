internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation

/// A server that takes one token, and an authenticator that gets the next one each time: `t1`, `t2` and so on.
final class TokenScene: Sendable {
    let transport = StubTransport()
    let clock = TestClock()
    let hold = FixtureGate()
    let store: FixtureTokenStore
    let date = Locked(Date(timeIntervalSince1970: 1_000_000))
    private let server: TokenServer
    private let renewals = Locked<[OAuthToken?]>([])
    private let answer: Locked<@Sendable (Int) throws -> OAuthToken?>

    /// The tokens that were to be renewed, in order.
    var renewed: [OAuthToken?] { self.renewals.withLock { $0 } }
    var sent: [String?] { self.transport.received.map { $0.headers["Authorization"] } }

    /// - Parameters:
    ///   - token: The token in the store.
    ///   - accepted: The token that the server takes.
    ///   - isHeld: Whether renewals wait until ``hold`` is open.
    init(_ token: OAuthToken? = OAuthToken(accessToken: "t0"), accepting accepted: String = "t1", isHeld: Bool = false)
    {
        self.store = FixtureTokenStore(token)
        self.server = TokenServer(accepted)
        self.answer = Locked({ OAuthToken(accessToken: "t\($0)") })
        if !isHeld { self.hold.open() }
        self.transport.route(where: { _ in true }) { [server = self.server] request, _ in
            let isIn = request.headers["Authorization"] == "Bearer \(server.accepted.withLock { $0 })"
            let reply = isIn ? StubReply.text("in", headers: ["Cache-Control": "max-age=600"]) : .status(401)
            return server.gate.withLock { $0 }.map { reply.held(by: $0) } ?? reply
        }
    }

    /// A call with a body that cannot be sent again: it waits for a token that is about to be renewed.
    static var oneTimeCall: FixtureText {
        FixtureText {
            $0.method = .post
            $0.body = .stream(FixtureBody.stream([Data("x".utf8)], isRepeatable: false))
        }
    }

    func accept(_ token: String) { self.server.accepted.withLock { $0 = token } }

    func renew(_ answer: @escaping @Sendable (Int) throws -> OAuthToken?) { self.answer.withLock { $0 = answer } }

    func pass(_ seconds: Double) {
        self.date.withLock { $0 += seconds }
        self.clock.advance(by: .seconds(seconds))
    }

    func time(in seconds: Double) -> Date { self.date.withLock { $0 + seconds } }

    func authenticator(renewingAhead: Duration = .zero) -> TokenAuthenticator {
        TokenAuthenticator(
            store: self.store, renewingAhead: renewingAhead, backoff: Backoff(base: .seconds(1), jitter: .none)
        ) { token in
            let count = self.renewals.withLock { renewals in
                renewals.append(token)
                return renewals.count
            }
            await self.hold.pass()
            return try self.answer.withLock { $0 }(count)
        }
    }

    func client(
        _ authenticator: any Authenticator, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: "https://api.test/") {
            $0.transport = self.transport
            $0.credentials.authenticator = authenticator
            $0.limits.concurrency = RequestScheduler.Limits(total: 64, perHost: 64)
            $0.environment.clock = self.clock
            $0.environment.date = { self.date.withLock { $0 } }
            configure(&$0)
        }
    }

    /// Starts requests, has all of them refused the same, and waits until their renewal has begun.
    func refused(_ requests: [Request<FixtureText>]) async {
        let gate = self.holdReplies()
        let received = self.transport.receivedCount
        for request in requests { await request.start() }
        await fixtureUntil { self.transport.receivedCount >= received + requests.count }
        self.letReplies(gate)
        await fixtureUntil { self.transport.activeCount == 0 }
        await self.hold.waitUntilReached()
    }

    func holdReplies() -> StubGate {
        let gate = StubGate()
        self.server.gate.withLock { $0 = gate }
        return gate
    }

    /// Lets replies go that were held, and holds no more.
    func letReplies(_ gate: StubGate) {
        self.server.gate.withLock { $0 = nil }
        gate.open()
    }

    func refused(_ count: Int, by client: Client) async -> [Request<FixtureText>] {
        let requests = (0..<count).map { client.request(FixtureText("\($0)")) }
        await self.refused(requests)
        await fixtureUntil { await client.scheduler.activeCount == 0 }
        for request in requests { _ = await request.state }
        return requests
    }

    func code(of request: Request<FixtureText>) async -> String {
        do throws(ErrandError) {
            return try await request.value
        } catch {
            return error.code.description
        }
    }
}

private final class TokenServer: Sendable {
    let accepted: Locked<String>
    /// What holds replies back.
    let gate = Locked<StubGate?>(nil)

    init(_ accepted: String) { self.accepted = Locked(accepted) }
}

/// A store that says what is asked of it.
final class FixtureTokenStore: TokenAuthenticator.Store {
    private struct State {
        var token: OAuthToken?
        var calls: [String] = []
        var error: FixtureError?
    }

    private let state: Locked<State>

    var token: OAuthToken? { self.state.withLock { $0.token } }
    var calls: [String] { self.state.withLock { $0.calls } }

    init(_ token: OAuthToken?) { self.state = Locked(State(token: token)) }

    func fail(_ error: FixtureError?) { self.state.withLock { $0.error = error } }

    func load() async throws -> OAuthToken? {
        try self.state.withLock { state in
            state.calls.append("load")
            if let error = state.error { throw error }
            return state.token
        }
    }

    func save(_ token: OAuthToken) async throws { try self.set(token, "save \(token.accessToken)") }

    func remove() async throws { try self.set(nil, "remove") }

    private func set(_ token: OAuthToken?, _ call: String) throws {
        try self.state.withLock { state in
            state.calls.append(call)
            if let error = state.error { throw error }
            state.token = token
        }
    }
}
