import ErrandSimulation
import TestEffort
import Testing

/// What ends a run that comes to no end of its own.
@Suite("Simulation limits", .timeLimit(.minutes(60)), .paced)
struct LimitsTests {
    private static let minute = Simulation.Limits(timeLimit: .seconds(60))

    private static func code(
        _ limits: Simulation.Limits, reach: Simulation.Reach = .structured,
        _ body: @escaping @Sendable (Simulation.Context) async throws -> Void
    ) async -> SimulationError.Code? {
        let report = await Simulation.report(seed: 1, reach: reach, limits: limits, body)
        return (report.failure as? SimulationError)?.code
    }

    @Test("The time limit holds for who sleeps beyond it and for who moves the clock beyond it")
    func time() async {
        let sleeps = await Self.code(Self.minute) { try await $0.clock.sleep(for: .seconds(61)) }
        #expect(sleeps == .tooLate)
        let moves = await Self.code(Self.minute) { simulation in
            while true {
                simulation.clock.advance(by: .seconds(1))
                await simulation.yield()
            }
        }
        #expect(moves == .tooLate)
        let ends = await Self.code(Self.minute) { $0.clock.advance(by: .seconds(61)) }
        #expect(ends == .tooLate)
        let inTime = await Self.code(Self.minute) { simulation in
            try await simulation.clock.sleep(for: .seconds(30))
            simulation.clock.advance(by: .seconds(30))
            await simulation.yield()
        }
        #expect(inTime == nil)
    }

    @Test("A message says where the clock stands")
    func message() async {
        let report = await Simulation.report(seed: 1, limits: Self.minute) { simulation in
            simulation.clock.advance(by: .seconds(90))
            await simulation.yield()
        }
        let message = (report.failure as? SimulationError)?.message
        #expect(message?.contains("not ended after 60.0 seconds of virtual time") == true)
        #expect(message?.hasSuffix("the clock stands at 90.0 seconds.") == true)
    }

    @Test("The clock goes no further than its end, and nothing traps there")
    func endOfTime() async {
        let clock = TestClock()
        let end = TestClock.Instant(offset: .seconds(Int64.max))
        clock.advance(by: .seconds(Int64.max))
        clock.advance(by: .seconds(Int64.max) + .seconds(Int64.max))
        #expect(clock.now == end)
        #expect(end.advanced(by: .nanoseconds(1)) == end)
        #expect(TestClock.Instant.zero.advanced(by: .seconds(Int64.min) * 8).offset == .seconds(Int64.min))
        // Until then is for ever.
        let own = await Self.code(.init()) { simulation in
            try await simulation.clock.sleep(for: .seconds(1))
            while true { try await simulation.clock.sleep(for: .seconds(Int64.max)) }
        }
        #expect(own == .stuck)
        let standard = await Self.code(.init(), reach: [.sleep, .now]) { simulation in
            guard Simulation.Reach.available.contains(.sleep) else { return await simulation.clock.waitForSleeper() }
            while true { try await Task.sleep(for: .seconds(Int64.max)) }
        }
        #expect(standard == .stuck)
    }

    @Test("Schedules in which jobs came from other threads are counted")
    func escapes() async throws {
        let escaped = try await Simulation.explore(schedules: 3, limits: .init(patience: .seconds(3_600))) { _ in
            // Unstructured on purpose: it runs elsewhere.
            await Task {}.value
        }
        #expect(escaped.escapedSchedules <= 3)
        #expect(escaped.description.contains("jobs came from other threads") == (escaped.escapedSchedules > 0))
        let bounded = try await Simulation.explore(
            schedules: 3, by: .bounded(switches: 0), limits: .init(patience: .seconds(3_600))
        ) { _ in await Task {}.value }
        #expect(bounded.isComplete == (bounded.escapedSchedules == 0))
        let sound = try await Simulation.explore(schedules: 3) { await $0.yield() }
        #expect(sound.escapedSchedules == 0)
    }
}
