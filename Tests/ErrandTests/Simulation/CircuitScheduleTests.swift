import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite("Schedules: circuits and rates (G1–G3, G6, G8)", .timeLimit(.minutes(60)), .paced)
struct CircuitScheduleTests {
    @Test("A circuit opens, sends no more than its probes, and closes, whoever cancels a probe when")
    func probes() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.probeScenario($0) }
    }

    @Test("No more is sent than the rates allow, all is sent in the end, and nothing is left")
    func rates() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { try await Self.rateScenario($0) }
    }

    @Sendable
    private static func probeScenario(_ simulation: Simulation.Context) async throws {
        let world = SimWorld(simulation, hooks: simulation.random.bool()) {
            $0.options = $0.options.circuitBreaker(
                CircuitBreaker(
                    minimumRequests: 2, window: .seconds(100), openFor: .seconds(1), jitter: 0.5))
            $0.environment.random = SeededNumbers(simulation.seed)
            $0.environment.pathMonitor = TestPathMonitor(NetworkPath(interfaces: [.wifi]))
        }
        world.stub.route(where: { _ in true }) { _, number in
            let reply: StubReply = number <= 2 ? .status(503) : .text("good")
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<5)), on: simulation.clock)
        }
        for number in 0..<2 { _ = try? await world.client.send(SimCall(path: "\(number)")) }
        let refused = try? await world.client.send(SimCall(path: "refused"))
        try #require(refused == nil && world.stub.receivedCount == 2, "it is open")
        try await simulation.clock.sleep(for: .milliseconds(1_500))
        // Of those who come at once one is sent at a time; whoever is cancelled makes room for another.
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                let request = world.client.request(SimCall(path: "probe \(number)"))
                group.addTask {
                    for _ in 0..<simulation.random.int(in: 0..<20) { await simulation.yield() }
                    if number % 2 == 0 { await request.start() }
                    _ = try? await request.value
                }
                group.addTask {
                    guard number < 4 else { return }
                    for _ in 0..<simulation.random.int(in: 0..<30) { await simulation.yield() }
                    request.cancel()
                }
            }
        }
        _ = try? await world.client.send(SimCall(path: "last"))
        try #require(world.client.circuits?.state(of: "http://sim.invalid") == .closed, "it does not stick")
        try await world.checkNothingIsLeft()
    }

    @Sendable
    private static func rateScenario(_ simulation: Simulation.Context) async throws {
        let sent = SentMoments()
        let world = SimWorld(
            simulation, limits: RequestScheduler.Limits(total: 3, perHost: 3), hooks: simulation.random.bool()
        ) {
            $0.limits.rates = RateLimits(
                perHost: RateLimit(1, per: .milliseconds(100), burst: 2), tags: ["slow": RateLimit(2, per: .seconds(1))]
            )
            $0.options = $0.options.withoutTimeout()
        }
        let epoch = simulation.clock.now
        world.stub.route(where: { _ in true }) { _, _ in
            sent.note(epoch.duration(to: simulation.clock.now))
            return .text("good").delayed(by: .milliseconds(simulation.random.int(in: 0..<50)), on: simulation.clock)
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                let tagged = number % 3 == 0 ? RequestOptions.tag("slow") : RequestOptions()
                let options = tagged.priority(RequestPriority.allCases[number % 3])
                let request = world.client.request(SimCall(path: "\(number)"), options: options)
                group.addTask {
                    for _ in 0..<simulation.random.int(in: 0..<20) { await simulation.yield() }
                    if number % 2 == 0 { await request.start() }
                    _ = try? await request.value
                }
                group.addTask {
                    guard number < 4 else { return }
                    try? await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 0..<400)))
                    request.cancel()
                }
            }
        }
        let moments = sent.all
        try #require(moments.count >= 8, "who is not cancelled is sent")
        for (index, moment) in moments.enumerated() where index >= 2 {
            let apart = moment - moments[index - 2]
            try #require(apart >= .milliseconds(100), "\(apart) for three requests")
        }
        try await world.checkNothingIsLeft()
    }
}
