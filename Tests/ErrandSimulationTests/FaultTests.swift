import ErrandSimulation
import TestEffort
import Testing

/// Whether faults strike by the seed, and are told.
@Suite("Faults", .timeLimit(.minutes(60)), .paced)
struct FaultTests {
    /// Asks for `count` faults of each name, one name after the other, in a run of a seed.
    private static func strikes(
        seed: UInt64, of names: [String], count: Int = 200, probability: Double = 0.5
    ) async throws -> [String: [Bool]] {
        // All of it is one step, which takes as long as the machine needs.
        try await Simulation.run(seed: seed, limits: .init(stepTimeout: .seconds(3_600))) { simulation in
            var strikes: [String: [Bool]] = [:]
            for name in names {
                strikes[name] = (0..<count).map { _ in simulation.fault(name, probability: probability) }
            }
            return strikes
        }
    }

    @Test("A fault point strikes as often as its probability says", arguments: [0, 0.1, 0.5, 0.9, 1, .nan, -1, 2])
    func probability(_ probability: Double) async throws {
        let strikes = try await Self.strikes(seed: 1, of: ["a"], count: 10_000, probability: probability)
        let expected = probability.isNaN ? 0 : min(max(probability, 0), 1)
        let share = Double(strikes["a", default: []].count { $0 }) / 10_000
        #expect(abs(share - expected) < (expected == 0 || expected == 1 ? 1e-9 : 0.02))
    }

    @Test("What strikes follows from the seed and the name, not from other fault points")
    func streams() async throws {
        let alone = try await Self.strikes(seed: 7, of: ["a"])
        let (before, after) = (
            try await Self.strikes(seed: 7, of: ["b", "a"]), try await Self.strikes(seed: 7, of: ["a", "b"])
        )
        #expect(alone["a"] == before["a"])
        #expect(before == after)
        #expect(before["a"] != before["b"])
        #expect(try await Self.strikes(seed: 8, of: ["a"])["a"] != alone["a"])
    }

    @Test("Faults leave the context's chance and the order of the jobs alone")
    func chance() async throws {
        let number: @Sendable (Simulation.Context) async throws -> UInt64 = { $0.random.next() }
        let without = try await Simulation.run(seed: 3, number)
        let with = try await Simulation.run(seed: 3) { simulation in
            for _ in 0..<10 { _ = simulation.fault("a", probability: 0.5) }
            return try await number(simulation)
        }
        #expect(without == with)
    }

    @Test("The faults that strike are in the trace, the report and the failure, and strike again in a replay")
    func replay() async throws {
        let scenario: @Sendable (Simulation.Context) async throws -> Void = { simulation in
            for _ in 0..<5 {
                try await simulation.clock.sleep(for: .seconds(1))
                if simulation.fault("lost reply", probability: 0.1) { throw PlantedError() }
            }
        }
        let failure = try #require(
            try await expectFailure { try await Simulation.explore(schedules: 500, scenario) })
        let fault = try #require(failure.faults.first)
        #expect(failure.faults.count == 1)
        #expect(fault.name == "lost reply")
        #expect(fault.time == .seconds(fault.call))
        #expect(failure.schedule.description == "#\(failure.seed) -")
        #expect(failure.trace.last?.hasSuffix("fault: lost reply (call \(fault.call))") == true)
        #expect(failure.description.contains("Faults:\n  lost reply (call \(fault.call))"))
        let again = try await Simulation.report(replaying: failure.schedule, scenario)
        #expect(again.failure is PlantedError)
        #expect(again.faults == failure.faults)
    }

    @Test("Only a fault that may or may not strike makes the seed part of the schedule")
    func certain() async throws {
        let certain = await Simulation.report(seed: 9) { _ = $0.fault("a", probability: 1) }
        #expect(certain.schedule.description == "-")
        #expect(certain.faults.map(\.name) == ["a"])
        let chance = await Simulation.report(seed: 9) { _ = $0.fault("a", probability: 0.001) }
        #expect(chance.schedule.description == "#9 -")
    }

    @Test("Faults are found together with an interleaving")
    func interleaved() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore(schedules: 2_000) { simulation in
                let recorder = NumberRecorder()
                await withTaskGroup { group in
                    for number in 0..<2 {
                        group.addTask {
                            await simulation.yield()
                            guard !simulation.fault("dropped \(number)", probability: 0.2) else { return }
                            await recorder.append(number)
                        }
                    }
                }
                guard await recorder.numbers != [1] else { throw PlantedError() }
            }
        }
        #expect(failure?.faults.map(\.name) == ["dropped 0"])
    }
}
