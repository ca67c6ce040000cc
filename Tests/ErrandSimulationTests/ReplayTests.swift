import ErrandSimulation
import TestEffort
import Testing

/// Whether a schedule gives its run again, and is minimised to what the failure needs.
@Suite("Replays", .timeLimit(.minutes(60)), .paced)
struct ReplayTests {
    /// Tasks, children of tasks, actors, sleeps, cancellation and chance.
    private static func mixture(_ order: NumberRecorder) -> PlantedBugs.Body {
        { simulation in
            let shared = NumberRecorder()
            await withTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        await shared.append(number)
                        async let child: Void = shared.append(number + 10)
                        try? await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 0..<3)))
                        await shared.append(number + 20)
                        await child
                    }
                }
                await simulation.clock.waitForSleeper()
                group.cancelAll()
            }
            for number in await shared.numbers { await order.append(number) }
        }
    }

    private func run(_ schedule: Simulation.Schedule) async throws -> (SimulationReport, [Int]) {
        let order = NumberRecorder()
        let report = try await Simulation.report(replaying: schedule, Self.mixture(order))
        return (report, await order.numbers)
    }

    @Test("The schedule of a seed gives the run of the seed", arguments: 0..<30 as Range<UInt64>)
    func seedsAsSchedules(seed: UInt64) async throws {
        let order = NumberRecorder()
        let report = await Simulation.report(seed: seed, Self.mixture(order))
        #expect(report.schedule.description.hasPrefix("#\(seed) "))
        let parsed = try #require(Simulation.Schedule(report.schedule.description))
        let (again, numbers) = try await self.run(parsed)
        #expect(again.failure == nil)
        #expect(again.fingerprint == report.fingerprint)
        #expect(again.steps == report.steps)
        #expect(again.schedule == report.schedule)
        #expect(again.timeline == report.timeline)
        #expect(again.tasks == report.tasks)
        #expect(numbers == (await order.numbers))
    }

    @Test("A schedule gives the same steps a hundred times")
    func hundredTimes() async throws {
        let schedule = await Simulation.report(seed: 5, Self.mixture(NumberRecorder())).schedule
        let (first, numbers) = try await self.run(schedule)
        for _ in 0..<100 {
            let (report, order) = try await self.run(schedule)
            #expect(report.timeline == first.timeline)
            #expect(report.fingerprint == first.fingerprint)
            #expect(order == numbers)
        }
    }

    @Test("A schedule without chance has no seed")
    func noSeed() async throws {
        let report = await Simulation.report(seed: 5, PlantedBugs.checkThenAct)
        #expect(!report.schedule.description.contains("#"))
        let asking = await Simulation.report(seed: 5) { simulation in _ = simulation.seed }
        #expect(asking.schedule == "#5 -")
    }

    @Test("What a clock wakes inside an actor belongs to the task that slept")
    func sleepersInActors() async throws {
        let report = try await Simulation.report(replaying: "-") { simulation in
            let (first, second) = (Sleeper(), Sleeper())
            async let one: Void = first.sleep(simulation.clock)
            async let two: Void = second.sleep(simulation.clock)
            _ = try await (one, two)
        }
        let woken = report.timeline.filter { $0.time == .seconds(1) }.prefix { $0.task != "." }
        #expect(Set(woken.map(\.task)) == ["a", "b"])
        // The one that ran last goes first.
        #expect(woken.first?.task == "b")
    }

    private actor Sleeper {
        func sleep(_ clock: TestClock) async throws { try await clock.sleep(for: .seconds(1)) }
    }

    // MARK: - What does not fit

    @Test("An entry that is never reached is told")
    func unreached() async throws {
        let report = try await Simulation.report(replaying: "a99>b", PlantedBugs.checkThenAct)
        let error = report.failure as? SimulationError
        #expect(error?.code == .scheduleDoesNotFit)
        #expect(error?.message.contains("`a99>b`") == true)
    }

    @Test("An entry whose job is not ready is told", arguments: ["a1>zzd", "a1>.", "a1>b.7"])
    func notReady(text: String) async throws {
        let schedule = try Simulation.Schedule(parsing: text)
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.run(replaying: schedule, PlantedBugs.checkThenAct)
        }
        #expect(error?.code == .scheduleDoesNotFit)
        #expect(error?.message.contains("`\(text)`") == true)
    }

    // MARK: - Minimising

    @Test("A failure among much noise comes down to the fewest switches")
    func minimised() async throws {
        for seed in 0..<5 as Range<UInt64> {
            let failure = try #require(
                try await expectFailure {
                    try await Simulation.explore(
                        schedules: 500, by: .random, seed: seed << 20, PlantedBugs.noisyCheckThenAct)
                })
            #expect(failure.originalCount >= 50)
            #expect(failure.schedule.count == 1)
            #expect(failure.isRepeatable)
        }
        let none = try await Simulation.explore(by: .bounded(switches: 0), PlantedBugs.noisyCheckThenAct)
        #expect(none.isComplete)
    }

    @Test("The minimal schedule fails again, from its text alone")
    func minimalReplays() async throws {
        let failure = try #require(
            try await expectFailure {
                try await Simulation.explore(PlantedBugs.threeOrderings)
            })
        let schedule = try Simulation.Schedule(parsing: failure.schedule.description)
        for _ in 0..<100 {
            await #expect(throws: PlantedError.self) {
                try await Simulation.run(replaying: schedule, PlantedBugs.threeOrderings)
            }
        }
    }

    @Test("A failure of the default order has an empty schedule")
    func always() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore { simulation in
                await simulation.yield()
                throw PlantedError()
            }
        }
        #expect(failure?.schedule == .standard)
        #expect(failure?.description.contains("Simulation.run(replaying: \"-\")") == true)
    }

    @Test("A failure that needs chance has the seed in its schedule")
    func chance() async throws {
        let body: PlantedBugs.Body = { simulation in
            if simulation.random.int(in: 0..<50) == 7 { throw PlantedError() }
        }
        let failure = try #require(
            try await expectFailure { try await Simulation.explore(body) })
        #expect(failure.schedule.description == "#\(failure.seed) -")
        await #expect(throws: PlantedError.self) { try await Simulation.run(replaying: failure.schedule, body) }
    }

    @Test("Another error than the one that was found is not taken for it")
    func kinds() async throws {
        struct OtherError: Error {}
        let failure = try await expectFailure {
            try await Simulation.explore(schedules: 500, by: .random) { simulation in
                let recorder = NumberRecorder()
                await withTaskGroup { group in
                    for number in 0..<4 { group.addTask { await recorder.append(number) } }
                }
                let numbers = await recorder.numbers
                if numbers == [3, 2, 1, 0] { throw PlantedError() }
                if numbers == [1, 0, 2, 3], simulation.seed > 1_000_000 { throw OtherError() }
            }
        }
        #expect(failure?.underlying is PlantedError)
        #expect(failure?.isRepeatable == true)
    }
}
