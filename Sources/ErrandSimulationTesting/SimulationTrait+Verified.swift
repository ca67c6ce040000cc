public import ErrandSimulation
public import Testing

extension Trait where Self == SimulationTrait {
    /// Runs the test under all schedules, up to 100,000; see `verified(schedules:sharing:time:seed:reach:limits:points:)`.
    public static var verified: Self { .verified() }

    /// Runs the test under one schedule of each class, and shows the first that fails, minimized.
    ///
    /// ```swift
    /// @Test(.verified(sharing: .seen)) func `an account is never overdrawn`() async throws {
    ///     let account = Account(balance: 100)
    ///     async let rent: Void = account.withdraw(70)
    ///     async let food: Void = account.withdraw(60)
    ///     _ = await (rent, food)
    ///     #expect(await account.balance >= 0)
    /// }
    /// ```
    ///
    /// The test passes if all classes were run and none failed: see `Simulation.verify`. It is an issue if a bound ends
    /// the verification before that, or if other threads take part. Points that were declared and not reached are a
    /// warning.
    ///
    /// - Parameters:
    ///   - schedules: The largest number of schedules to run.
    ///   - sharing: The assumption about shared state. With `unseen`, each schedule is a class of its own.
    ///   - time: The real time after which no further schedule is run, or `nil` for no limit.
    ///   - seed: The seed of the context's chance.
    ///   - reach: The abilities to capture in addition to child tasks and actors, as far as they are available.
    ///   - limits: The limits of each run.
    ///   - points: The points that the test is expected to reach, by `Context.reached(_:)`.
    /// - Returns: A trait of a test or suite.
    public static func verified(
        schedules: Int = 100_000, sharing: Simulation.Sharing = .unseen, time: Duration? = nil, seed: UInt64 = 0,
        reach: Simulation.Reach = .structured, limits: Simulation.Limits = .init(), points: [String] = []
    ) -> Self {
        let kind = SimulationPlan.Kind.verify(
            schedules: schedules, sharing: sharing, time: time, seed: seed, points: points)
        return Self(plan: SimulationPlan(kind: kind, reach: reach, limits: limits))
    }
}
