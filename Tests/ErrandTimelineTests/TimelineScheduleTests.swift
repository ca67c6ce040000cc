internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Timelines over many schedules", .timeLimit(.minutes(60)), .paced)
struct TimelineScheduleTests {
    @Test("every span ends once, with phases that do not overlap, whatever was cancelled")
    func crowd() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, Self.crowdScenario)
    }

    @Test("the same schedule gives the same picture")
    func repeatable() async throws {
        let first = try await Simulation.run(seed: 7, Self.picture)
        let second = try await Simulation.run(seed: 7, Self.picture)
        #expect(first == second)
    }

    @Sendable private static func crowdScenario(_ simulation: Simulation.Context) async throws {
        let (accessory, count) = try await self.play(simulation)
        let timeline = accessory.timeline
        try #require(timeline.spans.count == count)
        try #require(Set(timeline.spans.map(\.id)).count == count, "each once")
        try timeline.checkInvariants()
        try #require(timeline.spans.contains { $0.phases.contains { $0.kind == .queue } })
        _ = try XMLTree(parsing: Data(timeline.svg().utf8))
    }

    @Sendable private static func picture(_ simulation: Simulation.Context) async throws -> String {
        try await self.play(simulation).0.timeline.svg()
    }

    /// Plays batches and requests of which some fail, are tried again or are cancelled; answers how many pieces of work
    /// started.
    private static func play(_ simulation: Simulation.Context) async throws -> (TimelineAccessory, Int) {
        let (accessory, stub, recorder) = (TimelineAccessory(clock: simulation.clock), StubTransport(), EventRecorder())
        stub.route(where: { _ in true }) { request, _ in
            let reply: StubReply =
                switch simulation.random.int(in: 0..<5) {
                case 0: .failure(.connectionLost)
                case 1: .status(500)
                default: .text(request.url.path)
                }
            return reply.delayed(by: .milliseconds(simulation.random.int(in: 0..<4)), on: simulation.clock)
        }
        let client = Client(baseURL: "http://sim.invalid/") {
            $0.transport = stub
            $0.environment.clock = simulation.clock
            $0.limits.concurrency = RequestScheduler.Limits(total: 3, perHost: 3)
            $0.accessories = [accessory, recorder]
        }
        let calls = (0..<8).map { GetText("\($0)", interceptors: $0 % 2 == 0 ? [TryAgain(times: 3)] : []) }
        await withTaskGroup { group in
            group.addTask { _ = await client.batch(of: calls, failure: .collectAll).outcomes }
            group.addTask { _ = try? await client.batch(of: calls).value }
            for call in calls {
                let request = client.request(call)
                group.addTask { _ = try? await request.value }
                group.addTask {
                    try? await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 0..<6)))
                    request.cancel()
                }
            }
            await group.waitForAll()
        }
        let started = Set(recorder.entries.filter { $0.call.name == "willStart" }.map(\.activity.id))
        for id in started {
            try #require(recorder.hooks(of: id) == ["willStart", "didStart", "willStop", "didStop"], "G2 for \(id)")
        }
        return (accessory, started.count)
    }
}
