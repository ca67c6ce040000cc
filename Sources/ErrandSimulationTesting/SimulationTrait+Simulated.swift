public import ErrandSimulation
public import Testing

extension Trait where Self == SimulationTrait {
    /// Runs the test under a thousand schedules by the mixed strategy; see `SimulationTrait`.
    ///
    /// ```swift
    /// @Test(.simulated) func `an account is never overdrawn`() async throws {
    ///     let account = Account(balance: 100)
    ///     async let rent: Void = account.withdraw(70)
    ///     async let food: Void = account.withdraw(60)
    ///     _ = await (rent, food)
    ///     #expect(await account.balance >= 0)
    /// }
    /// ```
    public static var simulated: Self { .simulated() }

    /// Runs the test under many schedules, and shows the first that fails, minimized.
    ///
    /// ```swift
    /// @Test(.simulated(schedules: 5_000, by: .pct(depth: 3)))
    /// func lastListenerStopsTheSource() async throws {
    ///     let simulation = try #require(Simulation.current)
    ///     let source = Source(clock: simulation.clock)
    ///     …
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - schedules: The number of schedules; the largest number if the strategy is a bounded search.
    ///   - strategy: The strategy that chooses the schedules.
    ///   - seed: The seed of the exploration.
    ///   - reach: The abilities to capture in addition to child tasks and actors, as far as they are available.
    ///   - limits: The limits of each run.
    /// - Returns: A trait of a test or suite.
    public static func simulated(
        schedules: Int = 1_000, by strategy: Simulation.Strategy = .mixed, seed: UInt64 = 0,
        reach: Simulation.Reach = .structured, limits: Simulation.Limits = .init()
    ) -> Self {
        let kind = SimulationPlan.Kind.explore(schedules: schedules, by: strategy, seed: seed)
        return Self(plan: SimulationPlan(kind: kind, reach: reach, limits: limits))
    }

    /// Runs the test once, in the order of a schedule, as a failure of it prints it.
    ///
    /// ```swift
    /// @Test(.simulated(replaying: "b6>f")) func `an account is never overdrawn`() async throws { … }
    /// ```
    ///
    /// If the schedule cannot be parsed, or does not fit the test any more, an issue names the entry. All arguments of
    /// a test with arguments are run in that order: leave only the one that failed.
    ///
    /// - Parameters:
    ///   - schedule: The schedule.
    ///   - reach: The reach with which the schedule was found.
    ///   - limits: The limits of the run.
    /// - Returns: A trait of a test or suite.
    public static func simulated(
        replaying schedule: Simulation.Schedule, reach: Simulation.Reach = .structured,
        limits: Simulation.Limits = .init()
    ) -> Self {
        return Self(plan: SimulationPlan(kind: .replay(schedule), reach: reach, limits: limits))
    }
}
