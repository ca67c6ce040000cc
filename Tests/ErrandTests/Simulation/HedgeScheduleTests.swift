import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: hedges and newest calls (G1–G3, G6, G18)", .timeLimit(.minutes(60)), .paced)
struct HedgeScheduleTests {
    @Test("Each has the response of one, whoever cancels it when, and nothing is left")
    func hedged() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.hedgedScenario($0) }
    }

    @Test("Of calls that replace one another no older one has its value after a newer one began")
    func replaced() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.replacedScenario($0) }
    }

    @Test("What a hook has made a request that may do a thing twice is sent once, however long it takes")
    func madeUnsafe() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.unsafeScenario($0) }
    }

    @Sendable
    private static func hedgedScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 3, perHost: 3), hooks: simulation.random.bool()
        ) {
            $0.options = $0.options.hedging(.after(.milliseconds(10)))
            $0.options = $0.options.retries(
                simulation.random.bool() ? .never : RetryPolicy(limit: 1, backoff: .every(.milliseconds(5))))
            $0.limits.retryBudget = RetryBudget(ratio: 0.2, perSecond: 1, window: .seconds(3))
            if simulation.seed % 5 == 0 { $0.interceptors = [URLFilter(query: ["a": "b"])] }
            if simulation.seed % 3 == 0 { $0.options = $0.options.circuitBreaker(.standard) }
            if simulation.seed % 7 == 0 { $0.limits.adaptive = AdaptiveConcurrency(initial: 2) }
        }
        world.stub.route(where: { _ in true }) { request, number in
            let reply: StubReply = number % 5 == 4 ? .status(503) : .text(request.url.path)
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<30)), on: simulation.clock)
        }
        let requests = (0..<4).map { world.client.request(SimCall(path: "\($0)")) }
        await withTaskGroup(of: Void.self) { group in
            for (number, request) in requests.enumerated() {
                group.addTask {
                    await simulation.pause(yields: 20, milliseconds: 40)
                    if number % 2 == 0 { await request.start() }
                    if let value = try? await request.value, value != "/\(number)" {
                        Issue.record("the response of another")
                    }
                }
            }
            group.addTask {
                await simulation.pause(yields: 20, milliseconds: 40)
                requests[0].cancel()
                await simulation.pause(yields: 20, milliseconds: 40)
                requests[1].suspend()
                requests[2].cancel()
                await simulation.pause(yields: 20, milliseconds: 40)
                requests[1].resume()
            }
        }
        for request in requests {
            let state = await request.state
            try #require(state == .finished || state == .failed, "each ends")
        }
        let sent = world.stub.receivedCount
        try #require(sent <= 2 * (4 + 3), "no more than the budget: \(sent)")
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func replacedScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: false)
        world.stub.route(where: { _ in true }) { request, _ in
            StubReply.text(request.url.path)
                .delayed(by: .milliseconds(simulation.random.int(in: 0..<30)), on: simulation.clock)
        }
        let latest = world.client.latest(debounce: simulation.random.bool() ? .zero : .milliseconds(5))
        let values = FixtureLog()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    await simulation.pause(yields: 20, milliseconds: 40)
                    values.add("begin \(number)")
                    guard let value = try? await latest.send(SimCall(path: "\(number)")) else { return }
                    values.add(value)
                }
            }
        }
        var newest: String?
        for line in values.lines {
            if line.hasPrefix("begin") {
                newest = line.replacing("begin ", with: "/")
            } else {
                try #require(line == newest, "the value of one that was replaced: \(values.lines)")
            }
        }
        try #require(values.lines.last == newest, "the newest has its value: \(values.lines)")
        try await world.checkNothingIsLeft()
    }

    private struct Turns: ProcessingEndpoint {
        typealias Response = String
        let path: EndpointPath = "a"
        let made: HTTPMethod

        func prepare(_ request: inout HTTPRequest) async throws { request.method = self.made }
    }

    @Sendable
    private static func unsafeScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: simulation.random.bool()) {
            $0.options = $0.options.hedging(.after(.milliseconds(10))).coalescing(simulation.random.bool())
            if simulation.random.bool() { $0.options = $0.options.retries(.standard) }
        }
        world.stub.route("*", .text("x").delayed(by: .seconds(1), on: simulation.clock))
        let method = simulation.random.bool() ? HTTPMethod.post : .get
        #expect(try await world.client.send(Turns(made: method)) == "x")
        try #require(world.stub.receivedCount == (method == .post ? 1 : 2))
        try await world.checkNothingIsLeft()
    }
}
