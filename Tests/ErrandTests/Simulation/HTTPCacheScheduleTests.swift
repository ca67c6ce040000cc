import ErrandLocks
import ErrandTesting
import TestEffort
import Testing

@testable import Errand

@Suite("Schedules: an HTTP cache (G1–G3, G6, G15)", .timeLimit(.minutes(60)), .paced)
struct HTTPCacheScheduleTests {
    @Test("Whatever is validated, refreshed, removed, invalidated and cancelled meanwhile, nobody gets what is gone")
    func interleaved() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.scenario)
    }

    /// A call whose responses say themselves how long they are fresh.
    private struct Call: Endpoint {
        typealias Response = String
        var path: EndpointPath { "a" }
        var method = HTTPMethod.get
        var options: RequestOptions { .caching(.http) }
    }

    private final class Versions: Sendable {
        /// The version that the server has.
        let version = Locked(1)
        /// The one that is known to whoever asks from now on: its POST is over.
        let known = Locked(1)
    }

    /// A server with one resource: each POST makes a new version of it.
    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let (date, server) = (FixtureDate(), Versions())
        let world = SimWorld(simulation, limits: RequestScheduler.Limits(total: 3, perHost: 3)) {
            $0.environment.date = { date.now }
            $0.cache = MemoryCache()
        }
        world.stub.route(where: { _ in true }) { request, _ in
            let delay = Duration.milliseconds(simulation.random.int(in: 0..<3))
            guard request.method == .get else {
                let next = server.version.withLock { version in
                    version += 1
                    return version
                }
                return StubReply.text("\(next)").delayed(by: delay, on: simulation.clock)
            }
            let now = server.version.withLock { $0 }
            let fields: HTTPFields = [
                "ETag": "\"\(now)\"", "Cache-Control": "max-age=1, stale-while-revalidate=5, stale-if-error=5",
            ]
            let reply =
                request.headers["If-None-Match"] == "\"\(now)\""
                ? StubReply.status(304, headers: fields) : .text("\(now)", headers: fields)
            return reply.failing(.connectionLost, probability: 0.1, in: simulation)
                .delayed(by: delay, on: simulation.clock)
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<14 {
                let pause = simulation.random.int(in: 0..<30)
                group.addTask {
                    for _ in 0..<pause { await simulation.yield() }
                    switch number {
                    case 0, 1:
                        let made = try await world.client.send(Call(method: .post))
                        server.known.withLock { $0 = max($0, Int(made) ?? 0) }
                    case 2: try await world.client.cache.remove(Call())
                    case 3: try await world.client.cache.removeAll()
                    case 4...6: date.advance(by: 1.5)
                    default:
                        let use: CacheUse = number % 4 == 0 ? .thenRefresh : .use
                        try await Self.ask(world, use, since: server.known.withLock { $0 }, cancelled: number % 5 == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        // What is refreshed behind the back of others ends by itself; it may not have begun yet.
        let refreshes = { world.client.environment.cacheRefreshes.withLock { $0.count } }
        while await !world.client.record.snapshot().isEmpty || refreshes() > 0 {
            try await simulation.clock.sleep(for: .milliseconds(1))
        }
        date.advance(by: 100)
        let last = try await Self.last(world)
        try #require(last == "\(server.version.withLock { $0 })", "what is too stale is asked anew")
        try await world.checkNothingIsLeft()
    }

    private static func last(_ world: SimWorld) async throws -> String {
        while true {
            do throws(ErrandError) {
                return try await world.client.send(Call())
            } catch {
                guard error.code == .connectionLost else { throw error }
            }
        }
    }

    private static func ask(
        _ world: SimWorld, _ use: CacheUse, since known: Int, cancelled isCancelled: Bool
    ) async throws {
        let request = world.client.request(Call(), options: .cacheUse(use))
        await request.start()
        if isCancelled {
            for _ in 0..<world.simulation.random.int(in: 0..<6) { await world.simulation.yield() }
            request.cancel()
        }
        do throws(ErrandError) {
            let response = try await request.response
            try Self.check(response, since: known)
        } catch {
            guard error.code == .cancelled && isCancelled || error.code == .connectionLost else { throw error }
        }
    }

    private static func check(_ response: TypedResponse<String>, since known: Int) throws(ErrandError) {
        let isWhole = response.head.headers["ETag"] == "\"\(response.value)\""
        guard isWhole, (Int(response.value) ?? 0) >= known, response.head.status == .ok else {
            throw ErrandError(.invalidResponse, "\(response.value) of \(response.head), and \(known) is known")
        }
    }
}
