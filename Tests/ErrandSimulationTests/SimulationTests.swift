import ErrandSimulation
import TestEffort
import Testing

@Suite("Simulation", .timeLimit(.minutes(60)), .paced)
struct SimulationTests {
    /// A dozen tasks with yields, sleeps and an actor between them; says in which order they got there.
    private static let scenario: @Sendable (Simulation.Context) async throws -> [Int] = { simulation in
        let recorder = NumberRecorder()
        await withTaskGroup { group in
            for number in 0..<12 {
                group.addTask {
                    await simulation.yield()
                    await recorder.append(number)
                    try? await simulation.clock.sleep(for: .seconds(number % 3))
                    await recorder.append(number + 100)
                }
            }
        }
        return await recorder.numbers
    }

    @Test("The same seed gives the same interleaving")
    func sameSeed() async throws {
        for seed in [0, 1, 42, UInt64.max] {
            let first = try await Simulation.run(seed: seed, Self.scenario)
            let second = try await Simulation.run(seed: seed, Self.scenario)
            #expect(first == second)
        }
        let reports = (
            await Simulation.report(seed: 7) { _ = try await Self.scenario($0) },
            await Simulation.report(seed: 7) { _ = try await Self.scenario($0) }
        )
        #expect(reports.0.fingerprint == reports.1.fingerprint)
        #expect(reports.0.steps == reports.1.steps)
        #expect(reports.0.escapedJobs == 0)
        #expect(reports.0.failure == nil)
    }

    @Test("Different seeds give different interleavings")
    func differentSeeds() async throws {
        var orders: Set<[Int]> = []
        var fingerprints: Set<UInt64> = []
        for seed in 0..<100 as Range<UInt64> {
            orders.insert(try await Simulation.run(seed: seed, Self.scenario))
            fingerprints.insert(await Simulation.report(seed: seed) { _ = try await Self.scenario($0) }.fingerprint)
        }
        #expect(orders.count > 90)
        #expect(fingerprints.count == 100)
    }

    @Test("Time is virtual and jumps to the next sleeper when nothing is ready")
    func virtualTime() async {
        let report = await Simulation.report(seed: 3) { simulation in
            for hour in 1...24 {
                try await simulation.clock.sleep(for: .seconds(3600))
                simulation.trace("hour \(hour)")
            }
        }
        #expect(report.elapsed == .seconds(24 * 3600))
        #expect(report.trace.count == 24)
        #expect(report.trace.first == "[3600.0 seconds] hour 1")
    }

    @Test("A scenario that can neither run nor wake is stuck at once")
    func stuck() async {
        let report = await Simulation.report(seed: 1) { simulation in
            simulation.trace("before")
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            for await _ in stream {}
            continuation.finish()
        }
        #expect((report.failure as? SimulationError)?.code == .stuck)
        #expect(report.trace == ["[0.0 seconds] before"])
        #expect(report.escapedJobs == 0)
    }

    @Test("A scenario that never ends is stopped after the largest number of steps")
    func tooManySteps() async {
        let report = await Simulation.report(seed: 1, limits: .init(maxSteps: 500)) { simulation in
            while true { await simulation.yield() }
        }
        #expect((report.failure as? SimulationError)?.code == .tooManySteps)
        #expect(report.steps == 500)
    }

    @Test("The error of the body is the error of the run")
    func bodyThrows() async {
        await #expect(throws: PlantedError.self) {
            try await Simulation.run(seed: 1) { _ in throw PlantedError() }
        }
    }

    @Test("A cancelled caller ends the run")
    func cancelledCaller() async {
        let (started, start) = AsyncStream<Void>.makeStream()
        let caller = Task {
            try await Simulation.run(seed: 1, limits: .init(maxSteps: .max)) { simulation in
                start.finish()
                while true { await simulation.yield() }
            }
        }
        for await _ in started {}
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }

    @Test("The body sees the task-local values of the caller")
    func taskLocals() async throws {
        let seen = try await Marker.$value.withValue(5) {
            try await Simulation.run(seed: 1) { _ in Marker.value }
        }
        #expect(seen == 5)
    }

    @Test("Chance follows from the seed and does not change the interleaving")
    func chance() async throws {
        let draw: @Sendable (Simulation.Context) async throws -> [Int] = { simulation in
            (0..<20).map { _ in simulation.random.int(in: -5..<5) }
        }
        let (first, second) = (try await Simulation.run(seed: 8, draw), try await Simulation.run(seed: 8, draw))
        #expect(first == second)
        #expect(try await Simulation.run(seed: 9, draw) != first)
        #expect(first.allSatisfy { (-5..<5).contains($0) })
        let plain = await Simulation.report(seed: 8) { _ = try await Self.scenario($0) }
        let drawing = await Simulation.report(seed: 8) { simulation in
            _ = simulation.random.bool(probability: 0.5)
            _ = try await Self.scenario(simulation)
        }
        #expect(plain.fingerprint == drawing.fingerprint)
    }

    @Test("Tasks that outlive the body are woken and end")
    func leftovers() async throws {
        let ended = NumberRecorder()
        let report = await Simulation.report(seed: 2) { simulation in
            for number in 0..<5 {
                Task(executorPreference: simulation.executor) {
                    try? await simulation.clock.sleep(for: .seconds(1000))
                    await ended.append(number)
                }
            }
            try await simulation.clock.sleep(for: .seconds(1))
        }
        #expect(report.elapsed == .seconds(1))
        #expect(await ended.numbers.sorted() == [0, 1, 2, 3, 4])
    }

    @Test("A heartbeat that outlives its scenario ends with it")
    func heartbeat() async throws {
        try await Simulation.explore(schedules: 10) { simulation in
            // Unstructured on purpose: it is cancelled by nobody else.
            Task(executorPreference: simulation.executor) {
                while !Task.isCancelled { try? await simulation.clock.sleep(for: .seconds(1)) }
            }
            try await simulation.clock.sleep(for: .seconds(3))
        }
    }
}

private enum Marker {
    @TaskLocal static var value = 0
}
