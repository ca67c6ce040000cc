import ErrandLocks
import SimulationCatalogue
import TestEffort
import Testing

@testable import ErrandSimulation

/// Checks the results and errors of verifications.
@Suite("Verification", .timeLimit(.minutes(60)), .paced)
struct VerificationTests {
    private actor Account {
        private(set) var balance = 100

        func withdraw(_ amount: Int, _ simulation: Simulation.Context) async {
            guard self.balance >= amount else { return simulation.reached("refused") }
            await simulation.yield()
            self.balance -= amount
        }

        func withdrawSafely(_ amount: Int, _ simulation: Simulation.Context) {
            guard self.balance >= amount else { return simulation.reached("refused") }
            self.balance -= amount
        }
    }

    /// State that a simulation does not see.
    private final class Hidden: Sendable {
        let value = Locked(unobserved: 0)
    }

    /// Waits for a message that is never sent.
    private static func neverEnd() async {
        let (messages, sender) = AsyncStream<Void>.makeStream()
        for await _ in messages {}
        sender.finish()
    }

    private static let overdraw: ScheduleTree.Body = { simulation in
        let account = Account()
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { await account.withdraw(70, simulation) } }
        }
        guard await account.balance >= 0 else { throw PlantedError() }
    }

    private static let sound: ScheduleTree.Body = { simulation in
        let account = Account()
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { await account.withdrawSafely(70, simulation) } }
        }
        guard await account.balance >= 0 else { throw PlantedError() }
    }

    // MARK: - Results

    @Test("A sound scenario is verified, and the result says what was assumed")
    func complete() async throws {
        let unseen = try await Simulation.verify(Self.sound)
        #expect(unseen.isComplete && unseen.bound == nil && unseen.sharing == .unseen && unseen.cutSchedules == 0)
        let steps = unseen.largestSteps
        #expect("\(unseen)" == "explored \(unseen.classes) schedules of up to \(steps) steps, which is all of them")
        let seen = try await Simulation.verify(sharing: .seen, Self.sound)
        #expect(seen.isComplete && seen.classes <= unseen.classes)
        guard StepRecorder.isAvailable, StepRecorder.seesLocks else { return }
        #expect(seen.sharing == .seen && !seen.isSharingUnavailable)
        #expect(
            "\(seen)" == "explored \(seen.classes) classes of up to \(seen.largestSteps) steps, which is all of them; "
                + "assuming that tasks share only what the simulation sees")
    }

    @Test("A build whose locks do not report their use falls back to all schedules")
    func unobservedLocks() async throws {
        let explorer = Explorer(reach: .structured, limits: .init(), body: Self.sound)
        var plan = VerificationPlan(schedules: 1_000, sharing: .seen, time: nil, seed: 0, points: [])
        #if DEBUG
            #expect(plan.isSharingSeen == RuntimeLayout.knowsSharing)
        #else
            #expect(!plan.isSharingSeen)
        #endif
        plan.isSharingSeen = false
        let verification = try await explorer.verify(plan)
        #expect(verification.sharing == .unseen && verification.isSharingUnavailable)
        #expect(try await verification.classes == Simulation.verify(Self.sound).classes)
    }

    @Test("A failure is minimized and repeatable", arguments: [Simulation.Sharing.unseen, .seen])
    func failure(_ sharing: Simulation.Sharing) async throws {
        let failure = try await expectFailure {
            try await Simulation.verify(sharing: sharing, Self.overdraw)
        }
        #expect(failure?.isRepeatable == true && failure?.underlying is PlantedError)
        #expect(failure?.schedule.count == 1 && failure?.timeline.isEmpty == false)
    }

    @Test("The bound that ends a verification is named")
    func bounds() async throws {
        let few = try await Simulation.verify(schedules: 3, Self.sound)
        #expect(!few.isComplete && few.bound == .schedules(3) && few.classes == 3)
        #expect("\(few)".hasSuffix("and ended at the bound of 3 schedules"))
        let brief = try await Simulation.verify(time: .zero, Self.sound)
        #expect(brief.bound == .time(.zero) && brief.classes == 0)
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.verify(schedules: 0, Self.sound)
        }
        #expect(error?.code == .noSchedules)
    }

    @Test("A cancelled caller ends a verification")
    func cancelled() async {
        // Ends with the verification, which it cancels itself.
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            _ = try await Simulation.verify(Self.sound)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Points that no class reaches are named")
    func points() async throws {
        let verification = try await Simulation.verify(points: ["evicted", "refused", "lost"], Self.sound)
        #expect(verification.unreachedPoints == ["evicted", "lost"])
        #expect("\(verification)".hasSuffix("; never reached: evicted, lost"))
        let misspelt = try await Simulation.verify(points: ["refuzed"], Self.sound)
        #expect("\(misspelt)".hasSuffix("; never reached: refuzed; reached, but not declared: refused"))
        let undeclared = try await Simulation.verify(Self.sound)
        #expect(undeclared.undeclaredPoints.isEmpty)
    }

    @Test("State that outlives a run is an error", arguments: [Simulation.Sharing.unseen, .seen])
    func leftover(_ sharing: Simulation.Sharing) async throws {
        let cache = Shelf()
        let error = await #expect(throws: SimulationError.self) {
            _ = try await Simulation.verify(sharing: sharing) { simulation in
                if await cache.value == 0 { await cache.fill() }
            }
        }
        #expect(error?.code == .scheduleDoesNotFit)
        #expect(error?.message.contains("Create all state in the body.") == true)
    }

    @Test("A run that differs at its end is an error", arguments: [Simulation.Sharing.unseen, .seen])
    func differentEnd(_ sharing: Simulation.Sharing) async throws {
        let runs = Locked(unobserved: 0)
        let error = await #expect(throws: SimulationError.self) {
            _ = try await Simulation.verify(sharing: sharing) { simulation in
                let run = runs.withLock { count in
                    count += 1
                    return count
                }
                // Not in the first run and in the first schedule.
                if run > 2 { await simulation.yield() }
            }
        }
        #expect(error?.code == .scheduleDoesNotFit)
    }

    @Test("A result that depends on chance names its seed", arguments: [Simulation.Sharing.unseen, .seen])
    func chance(_ sharing: Simulation.Sharing) async throws {
        let verification = try await Simulation.verify(sharing: sharing, seed: 7) { simulation in
            await simulation.yield()
            _ = simulation.random.int(in: 0..<2)
        }
        #expect(verification.usesChance && verification.seed == 7)
        #expect("\(verification)".hasSuffix("; with the random numbers and faults of seed 7"))
        let faulty = try await Simulation.verify(sharing: sharing) { _ = $0.fault("lost", probability: 0.5) }
        #expect(faulty.usesChance)
        let sound = try await Simulation.verify(sharing: sharing, Self.sound)
        #expect(!sound.usesChance && !"\(sound)".contains("seed"))
    }

    @Test("The number of schedules is estimated", .enabled(if: ScheduleTree.isExact))
    func estimate() async throws {
        let body = LitmusProgram([.visit(0)], [.visit(1)]).body
        let estimate = try await Simulation.estimateSchedules(probes: 500, body)
        #expect(estimate.probes == 500 && (45...55).contains(estimate.schedules))
        #expect("\(estimate)".hasPrefix("about ") && "\(estimate)".hasSuffix(" schedules (500 probes)"))
        await #expect(throws: SimulationError.self) { try await Simulation.estimateSchedules(probes: 0, body) }
        try await expectFailure { try await Simulation.estimateSchedules(Self.overdraw) }
    }

    @Test("A scenario that is stuck names the tasks that wait", .enabled(if: RuntimeLayout.knowsSharing))
    func waiting() async throws {
        let failure = try await expectFailure {
            try await Simulation.verify(sharing: .seen) { simulation in
                await withTaskGroup { group in
                    group.addTask(name: "ended") { await simulation.yield() }
                    group.addTask(name: "sleepless") { await Self.neverEnd() }
                }
            }
        }
        #expect((failure?.underlying as? SimulationError)?.message.contains("Waiting: ., b \"sleepless\".") == true)
        let explored = try await expectFailure {
            try await Simulation.explore { _ in
                async let child: Void = Self.neverEnd()
                await child
            }
        }
        #expect((explored?.underlying as? SimulationError)?.message.contains("Waiting: ., a.") == true)
    }

    @Test("The progress is reported after every hundred schedules", .enabled(if: ScheduleTree.isExact))
    func progress() async throws {
        let reports = Locked<[Simulation.VerificationProgress]>([])
        let body = LitmusProgram([.visitTwice(0)], [.visitTwice(0)], [.visit(0)]).body
        let verification = try await Simulation.verify(
            schedules: 250, progress: { report in reports.withLock { $0.append(report) } }, body)
        #expect(verification.classes == 250 && reports.withLock { $0.map(\.schedules) } == [100, 200])
    }

    // MARK: - Scenarios that cannot be verified

    @Test("A task outside of the simulation is an error", .enabled(if: RuntimeLayout.knowsSharing))
    func stray() async throws {
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.verify { _ in
                // Outside of the simulation, on purpose.
                _ = Task {}
            }
        }
        #expect(error?.code == .unverifiable && error?.message.contains("1 task was started outside") == true)
    }

    /// An actor that starts a task of its own without a preference for an executor.
    private actor Starter {
        private var visits = 0

        func start() {
            // Outside of the simulation, on purpose.
            _ = Task { self.visits += 1 }
        }

        func visit() { self.visits += 1 }
    }

    @Test(
        "A task that starts on an actor without the executor is an error",
        .enabled(if: RuntimeLayout.knowsSharing), arguments: [Simulation.Sharing.unseen, .seen])
    func strayOnActor(_ sharing: Simulation.Sharing) async throws {
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.verify(sharing: sharing) { _ in
                let starter = Starter()
                await withTaskGroup { group in
                    group.addTask { await starter.start() }
                    group.addTask { await starter.visit() }
                }
            }
        }
        #expect(error?.code == .unverifiable && error?.message.contains("1 task was started outside") == true)
    }

    #if compiler(>=6.2)
        @Test("An immediate task without the executor is an error", .enabled(if: RuntimeLayout.knowsSharing))
        func immediate() async throws {
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
            let error = await #expect(throws: SimulationError.self) {
                try await Simulation.verify { _ in
                    // Outside of the simulation, on purpose.
                    _ = Task.immediate {}
                }
            }
            #expect(error?.code == .unverifiable)
        }
    #endif

    @Test(
        "A task outside of the simulation is an error in any schedule", .enabled(if: RuntimeLayout.knowsSharing),
        arguments: [Simulation.Sharing.unseen, .seen])
    func strayInOneOrder(_ sharing: Simulation.Sharing) async throws {
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.verify(sharing: sharing) { simulation in
                let order = Order()
                await withTaskGroup { group in
                    for name in ["a", "b"] {
                        group.addTask {
                            // Outside of the simulation, on purpose.
                            if await order.note(name) == "ba" { _ = Task {} }
                        }
                    }
                }
            }
        }
        #expect(error?.code == .unverifiable)
    }

    /// An actor that remembers in which order it was visited.
    private actor Order {
        private var names = ""

        func note(_ name: String) -> String {
            self.names += name
            return self.names
        }
    }

    @globalActor private actor Host {
        static let shared = Host()

        private var visits = 0

        func visit() { self.visits += 1 }
    }

    /// An object that is deinitialized on a global actor.
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    @Host private final class Guest {
        private let simulation: Simulation.Context

        nonisolated init(_ simulation: Simulation.Context) {
            self.simulation = simulation
        }

        isolated deinit {
            self.simulation.reached("gone")
        }
    }

    @Test("An isolated deinitializer in the queue of an actor is an error", .enabled(if: ScheduleTree.isExact))
    func deinitializer() async throws {
        guard #available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *) else { return }
        let explorer = Explorer(reach: .structured, limits: .init()) { simulation in
            await withTaskGroup { group in
                group.addTask { await Host.shared.visit() }
                group.addTask { withExtendedLifetime(Guest(simulation)) {} }
            }
        }
        // The guest is released between the call of the first task and the turn of the actor.
        let path = [(0, 1), (1, 2), (2, 2)].map { VerificationPolicy.Repetition(arrival: $0.0, readyJobs: $0.1) }
        let recorder = StepRecorder()
        let record = await explorer.run(
            VerificationPolicy(path: path, sleepers: [], recorder: nil), seed: 0, observer: recorder)
        #expect(recorder.run.hasDeinitializer && recorder.run.isIncomplete)
        let error = SimulationError.unverifiable(record, recorder.run)
        #expect(error.code == .unverifiable && error.message.contains("an isolated deinitializer"))
    }

    @Test("A task that comes back from another thread is an error that names it")
    func escape() async throws {
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.verify(limits: .init(patience: .seconds(60))) { simulation in
                await withTaskGroup { group in
                    group.addTask(name: "waiting") {
                        await MainActor.run {}
                        await simulation.yield()
                    }
                }
            }
        }
        #expect(error?.code == .unverifiable)
        #expect(error?.message.contains("came from other threads (task a \"waiting\")") == true)
    }

    @Test("A scenario that does not do the same again is an error")
    func chance() async throws {
        let runs = Hidden()
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.verify { simulation in
                let isOdd = runs.value.withLock { count in
                    count += 1
                    return count % 2 == 1
                }
                await withTaskGroup { group in
                    for _ in 0..<(isOdd ? 2 : 3) { group.addTask { await simulation.yield() } }
                }
            }
        }
        #expect(error?.code == .scheduleDoesNotFit)
    }

    @Test(
        "A scenario whose steps use other state when they are repeated is an error",
        .enabled(if: RuntimeLayout.knowsSharing), arguments: [Simulation.Sharing.unseen, .seen])
    func otherState(_ sharing: Simulation.Sharing) async throws {
        let runs = Hidden()
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation.verify(sharing: sharing) { simulation in
                let number = runs.value.withLock { count in
                    count += 1
                    return count
                }
                Simulation.access("state \(number)")
                await withTaskGroup { group in
                    for _ in 0..<2 { group.addTask { await simulation.yield() } }
                }
            }
        }
        #expect(error?.code == .scheduleDoesNotFit)
    }

    @Test("A lazy value that is first used in a later schedule is no error", .enabled(if: ScheduleTree.isExact))
    func lazyValue() async throws {
        let lazy = Lazy()
        let verification = try await Simulation.verify(sharing: .seen) { _ in
            let order = Order()
            await withTaskGroup { group in
                for name in ["a", "b"] {
                    group.addTask {
                        if await order.note(name) == "ba" { await lazy.order().visit() }
                    }
                }
            }
        }
        #expect(verification.isComplete && verification.sharing == .seen)
    }

    /// Creates an actor at first use.
    private final class Lazy: Sendable {
        private let value = Locked<Starter?>(unobserved: nil)

        func order() -> Starter {
            self.value.withLock { value in
                let starter = value ?? Starter()
                value = starter
                return starter
            }
        }
    }

    @Test("Captured tasks can be verified", .enabled(if: RuntimeLayout.knowsSharing))
    func captured() async throws {
        let verification = try await Simulation.verify(sharing: .seen, reach: .all) { _ in
            // Joined below.
            let task = Task { await MainActor.run {} }
            try await Task.sleep(for: .seconds(1))
            await task.value
        }
        #expect(verification.isComplete)
    }

    /// Sets a flag when it is deallocated.
    private final class Token: Sendable {
        private let isGone: Gone

        init(_ isGone: Gone) {
            self.isGone = isGone
        }

        deinit { self.isGone.flag.set() }
    }

    private final class Gone: Sendable {
        let flag = AtomicFlag()
    }

    @Test("A result is deallocated with its task", arguments: [Simulation.Sharing.unseen, .seen])
    func results(_ sharing: Simulation.Sharing) async throws {
        let verification = try await Simulation.verify(sharing: sharing) { simulation in
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
            let (first, second) = (Gone(), Gone())
            await withTaskGroup { group in
                // Joined by its value.
                group.addTask { _ = await Task(executorPreference: simulation.executor) { Token(first) }.value }
            }
            await withTaskGroup { group in
                group.addTask { Token(second) }
                _ = await group.next()
            }
            await simulation.yield()
            if !first.flag.isSet || !second.flag.isSet { throw PlantedError() }
        }
        #expect(verification.isComplete)
    }

    // MARK: - Sleeps of the standard clocks

    @Test("A sleep that is cancelled or whose time comes has both outcomes", .enabled(if: ScheduleTree.isExact))
    func cancelledSleep() async throws {
        let failure = try await expectFailure {
            try await Simulation.verify(sharing: .seen, reach: [.tasks, .sleep]) { simulation in
                let sleeper = Task { try await Task.sleep(for: .seconds(5)) }
                await simulation.clock.waitForSleeper()
                await withTaskGroup { group in
                    group.addTask {
                        sleeper.cancel()
                        await Task.yield()
                    }
                    group.addTask {
                        simulation.clock.advance(by: .seconds(5))
                        await Task.yield()
                    }
                }
                // The default order cancels first.
                if case .success = await sleeper.result { throw PlantedError() }
            }
        }
        #expect(failure?.underlying is PlantedError)
    }

    @Test("A sleep that ends with the scope of its task leaves the clock", .enabled(if: ScheduleTree.isExact))
    func scopedSleep() async throws {
        let verification = try await Simulation.verify(sharing: .seen, reach: [.tasks, .sleep]) { simulation in
            await Self.sleepInScope(simulation.clock)
            try #require(simulation.clock.sleeperCount == 0)
            try #require(await !Self.advance(simulation.clock))
            try #require(simulation.clock.now.offset == .zero)
        }
        #expect(verification.isComplete)
    }

    private static func sleepInScope(_ clock: TestClock) async {
        async let _: Void? = try? await Task.sleep(for: .seconds(5))
        await clock.waitForSleeper()
    }

    private static func advance(_ clock: TestClock) async -> Bool {
        // May have the memory of the task that slept.
        async let other: Void = Task.yield()
        let hasMoved = clock.advanceToNextSleeper()
        await other
        return hasMoved
    }

    // MARK: - Shared state that is not seen

    @Test("State that is not seen must be declared", .enabled(if: ScheduleTree.isExact))
    func declared() async throws {
        func body(_ access: Simulation.Access?) -> ScheduleTree.Body {
            { simulation in
                let hidden = Hidden()
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        if let access { Simulation.access("hidden", access) }
                        hidden.value.withLock { $0 = 1 }
                        await simulation.yield()
                    }
                    group.addTask {
                        if access != nil { Simulation.access("hidden", .reading) }
                        let isEarly = hidden.value.withLock { $0 == 0 }
                        await simulation.yield()
                        if isEarly { throw PlantedError() }
                    }
                    try await group.waitForAll()
                }
            }
        }
        // One schedule of each class passes, and a random one fails.
        let failure = try #require(
            try await expectFailure(afterAllClasses: true) { try await Simulation.verify(sharing: .seen, body(nil)) })
        #expect("\(failure)".contains("Declare each access to it by `Simulation.access(_:_:)`."))
        try await expectFailure { try await Simulation.verify(sharing: .unseen, body(nil)) }
        try await expectFailure { try await Simulation.verify(sharing: .seen, body(.writing)) }
    }

    @Test(.enabled(if: RuntimeLayout.knowsSharing))
    func `a schedule that is equivalent to an earlier one is not cancelled`() async throws {
        let cancelled = Locked(unobserved: 0)
        let bug = try #require(PlantedBug.all.first { $0.name == "lost-permit" })
        let verification = try await Simulation.verify(sharing: .seen) { simulation in
            try await bug.mended(simulation)
            if Task.isCancelled { cancelled.withLock { $0 += 1 } }
        }
        #expect(verification.isComplete)
        #expect(verification.cutSchedules > 0)
        #expect(cancelled.withLock { $0 } == 0)
    }
}

private actor Shelf {
    private(set) var value = 0

    func fill() { self.value = 1 }
}
