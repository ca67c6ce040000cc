#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
    import ErrandLocks
    @testable import ErrandSimulation
    import Foundation
    import TestEffort
    import Testing

    @Suite("Reach", .timeLimit(.minutes(60)), .paced)
    struct ReachTests {
        @Test("All abilities are available with this compiler")
        func available() {
            #expect(Simulation.Reach.available == .all)
            #expect(Simulation.Reach.all.description == "[.tasks, .mainActor, .sleep, .now]")
            #expect(Simulation.Reach.structured.description == ".structured")
        }

        @Test("A runtime without the symbols degrades with one notice for each ability")
        func degrades() {
            let notices = Locked<[String]>([])
            let abilities = ReachAbilities(symbols: { 0 }, notify: { notice in notices.withLock { $0.append(notice) } })
            #expect(abilities.works == .structured)
            #expect(abilities.restrict(.structured) == .structured)
            #expect(notices.withLock { $0.isEmpty })
            for _ in 0..<3 { #expect(abilities.restrict([.tasks, .sleep]) == .structured) }
            #expect(notices.withLock { $0.count } == 2)
            #expect(notices.withLock { $0.first }?.hasPrefix("ErrandSimulation: .tasks does not work") == true)
            _ = abilities.restrict(.all)
            #expect(notices.withLock { $0.count } == 4)
        }

        @Test("An ability fails its self-test where its route is missing")
        func selfTests() {
            // Asking for it installs what the probes need.
            #expect(Simulation.Reach.available == .all)
            for (ability, _) in Simulation.Reach.names {
                #expect(ReachProbe.passes(ability))
                #expect(!ReachProbe.passes(ability, capturing: .structured))
            }
        }

        // MARK: - Tasks

        @Test("Plain, detached, immediate and isolated tasks stay on the executor")
        func tasks() async {
            let report = await Simulation.report(seed: 1, reach: .tasks) { simulation in
                let (actor, recorder) = (Starter(), NumberRecorder())
                let tasks = [
                    Task { await recorder.append(1) },
                    Task.detached { await recorder.append(2) },
                    Task.immediate { await recorder.append(3) },
                    await actor.start { await recorder.append(4) },
                    Task(executorPreference: nil) { await recorder.append(5) },
                ]
                for task in tasks { await task.value }
                try #require(await recorder.numbers.sorted() == [1, 2, 3, 4, 5])
            }
            #expect(report.failure == nil)
            #expect(report.escapedJobs == 0)
            #expect(report.reach == .tasks)
        }

        @Test("A lost update between plain tasks, started on an actor, is found and replayed by its schedule")
        func lostUpdate() async throws {
            let scenario: @Sendable (Simulation.Context) async throws -> Void = { _ in
                let account = Account()
                let tasks = [await account.startDeposit(), await account.startDeposit()]
                for task in tasks { await task.value }
                guard await account.balance == 2 else { throw PlantedError() }
            }
            let failure = try await expectFailure {
                try await Simulation.explore(schedules: 500, reach: .tasks, scenario)
            }
            let schedule = try #require(failure?.schedule)
            for _ in 0..<20 {
                await #expect(throws: PlantedError.self) {
                    try await Simulation.run(replaying: schedule, reach: .tasks, scenario)
                }
            }
        }

        @Test("An immediate task begins in its maker's step and is captured from its first hop on")
        func immediate() async {
            let report = await Simulation.report(seed: 1, reach: .tasks) { simulation in
                let recorder = NumberRecorder()
                let order = Locked<[Int]>([])
                let task = Task.immediate {
                    order.withLock { $0.append(1) }
                    await recorder.append(1)
                    order.withLock { $0.append(3) }
                }
                order.withLock { $0.append(2) }
                await task.value
                try #require(order.withLock { $0 } == [1, 2, 3])
            }
            #expect(report.failure == nil)
            #expect(report.escapedJobs == 0)
        }

        @Test("Tasks see task-local values and their names as ever")
        func taskProperties() async throws {
            try await Simulation.run(seed: 1, reach: .tasks) { _ in
                try await Local.$value.withValue(7) {
                    let inherited = Task(name: "named") { (Local.value, Task.name) }
                    let value = await inherited.value
                    try #require(value.0 == 7 && value.1 == "named")
                    try #require(await Task.detached { Local.value }.value == 0)
                }
            }
        }

        @Test("Errors and cancellation of captured tasks")
        func errors() async throws {
            try await Simulation.run(seed: 1, reach: .tasks) { _ in
                let failing = Task { throw PlantedError() }
                await #expect(throws: PlantedError.self) { try await failing.value }
                let cancelled = Task {
                    while !Task.isCancelled { await Task.yield() }
                    try Task.checkCancellation()
                }
                cancelled.cancel()
                await #expect(throws: CancellationError.self) { try await cancelled.value }
            }
        }

        @Test("A task of the outside that is resumed by a step stays outside")
        func outsiders() async throws {
            for _ in 0..<100 {
                let (stream, continuation) = AsyncStream<Int>.makeStream()
                let outsider = Task {
                    for await _ in stream {}
                    return unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor == nil }
                }
                try await Simulation.run(seed: 1, reach: [.tasks, .sleep]) { _ in continuation.finish() }
                #expect(await outsider.value)
            }
        }

        @Test("Without reach a plain task is outside")
        func withoutReach() async {
            let report = await Simulation.report(seed: 1, limits: .init(patience: .seconds(3_600))) { _ in
                let (stream, continuation) = AsyncStream<Void>.makeStream()
                // Runs when the body waits: the task below has not ended by then, on the quickest machine.
                async let end: Void = continuation.finish()
                await Task { for await _ in stream {} }.value
                await end
            }
            #expect(report.failure == nil)
            #expect(report.escapedJobs > 0)
        }

        // MARK: - Time

        @Test("Sleeps and the standard clocks run on virtual time")
        func sleep() async {
            let report = await Simulation.report(seed: 1, reach: [.tasks, .sleep]) { simulation in
                let start = ContinuousClock.now
                let task = Task {
                    try await Task.sleep(for: .seconds(7200))
                    simulation.trace("task")
                }
                try await Task.sleep(for: .seconds(3600))
                simulation.trace("body")
                try await task.value
                let elapsed = try await ContinuousClock().measure { try await Task.sleep(nanoseconds: 1_000_000_000) }
                try #require(elapsed == .seconds(1))
                try #require(ContinuousClock.now - start == .seconds(7201))
                try await simulation.clock.sleep(for: .seconds(1))
                try #require(ContinuousClock.now - start == .seconds(7202))
            }
            #expect(report.failure == nil)
            #expect(report.elapsed == .seconds(7202))
            #expect(report.trace == ["[3600.0 seconds] body", "[7200.0 seconds] task"])
            #expect(report.escapedJobs == 0)
        }

        @Test("Sleepers of the standard clocks wake when a step moves the clock")
        func advancing() async {
            let report = await Simulation.report(seed: 1, reach: [.tasks, .sleep]) { simulation in
                let sleeper = Task { try await Self.sleep(on: .suspending, for: .seconds(10)) }
                await simulation.clock.waitForSleeper()
                try await Local.$value.withValue(3) {
                    simulation.clock.advance(by: .seconds(10))
                    try #require(Local.value == 3)
                    try await sleeper.value
                    try #require(Local.value == 3)
                }
                try await Task.sleep(for: .zero)
                try await Task.sleep(until: .now - .seconds(5), clock: .continuous)
                try await Self.sleep(on: .continuous, for: .seconds(5))
            }
            #expect(report.failure == nil)
            #expect(report.elapsed == .seconds(15))
        }

        @Test("A cancelled sleep ends at once and moves no clock")
        func cancelledSleep() async {
            let report = await Simulation.report(seed: 1, reach: [.tasks, .sleep]) { simulation in
                let task = Task { try await Task.sleep(for: .seconds(1000)) }
                try await Task.sleep(for: .seconds(1))
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                try await Task.sleep(for: .seconds(1))
                let (stream, continuation) = AsyncStream<Int>.makeStream()
                for await _ in stream {}
                continuation.finish()
            }
            #expect((report.failure as? SimulationError)?.code == .stuck)
            #expect(report.elapsed == .seconds(2))
        }

        @Test("Tasks that sleep when the run ends are cancelled, and so are those that go to sleep later")
        func leftovers() async throws {
            let ended = NumberRecorder()
            let report = await Simulation.report(seed: 2, reach: [.tasks, .sleep]) { simulation in
                for number in 0..<5 {
                    Task {
                        while !Task.isCancelled { try? await Task.sleep(for: .seconds(10)) }
                        await ended.append(number)
                    }
                }
                try await Task.sleep(for: .seconds(25))
            }
            #expect(report.elapsed == .seconds(25))
            #expect(await ended.numbers.sorted() == [0, 1, 2, 3, 4])
        }

        @Test("Without the ability a sleep takes real time")
        func realSleep() async {
            let start = ContinuousClock.now
            let report = await Simulation.report(seed: 1, limits: .init(patience: .seconds(3_600))) { _ in
                try await Task.sleep(for: .milliseconds(30))
            }
            #expect(report.failure == nil)
            #expect(report.elapsed == .zero)
            #expect(ContinuousClock.now - start >= .milliseconds(30))
        }

        @Test("The time of day is virtual")
        func now() async {
            let report = await Simulation.report(seed: 1, reach: [.sleep, .now]) { simulation in
                let start = Date()
                try #require(start.formatted(.iso8601) == "2000-01-01T00:00:00Z")
                try await Task.sleep(for: .seconds(90))
                try #require(Date().timeIntervalSince(start) == 90)
                try #require(Date.now == start + 90)
            }
            #expect(report.failure == nil)
            #expect(Date() > Date(timeIntervalSince1970: 1_700_000_000))
        }

        // MARK: - The main actor

        @Test("The main actor takes part, on the main queue")
        @MainActor func mainActor() async {
            let report = await Simulation.report(seed: 1, reach: [.tasks, .mainActor]) { simulation in
                let model = Model()
                async let first: Void = model.increment()
                async let second: Void = model.increment()
                _ = await (first, second)
                await Task { @MainActor in
                    MainActor.assertIsolated()
                    dispatchPrecondition(condition: .onQueue(.main))
                    await Task.yield()
                    model.incrementInPlace()
                }.value
                try #require(await model.count >= 2)
            }
            #expect(report.failure == nil)
            #expect(report.escapedJobs == 0)
        }

        @Test("A race on the main actor is found")
        func mainActorRace() async throws {
            try await expectFailure {
                try await Simulation.explore(schedules: 500, reach: .mainActor) { _ in
                    let model = Model()
                    async let first: Void = model.increment()
                    async let second: Void = model.increment()
                    _ = await (first, second)
                    guard await model.count == 2 else { throw PlantedError() }
                }
            }
        }

        // MARK: - Replays

        @Test("Replays with plain tasks and sleeps are equal")
        func replays() async throws {
            let first = await Simulation.report(seed: 5, reach: .all, Self.mixed)
            #expect(first.failure == nil)
            for _ in 0..<TestEffort.rounds(of: 1_000) {
                let report = await Simulation.report(seed: 5, reach: .all, Self.mixed)
                try #require(report.steps == first.steps && report.fingerprint == first.fingerprint)
                try #require(report.trace == first.trace && report.escapedJobs == 0)
            }
            let replay = try await Simulation.report(replaying: first.schedule, reach: .all, Self.mixed)
            #expect(replay.trace == first.trace)
        }

        @Test("Simulations with reach do not touch what runs beside them")
        func neighbours() async throws {
            let rounds = TestEffort.isFull ? 10 : 2
            for _ in 0..<rounds {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<2 {
                        group.addTask { _ = try await Simulation.explore(schedules: 20, reach: .all, Self.mixed) }
                        group.addTask {
                            _ = try await Simulation.explore(schedules: 20, reach: [.tasks, .sleep, .now], Self.mixed)
                        }
                    }
                    for _ in 0..<8 { group.addTask { try await Self.realSleeps() } }
                    for _ in 0..<4 { group.addTask { try await Self.plainTasks(500) } }
                    try await group.waitForAll()
                }
            }
        }

        // MARK: - Private helpers

        /// Plain tasks on actors, sleeps, the clocks and the main actor, if that is captured.
        private static let mixed: @Sendable (Simulation.Context) async throws -> Void = { simulation in
            let (starter, recorder) = (Starter(), NumberRecorder())
            let start = (ContinuousClock.now, Date())
            for number in 0..<4 {
                await starter.start {
                    try? await Task.sleep(for: .milliseconds(10 * (number % 2)))
                    simulation.trace("\(number) at \(ContinuousClock.now - start.0)")
                    await recorder.append(number)
                }
            }
            let detached = Task.detached { try await Task.sleep(for: .seconds(5)) }
            try await Task.sleep(for: .seconds(1))
            detached.cancel()
            guard await recorder.numbers.count == 4, ContinuousClock.now - start.0 == .seconds(1),
                Date().timeIntervalSince(start.1) == 1
            else { throw PlantedError() }
        }

        private static func sleep<C: Clock>(on clock: C, for duration: C.Duration) async throws {
            let start = clock.now
            try await Task.sleep(for: duration, clock: clock)
            guard start.duration(to: clock.now) == duration else { throw PlantedError() }
        }

        /// Sleeps in real time, on the pool's threads and on the main actor's.
        private static func realSleeps() async throws {
            let (start, date) = (ContinuousClock.now, Date())
            try await Task.sleep(for: .milliseconds(20))
            try await Task { try await Task.sleep(for: .milliseconds(5)) }.value
            await MainActor.run {
                MainActor.assertIsolated()
                dispatchPrecondition(condition: .onQueue(.main))
            }
            let elapsed = ContinuousClock.now - start
            try #require(elapsed >= .milliseconds(25) && elapsed < .seconds(100))
            try #require(Date().timeIntervalSince(date) < 100 && date.timeIntervalSince1970 > 1_700_000_000)
        }

        /// Tasks that must have no executor preference.
        private static func plainTasks(_ count: Int) async throws {
            let recorder = NumberRecorder()
            for number in 0..<count {
                let task = Task {
                    await recorder.append(number)
                    return unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor == nil }
                }
                try #require(await task.value)
            }
            try #require(await recorder.numbers.count == count)
        }
    }

    private enum Local {
        @TaskLocal static var value = 0
    }

    /// Starts tasks on itself.
    private actor Starter {
        @discardableResult
        func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
            Task {
                await body()
                self.ended += 1
            }
        }

        private var ended = 0
    }

    /// Reads, awaits and writes: two deposits may become one.
    private actor Account {
        private(set) var balance = 0
        private let ledger = NumberRecorder()

        func startDeposit() -> Task<Void, Never> {
            Task {
                let before = self.balance
                await self.ledger.append(before)
                self.balance = before + 1
            }
        }
    }

    @MainActor private final class Model {
        var count = 0
        private let ledger = NumberRecorder()

        nonisolated init() {}

        nonisolated func incrementInPlace() {
            MainActor.assumeIsolated { self.count += 1 }
        }

        func increment() async {
            let before = self.count
            await self.ledger.append(before)
            self.count = before + 1
        }
    }
#endif
