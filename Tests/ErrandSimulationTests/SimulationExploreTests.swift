import ErrandSimulation
import TestEffort
import Testing

/// Whether exploration finds what is wrong, and passes what is right.
@Suite("Simulation exploration", .timeLimit(.minutes(60)), .paced)
struct SimulationExploreTests {
    private protocol Counter: Actor {
        var value: Int { get }
        func increment(_ simulation: Simulation.Context) async
    }

    /// Acts after an `await` on what it read before.
    private actor StaleCounter: Counter {
        private(set) var value = 0

        func increment(_ simulation: Simulation.Context) async {
            let read = self.value
            await simulation.yield()
            self.value = read + 1
        }
    }

    /// Waits first, then reads and writes in one step.
    private actor SoundCounter: Counter {
        private(set) var value = 0

        func increment(_ simulation: Simulation.Context) async {
            await simulation.yield()
            self.value += 1
        }
    }

    /// A cell that several tasks read and write in two visits, each of them right by itself.
    private actor Cell {
        private(set) var value = 0

        func set(_ value: Int) { self.value = value }
    }

    /// Looks whether it is open, and then waits to be told: an opening in between tells nobody.
    private actor LeakyGate {
        private var isOpen = false
        private let (openings, opener) = AsyncStream<Void>.makeStream()
        private var isWatched = false

        func pass(_ simulation: Simulation.Context) async {
            guard !self.isOpen else { return }
            await simulation.yield()
            self.isWatched = true
            for await _ in self.openings {}
        }

        func open() {
            self.isOpen = true
            if self.isWatched { self.opener.finish() }
        }
    }

    private static func scenario(
        _ counter: @escaping @Sendable () -> any Counter
    ) -> @Sendable (Simulation.Context) async throws -> Void {
        { simulation in
            let counter = counter()
            try await withThrowingTaskGroup { group in
                for task in 0..<2 {
                    group.addTask {
                        try await simulation.clock.sleep(for: .milliseconds(simulation.random.int(in: 0..<10)))
                        simulation.trace("task \(task) increments")
                        await counter.increment(simulation)
                    }
                }
                try await group.waitForAll()
            }
            guard await counter.value == 2 else { throw PlantedError() }
        }
    }

    @Test("A stale read after an await is found, and its seed fails again")
    func stale() async throws {
        let scenario = Self.scenario { StaleCounter() }
        let failure = try #require(
            try await expectFailure {
                try await Simulation.explore(seeds: 0..<300, scenario)
            })
        #expect(failure.underlying is PlantedError)
        #expect(failure.trace.count == 2)
        #expect(failure.description.contains("Simulation.run(seed: \(failure.seed))"))
        for _ in 0..<3 {
            let again = await Simulation.report(seed: failure.seed, scenario)
            #expect(again.failure is PlantedError)
            #expect(again.trace == failure.trace)
            #expect(again.escapedJobs == 0)
        }
    }

    @Test("A read and a write in two visits to an actor is found")
    func twoVisits() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore(seeds: 0..<300) { _ in
                let cell = Cell()
                await withTaskGroup { group in
                    for _ in 0..<2 {
                        group.addTask { await cell.set(await cell.value + 1) }
                    }
                }
                guard await cell.value == 2 else { throw PlantedError() }
            }
        }
        #expect(failure?.underlying is PlantedError)
    }

    @Test("A sound actor passes with every seed")
    func sound() async throws {
        try await Simulation.explore(seeds: TestEffort.schedules, Self.scenario { SoundCounter() })
    }

    @Test("A lost wake-up is reported as a deadlock")
    func lostWakeUp() async throws {
        let failure = try await expectFailure {
            try await Simulation.explore(seeds: 0..<300) { simulation in
                let gate = LeakyGate()
                async let passing: Void = gate.pass(simulation)
                async let opening: Void = gate.open()
                _ = await (passing, opening)
            }
        }
        #expect((failure?.underlying as? SimulationError)?.code == .stuck)
    }

    @Test("To explore nothing is an error, and no success")
    func nothing() async throws {
        for number in [0, -5] {
            let error = await #expect(throws: SimulationError.self) {
                try await Simulation.explore(schedules: number) { _ in }
            }
            #expect(error?.code == .noSchedules)
        }
        let error = await #expect(throws: SimulationError.self) { try await Simulation.explore(seeds: []) { _ in } }
        #expect(error?.code == .noSchedules)
    }

    @Test("A scenario with 200 tasks runs with any seed")
    func many() async throws {
        try await Simulation.explore(seeds: TestEffort.schedules) { simulation in
            let recorder = NumberRecorder()
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        await simulation.yield()
                        await recorder.append(number)
                    }
                }
            }
            guard await recorder.numbers.count == 200 else { throw PlantedError() }
        }
    }
}
