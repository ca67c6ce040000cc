import ErrandSimulation
import TestEffort
import Testing

/// What stays on the executor of a simulation, and what leaves it.
@Suite("Simulation executor", .timeLimit(.minutes(60)), .paced)
struct SimulationExecutorTests {
    /// Whether the calling task prefers the executor of the simulation, and so runs on it.
    fileprivate static func isOnExecutor(_ simulation: Simulation.Context) -> Bool {
        unsafe withUnsafeCurrentTask { task in
            unsafe task?.unownedTaskExecutor == simulation.executor.asUnownedTaskExecutor()
        }
    }

    private func expectToStay(_ body: @escaping @Sendable (Simulation.Context) async throws -> Void) async {
        for seed in 0..<20 as Range<UInt64> {
            let report = await Simulation.report(seed: seed, body)
            #expect(report.failure == nil)
            #expect(report.escapedJobs == 0)
        }
    }

    @Test("Task groups and child tasks stay")
    func children() async {
        await self.expectToStay { simulation in
            async let single = Self.isOnExecutor(simulation)
            let all = await withTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask {
                        await simulation.yield()
                        return Self.isOnExecutor(simulation)
                    }
                }
                return await group.reduce(true) { $0 && $1 }
            }
            try #require(await single)
            try #require(all)
        }
    }

    @Test("Actors stay, also under contention")
    func actors() async {
        await self.expectToStay { simulation in
            let recorders = [NumberRecorder(), NumberRecorder(), NumberRecorder()]
            await withTaskGroup { group in
                for number in 0..<30 {
                    group.addTask {
                        for recorder in recorders { await recorder.append(number) }
                    }
                }
            }
            for recorder in recorders { try #require(await recorder.numbers.count == 30) }
        }
    }

    @Test("Continuations resumed within the scenario stay")
    func continuations() async {
        await self.expectToStay { simulation in
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            async let sum = stream.reduce(0, +)
            for number in 1...10 {
                continuation.yield(number)
                await Task.yield()
            }
            continuation.finish()
            try #require(await sum == 55)
        }
    }

    @Test("Cancellation handlers and cancelled sleeps stay")
    func cancellation() async {
        await self.expectToStay { simulation in
            let recorder = NumberRecorder()
            await withTaskGroup { group in
                group.addTask {
                    do {
                        try await simulation.clock.sleep(for: .seconds(10))
                    } catch {
                        await recorder.append(1)
                    }
                }
                await simulation.clock.waitForSleeper()
                group.cancelAll()
            }
            try #require(await recorder.numbers == [1])
            try #require(simulation.clock.sleeperCount == 0)
            try #require(simulation.clock.now == .zero)
        }
    }

    @Test("Functions that leave their caller's actor stay")
    func concurrentFunctions() async {
        await self.expectToStay { simulation in
            try #require(await Self.leaveActor(simulation))
        }
    }

    @concurrent private static func leaveActor(_ simulation: Simulation.Context) async -> Bool {
        await Task.yield()
        return Self.isOnExecutor(simulation)
    }

    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    @Test("A task that keeps the current executor preference stays, also when an actor starts it")
    func keptPreference() async {
        await self.expectToStay { simulation in
            let starter = Starter()
            try #require(try await starter.start(simulation).value)
        }
    }

    /// Starts work as the library does: in a task of its own, on the executor that the current task prefers.
    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    private actor Starter {
        func start(_ simulation: Simulation.Context) -> Task<Bool, any Error> {
            let executor = unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
            return Task(executorPreference: executor) {
                await Task.yield()
                try await simulation.clock.sleep(for: .seconds(1))
                return SimulationExecutorTests.isOnExecutor(simulation)
            }
        }
    }

    @Test("A plain task leaves: without patience the scenario is stuck")
    func escapeWithoutPatience() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let report = await Simulation.report(seed: 1) { _ in
            await Task { for await _ in stream {} }.value
        }
        continuation.finish()
        #expect((report.failure as? SimulationError)?.code == .stuck)
    }

    @Test("A plain task leaves: with patience its jobs are waited for and counted")
    func escapeWithPatience() async {
        let report = await Simulation.report(seed: 1, limits: .init(patience: .seconds(3_600))) { _ in
            let recorder = NumberRecorder()
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            // Runs when the body waits: the task below has not ended by then, on the quickest machine.
            async let beginning: Void = continuation.finish()
            await Task {
                for await _ in stream {}
                for number in 0..<10 { await recorder.append(number) }
            }.value
            await beginning
            try #require(await recorder.numbers.count == 10)
        }
        #expect(report.failure == nil)
        #expect(report.escapedJobs > 0)
    }
}
