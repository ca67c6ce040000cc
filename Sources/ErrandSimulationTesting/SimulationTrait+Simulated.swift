public import ErrandSimulation
public import Testing

extension Trait where Self == SimulationTrait {
    /// Runs the test under a thousand schedules by the mixed strategy; see `SimulationTrait` for what that means.
    ///
    /// ```swift
    /// @Test(.simulated) func nobodyOverdraws() async throws {
    ///     let account = Account(balance: 100)
    ///     async let rent: Void = account.withdraw(70)
    ///     async let food: Void = account.withdraw(60)
    ///     _ = await (rent, food)
    ///     #expect(await account.balance >= 0)
    /// }
    /// ```
    public static var simulated: Self { .simulated() }

    /// Runs the test under many schedules and shows the first that fails, minimised.
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
    ///   - strategy: How they are chosen.
    ///   - seed: The seed from which all of it follows.
    ///   - maxSteps: The largest number of steps of one schedule.
    ///   - timeLimit: The virtual time at which a schedule must have ended, or `nil` if any will do.
    ///   - reach: What is captured beside child tasks and actors, where the platform can.
    /// - Returns: A trait of a test or suite.
    public static func simulated(
        schedules: Int = 1_000, by strategy: Simulation.Strategy = .mixed, seed: UInt64 = 0, maxSteps: Int = 100_000,
        timeLimit: Duration? = nil, reach: Simulation.Reach = .structured
    ) -> Self {
        let limits = SimulationLimits(maxSteps: maxSteps, timeLimit: timeLimit, reach: reach)
        let kind = SimulationPlan.Kind.explore(schedules: schedules, by: strategy, seed: seed)
        return Self(plan: SimulationPlan(kind: kind, limits: limits))
    }

    /// Runs the test once, in the order of a schedule, as a failure of it prints it.
    ///
    /// ```swift
    /// @Test(.simulated(replaying: "b6>f")) func nobodyOverdraws() async throws { … }
    /// ```
    ///
    /// A schedule that is none, or that does not fit the test any more, is an issue that names the entry. All arguments
    /// of a test with arguments are run in that order: leave only the one that failed.
    ///
    /// - Parameters:
    ///   - schedule: The schedule.
    ///   - maxSteps: The largest number of steps.
    ///   - timeLimit: The virtual time at which the run must have ended, or `nil` if any will do.
    ///   - reach: The reach with which the schedule was found.
    /// - Returns: A trait of a test or suite.
    public static func simulated(
        replaying schedule: Simulation.Schedule, maxSteps: Int = 100_000, timeLimit: Duration? = nil,
        reach: Simulation.Reach = .structured
    ) -> Self {
        let limits = SimulationLimits(maxSteps: maxSteps, timeLimit: timeLimit, reach: reach)
        return Self(plan: SimulationPlan(kind: .replay(schedule), limits: limits))
    }
}
