internal import Dispatch
internal import ErrandLocks
internal import Foundation

/// The self-tests of the abilities: small scenarios that end only if the ability works.
enum ReachProbe {
    private typealias Scenario = @Sendable (Simulation.Context) async throws -> Bool

    /// The step limit; the scenarios take a few dozen steps.
    private static let limit = 1_000

    /// Tests one ability on a separate thread.
    ///
    /// It takes no real time: without the ability, the scenario gets stuck, which ends it.
    ///
    /// - Parameters:
    ///   - ability: The ability.
    ///   - reach: The abilities to capture; `nil` captures the ability itself.
    /// - Returns: `true` if it works.
    static func passes(_ ability: Simulation.Reach, capturing reach: Simulation.Reach? = nil) -> Bool {
        guard let scenario = Self.scenario(for: ability) else { return false }
        return Self.passes(reach ?? ability, scenario)
    }

    private static func scenario(for ability: Simulation.Reach) -> Scenario? {
        switch ability {
        case .tasks: Self.tasks
        case .mainActor: Self.mainActor
        case .sleep: Self.sleep
        case .now: Self.now
        default: nil
        }
    }

    // MARK: - Scenarios

    private static let tasks: Scenario = { _ in
        let thread = CurrentThread.id
        let actor = ProbeActor(other: ProbeActor(other: nil))
        let plain = Task { await actor.hop() }
        let detached = Task.detached { await actor.hop() }
        let isolated = await actor.start()
        return await [plain.value, detached.value, isolated.value].allSatisfy { $0 == thread }
    }

    private static let mainActor: Scenario = { _ in
        let thread = CurrentThread.id
        let seen = await MainActor.run {
            MainActor.assertIsolated()
            return CurrentThread.id
        }
        return seen == thread && CurrentThread.id == thread
    }

    private static let sleep: Scenario = { simulation in
        let (continuous, suspending) = (ContinuousClock.now, SuspendingClock.now)
        try await Task.sleep(for: .seconds(1_000))
        try await Task.sleep(nanoseconds: 500)
        try await SuspendingClock().sleep(until: SuspendingClock.now + .milliseconds(1))
        let expected = Duration.seconds(1_000) + .nanoseconds(500) + .milliseconds(1)
        return simulation.clock.now.offset == expected && ContinuousClock.now - continuous == expected
            && SuspendingClock.now - suspending == expected
    }

    private static let now: Scenario = { simulation in
        let start = Date()
        simulation.clock.advance(by: .seconds(60))
        return start.timeIntervalSince1970 == 946_684_800 && Date().timeIntervalSince(start) == 60
    }

    private actor ProbeActor {
        private let other: ProbeActor?

        init(other: ProbeActor?) {
            self.other = other
        }

        func start() -> Task<Int, Never> {
            // Ends after its hops; the scenario awaits it.
            Task { await self.hop() }
        }

        /// Returns the thread after a hop to the other actor and back.
        func hop() async -> Int {
            _ = await self.other?.hop()
            return CurrentThread.id
        }
    }

    // MARK: - Running the scenarios

    private static func passes(_ reach: Simulation.Reach, _ scenario: @escaping Scenario) -> Bool {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return false }
        let executor = SimulationExecutor(policy: ReplayPolicy([], isStrict: false), isRecording: false)
        let context = Simulation.Context(seed: 0, executor: executor)
        let limits = Simulation.Limits(maxSteps: Self.limit, stepTimeout: .seconds(1))
        let driver = SimulationDriver(executor: executor, clock: context.clock, reach: reach, limits: limits)
        executor.reach.prepare(reach, clock: context.clock, executor: executor)
        let (hasPassed, isOver) = (Flag(), DispatchSemaphore(value: 0))
        // Ends with the scenario; cancelled if the scenario is stuck.
        let task = Task(executorPreference: executor) {
            defer { executor.bodyEnded() }
            if try await scenario(context) { hasPassed.set() }
        }
        // Not on the calling thread, which may be running a task.
        let thread = Thread {
            executor.reach.withRoute(to: executor) {
                _ = driver.drive()
                task.cancel()
                driver.windDown()
            }
            isOver.signal()
        }
        thread.start()
        isOver.wait()
        return hasPassed.isSet && executor.snapshot.escapes.count == 0
    }

    private final class Flag: Sendable {
        private let value = Locked(unobserved: false)

        var isSet: Bool { self.value.withLock { $0 } }

        func set() { self.value.withLock { $0 = true } }
    }
}
