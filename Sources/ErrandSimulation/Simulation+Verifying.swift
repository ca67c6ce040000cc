extension Simulation {
    /// Runs a scenario under one schedule of each class of equivalent schedules, and stops at the first that fails.
    ///
    /// If it returns a result that `isComplete`, no schedule that the executor can choose fails; with `Sharing.seen`,
    /// this assumes that tasks share only state that the simulation sees. The chance of the context is the same in all
    /// schedules. Before the first, the scenario is run once in the default order, so that lazy values of the process
    /// are initialized; a scenario that then takes other steps depends on state that outlives a run, which is an error.
    /// If a schedule does not repeat the steps of an earlier one, the search begins again, at most four times.
    ///
    /// After all classes, the default order is run again and compared with the first. With `seen`, a hundred random
    /// schedules follow, as far as the time allows: if one fails, tasks seem to share state that is not seen.
    ///
    /// ```swift
    /// let verification = try await Simulation.verify(sharing: .seen) { simulation in
    ///     let counter = Counter()
    ///     await withTaskGroup { group in
    ///         for _ in 0..<3 { group.addTask { await counter.increment() } }
    ///     }
    ///     let value = await counter.value
    ///     try #require(value == 3)
    /// }
    /// try #require(verification.isComplete, "\(verification)")
    /// ```
    ///
    /// - Parameters:
    ///   - schedules: The largest number of schedules to run between the first run and these last ones.
    ///   - sharing: The assumption about shared state. With `unseen`, each schedule is a class of its own.
    ///   - time: The real time after which no further schedule is run, or `nil` for no limit.
    ///   - seed: The seed of the context's chance.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of each run.
    ///   - points: The points that the scenario is expected to reach, by `Context.reached(_:)`.
    ///   - progress: Called after every hundred schedules.
    ///   - body: The scenario. Each schedule gets a context of its own; state belongs inside the body.
    /// - Returns: The number of classes, and whether that is all of them.
    /// - Throws: `SimulationFailure` for the first schedule that fails; `SimulationError` if `schedules` is not
    ///   positive, with the code `unverifiable` if other threads take part, or with `scheduleDoesNotFit` if the scenario
    ///   does not do the same again; `CancellationError` if the caller is cancelled.
    /// - Complexity: With `unseen`, O(*steps*²) for each schedule. With `seen`, O(*steps*³) to find its races, and
    ///   O(*steps*²) for each race. All schedules run on one queue, one at a time.
    public static func verify(
        schedules: Int = 100_000, sharing: Sharing = .unseen, time: Duration? = nil, seed: UInt64 = 0,
        reach: Reach = .structured, limits: Limits = Limits(), points: [String] = [],
        progress: (@Sendable (VerificationProgress) -> Void)? = nil,
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws -> Verification {
        guard schedules > 0 else { throw SimulationError.noSchedules("schedules: \(schedules)") }
        let plan = VerificationPlan(
            schedules: schedules, sharing: sharing, time: time, seed: seed, points: points, progress: progress)
        return try await Explorer(reach: reach, limits: limits, body: body).verify(plan)
    }

    /// Estimates the number of schedules of a scenario by random probes (Knuth, 1975).
    ///
    /// The estimate is unbiased, but its spread is large for scenarios with very different schedules. Use it to find
    /// out how small a scenario must be before it is verified.
    ///
    /// - Parameters:
    ///   - probes: The number of random schedules to run.
    ///   - seed: The seed of the context's chance and of the choices.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of each run.
    ///   - body: The scenario.
    /// - Returns: The estimate.
    /// - Throws: `SimulationFailure` for the first probe that fails; `SimulationError` if `probes` is not positive;
    ///   `CancellationError` if the caller is cancelled.
    public static func estimateSchedules(
        probes: Int = 200, seed: UInt64 = 0, reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws -> ScheduleEstimate {
        guard probes > 0 else { throw SimulationError.noSchedules("probes: \(probes)") }
        return try await Explorer(reach: reach, limits: limits, body: body).estimate(probes: probes, seed: seed)
    }
}
