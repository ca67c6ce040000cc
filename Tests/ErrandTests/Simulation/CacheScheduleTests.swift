import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Thousands of schedules around the cache (G1–G3, G6)", .timeLimit(.minutes(60)), .paced)
struct CacheScheduleTests {
    @Test("Each request ends once, shows what was stored before it, and leaves nothing")
    func uses() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.scenario)
    }

    @Test("The same seed gives the same interleaving, and nothing escapes the simulation")
    func repeatable() async throws {
        let first = await Simulation.report(seed: 7, Self.scenario)
        let second = await Simulation.report(seed: 7, Self.scenario)
        #expect(first.failure == nil)
        #expect(first.escapedJobs == 0)
        #expect(first.fingerprint == second.fingerprint)
    }

    /// Twelve requests ask the cache in all ways, two by two for the same answer; some are cancelled, some answers
    /// removed.
    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 2, perHost: 2), hooks: simulation.seed % 2 == 0)
        world.stub.route(where: { _ in true }) { request, use in
            StubReply.text("\(request.url.path) \(use)")
                .delayed(by: .milliseconds(simulation.random.int(in: 0..<3)), on: simulation.clock)
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                let call = CachedSimCall(path: "\(number % 6)")
                let use = CacheUse.allCases[simulation.random.int(in: 0..<CacheUse.allCases.count)]
                let request = world.client.request(call, options: .cacheUse(use))
                let (pause, isCancelled) = (simulation.random.int(in: 0..<8), simulation.random.int(in: 0..<4) == 0)
                group.addTask {
                    for _ in 0..<pause { await simulation.yield() }
                    try await Self.check(request, use)
                }
                group.addTask {
                    for _ in 0..<(2 * pause) { await simulation.yield() }
                    if isCancelled { request.cancel() }
                    if number % 4 == 0 { try await world.client.cache.remove(call) }
                }
            }
            try await group.waitForAll()
        }
        try await world.checkNothingIsLeft()
    }

    private static func check(_ request: Request<CachedSimCall>, _ use: CacheUse) async throws {
        let (states, responses) = (await request.states, await request.responses)
        await request.start()
        var answers: [TypedResponse<String>] = []
        var code: ErrandError.Code?
        do {
            for try await response in responses { answers.append(response) }
        } catch let error as ErrandError {
            code = error.code
        }
        let shown = await states.reduce(into: []) { $0.append($1) }
        let isFromCache = answers.map(\.source.isCache)
        try #require(answers.allSatisfy { $0.value.hasPrefix("/\(request.endpoint.path) ") })
        switch code {
        case nil:
            let ends: [[Bool]] =
                switch use {
                case .use: [[true], [false]]
                case .ignore, .reload: [[false]]
                case .only: [[true]]
                case .thenRefresh: [[false], [true, false]]
                }
            try #require(ends.contains(isFromCache), "\(use): \(isFromCache)")
            try #require(shown.last == (isFromCache.last == true ? .cached : .finished))
        case .cancelled?:
            try #require(shown.last == .failed)
        case .notInCache?:
            try #require(use == .only && answers.isEmpty && shown.last == .failed)
        case let other?:
            throw SimProblem("\(other)")
        }
        // Whoever saw an answer before the last one saw its state, too.
        let middle = shown.dropFirst().dropLast()
        try #require(middle.isEmpty || Array(middle) == [.running] || Array(middle) == [.running, .cached, .running])
        try #require(middle.contains(.cached) == (isFromCache.count > (code == nil ? 1 : 0)))
    }
}

/// A call whose answers are kept.
private struct CachedSimCall: Endpoint {
    typealias Response = String
    var path: EndpointPath
    var options: RequestOptions { .caching(.fresh(for: .seconds(1000))) }
}
