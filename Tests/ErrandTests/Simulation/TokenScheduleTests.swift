import Errand
import ErrandLocks
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: a token that many need renewed (G1, G3, G6, G18)", .timeLimit(.minutes(60)), .paced)
struct TokenScheduleTests {
    @Test("50 requests that were refused the same renew it once")
    func once() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) {
            try await Self.scenario($0, requests: 50, cancelling: 0)
        }
    }

    @Test("Who is cancelled leaves alone, and the token is renewed once all the same")
    func leaving() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) {
            try await Self.scenario($0, requests: 8, cancelling: 4)
        }
    }

    @Test("A renewal that the user has logged out of leaves nothing to the next one")
    func loggingOut() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.logOut($0) }
    }

    /// Renews tokens: `t1`, `t2` and so on, of the user that the token before was of.
    private final class Renewals: Sendable {
        let count = Locked(0)
        let inFlight = Locked(0)
        private let simulation: Simulation.Context

        init(_ simulation: Simulation.Context) { self.simulation = simulation }

        func next(_ token: OAuthToken?) async throws -> OAuthToken? {
            guard let token else { return nil }
            let number = self.count.withLock { count in
                count += 1
                return count
            }
            let together = self.inFlight.withLock { count in
                count += 1
                return count
            }
            try #require(together == 1, "one at a time")
            defer { self.inFlight.withLock { $0 -= 1 } }
            try await self.simulation.clock.sleep(for: .milliseconds(self.simulation.random.int(in: 0..<3)))
            for _ in 0..<self.simulation.random.int(in: 0..<5) { await self.simulation.yield() }
            return OAuthToken(accessToken: "\(token.user ?? "")\(number)")
        }
    }

    private static func world(
        _ simulation: Simulation.Context, _ tokens: TokenAuthenticator,
        accepting accepted: @escaping @Sendable (String) -> Bool
    ) -> SimWorld {
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 5, perHost: 5)) {
            $0.credentials.authenticator = tokens
        }
        world.stub.route(where: { _ in true }) { request, _ in
            let reply =
                accepted(request.headers["Authorization"] ?? "") ? StubReply.text("good") : .status(401)
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        return world
    }

    private static func scenario(
        _ simulation: Simulation.Context, requests count: Int, cancelling cancelled: Int
    ) async throws {
        let renewals = Renewals(simulation)
        let store = TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "a0", user: "a"))
        let world = Self.world(simulation, TokenAuthenticator(store: store) { try await renewals.next($0) }) {
            $0 == "Bearer a1"
        }
        let outcomes = await SimOutcome.all(of: count, cancelling: cancelled, in: world)
        try #require(!outcomes.contains(.wrong))
        try #require(renewals.count.withLock { $0 } == 1)
        try #require(store.load() == OAuthToken(accessToken: "a1", user: "a"))
        let received = world.stub.receivedCount
        let late = try await world.client.send(SimCall(path: "late"))
        try #require(late == "good")
        try #require(world.stub.receivedCount == received + 1, "it is kept")
        try await world.checkNothingIsLeft()
    }

    private static func logOut(_ simulation: Simulation.Context) async throws {
        let renewals = Renewals(simulation)
        let store = TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "a0", user: "a"))
        let tokens = TokenAuthenticator(store: store) { try await renewals.next($0) }
        let hasLoggedIn = Locked(false)
        // The first user's token never comes after the second one has logged in.
        let mixed = Locked(false)
        let world = Self.world(simulation, tokens) { field in
            if hasLoggedIn.withLock({ $0 }), field.hasPrefix("Bearer a") { mixed.withLock { $0 = true } }
            return field == "Bearer a1" || field == "Bearer b0"
        }
        let requests = (0..<6).map { world.client.request(SimCall(path: "old/\($0)")) }
        for request in requests { await request.start() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for request in requests { group.addTask { _ = try? await request.value } }
            group.addTask {
                for _ in 0..<simulation.random.int(in: 0..<120) { await simulation.yield() }
                try await tokens.logOut()
                try await tokens.logIn(with: OAuthToken(accessToken: "b0", user: "b"))
                let value = try await world.client.send(SimCall(path: "new"))
                try #require(value == "good")
            }
            try await group.waitForAll()
        }
        hasLoggedIn.withLock { $0 = true }
        let value = try await world.client.send(SimCall(path: "later"))
        try #require(value == "good")
        try #require(!mixed.withLock { $0 })
        try #require(store.load() == OAuthToken(accessToken: "b0", user: "b"))
        let old = world.stub.received.filter { $0.url.path.hasPrefix("/old/") }
        try #require(!old.contains { $0.headers["Authorization"]?.hasPrefix("Bearer b") == true })
        try await world.checkNothingIsLeft()
    }
}
