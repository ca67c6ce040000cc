import Errand
import ErrandLocks
import ErrandTesting
import Foundation
import TestEffort
import Testing

@Suite("Schedules: what waits when a client ends, and tokens that soon will be over", .timeLimit(.minutes(60)), .paced)
struct EndingScheduleTests {
    @Test("Debounces, polls and watchers of circuits end with the client, whatever they wait for")
    func ending() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.endScenario($0) }
    }

    @Test("A watcher of a circuit sees the state that stays")
    func watching() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.watchScenario($0) }
    }

    @Test("A token is loaded once, renewed once ahead of its end, and sent meanwhile")
    func ahead() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.aheadScenario($0) }
    }

    @Sendable
    private static func endScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: simulation.random.bool()) {
            $0.options = $0.options.circuitBreaker(.standard)
            $0.options = $0.options.withoutTimeout()
        }
        world.stub.route(where: { _ in true }) { _, _ in
            .text("no").delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        let latest = world.client.latest(debounce: .seconds(3_600))
        let epoch = simulation.clock.now
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    await simulation.pause(yields: 20, milliseconds: 5)
                    _ = try? await latest.send(SimCall(path: "latest \(number)"))
                }
                group.addTask {
                    await simulation.pause(yields: 20, milliseconds: 5)
                    _ = try? await world.client.poll(
                        SimCall(path: "poll \(number)"), waiting: .every(.seconds(3_600)), within: .seconds(10_000)
                    ) { _ in false }
                }
                group.addTask {
                    await simulation.pause(yields: 20, milliseconds: 5)
                    guard let circuits = world.client.circuits else { return }
                    for await _ in circuits.changes(of: "http://sim.invalid") {}
                }
            }
            group.addTask {
                await simulation.pause(yields: 60, milliseconds: 10)
                world.client.circuits?.open("http://sim.invalid")
            }
            group.addTask {
                await simulation.pause(yields: 60, milliseconds: 10)
                await world.client.shutdown()
            }
        }
        try #require(epoch.duration(to: simulation.clock.now) < .seconds(1), "at once")
        try #require(world.client.environment.waitingCount == 0)
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func watchScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: false) {
            $0.options = $0.options.circuitBreaker(
                CircuitBreaker(
                    minimumRequests: 2, window: .seconds(100), openFor: .seconds(1), jitter: 0.5))
            $0.environment.random = SeededNumbers(simulation.seed)
            $0.environment.pathMonitor = TestPathMonitor(NetworkPath(interfaces: [.wifi]))
        }
        world.stub.route(where: { _ in true }, .status(503))
        guard let circuits = world.client.circuits else { return }
        let ends = FixtureLog()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    await simulation.pause(yields: 10)
                    for await state in circuits.changes(of: "http://sim.invalid") {
                        await simulation.pause(yields: 5)
                        guard state == .halfOpen else { continue }
                        ends.add("half-open")
                        break
                    }
                }
            }
            for number in 0..<4 {
                group.addTask {
                    await simulation.pause(yields: 30)
                    _ = try? await world.client.send(SimCall(path: "\(number)"))
                }
            }
        }
        try #require(ends.lines.count == 2)
        try await world.checkNothingIsLeft()
    }

    /// A store that takes its time, and counts.
    private final class Store: TokenAuthenticator.Store {
        let loads = Locked(0)
        private let simulation: Simulation.Context
        private let token: OAuthToken

        init(_ token: OAuthToken, _ simulation: Simulation.Context) {
            (self.token, self.simulation) = (token, simulation)
        }

        func load() async throws -> OAuthToken? {
            self.loads.withLock { $0 += 1 }
            try await self.simulation.clock.sleep(for: .milliseconds(self.simulation.random.int(in: 0..<3)))
            return self.token
        }

        func save(_ token: OAuthToken) async throws { await self.simulation.pause(yields: 5) }
        func remove() async throws {}
    }

    @Sendable
    private static func aheadScenario(_ simulation: Simulation.Context) async throws {
        let (epoch, first) = (simulation.clock.now, Date(timeIntervalSince1970: 1_000_000))
        let date: @Sendable () -> Date = {
            first.addingTimeInterval(epoch.duration(to: simulation.clock.now) / .seconds(1))
        }
        let store = Store(OAuthToken(accessToken: "0", expiresAt: first.addingTimeInterval(100)), simulation)
        let renewals = Locked(0)
        let tokens = TokenAuthenticator(store: store, renewingAhead: .seconds(10)) { _ in
            renewals.withLock { $0 += 1 }
            try await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 0..<3)))
            return OAuthToken(accessToken: "1", expiresAt: date().addingTimeInterval(100))
        }
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 5, perHost: 5)) {
            $0.credentials.authenticator = tokens
            $0.environment.date = date
        }
        // The old one may be worth nothing as soon as there is a new one.
        let isRevoked = simulation.random.bool()
        world.stub.route(where: { _ in true }) { request, _ in
            let token = request.headers["Authorization"]
            let isGood = token == "Bearer 1" || token == "Bearer 0" && !(isRevoked && renewals.withLock { $0 } > 0)
            let reply: StubReply = isGood ? .text("good") : .status(401)
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        let before = await SimOutcome.all(of: 6, cancelling: 0, in: world)
        try #require(!before.contains(.wrong))
        try #require(store.loads.withLock { $0 } == 1, "once for all")
        try #require(renewals.withLock { $0 } == 0)
        try await simulation.clock.sleep(for: .seconds(95))
        let outcomes = await SimOutcome.all(of: 8, cancelling: 3, in: world)
        try #require(!outcomes.contains(.wrong))
        // It goes on when all have been cancelled, and may not have begun then.
        let late = try await world.client.send(SimCall(path: "late"))
        try #require(late == "good")
        try await simulation.clock.sleep(for: .seconds(1))
        let token = try await tokens.token
        try #require(token?.accessToken == "1")
        try #require(renewals.withLock { $0 } == 1)
        try await world.checkNothingIsLeft()
    }
}
