extension Simulation {
    /// Runs a scenario under many schedules and stops at the first that fails, for which it finds a short one.
    ///
    /// A schedule that succeeds is only counted, so memory does not grow with the number of schedules.
    ///
    /// - Parameters:
    ///   - schedules: The number of schedules; the largest number if the strategy is a bounded search.
    ///   - strategy: The strategy that chooses the schedules.
    ///   - seed: The seed of the exploration. Run number *n*, counted from 0, has the seed `seed` + *n* for its
    ///     context's chance; where the choice is random, the run equals `run(seed:)` with that seed.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of each run.
    ///   - body: The scenario. Each schedule gets a context of its own; state belongs inside the body.
    /// - Returns: The numbers of the exploration.
    /// - Throws: `SimulationFailure` for the first schedule that fails; `SimulationError` if `schedules` is not
    ///   positive; `CancellationError` if the caller is cancelled.
    /// - Complexity: O(*steps*) over all schedules; all run on one queue, one at a time.
    @discardableResult
    public static func explore(
        schedules: Int = 1_000, by strategy: Strategy = .mixed, seed: UInt64 = 0,
        reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws -> Exploration {
        guard schedules > 0 else { throw SimulationError.noSchedules("schedules: \(schedules)") }
        return try await self.explore(
            schedules: schedules, by: strategy, seed: seed, reach: reach, limits: limits, whileTrue: { false }, body)
    }

    /// Runs a scenario in random orders, with one seed after the other, and stops at the first that fails.
    ///
    /// The failure is that of the seed's own run: it is not minimized.
    ///
    /// - Parameters:
    ///   - seeds: The seeds to run, in this order.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of each run.
    ///   - body: The scenario. Each seed gets a context of its own; state belongs inside the body.
    /// - Throws: `SimulationFailure` for the first seed that fails; `SimulationError` if there are no seeds;
    ///   `CancellationError` if the caller is cancelled.
    /// - Complexity: O(*steps*) over all seeds; all run on one queue, one at a time.
    public static func explore(
        seeds: some Sequence<UInt64>, reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws {
        let explorer = Explorer(reach: reach, limits: limits, body: body)
        var isNone = true
        for seed in seeds {
            isNone = false
            let record = await explorer.run(RandomPolicy(seed: seed), seed: seed)
            try Task.checkCancellation()
            if record.failure != nil { throw await explorer.failure(ofSeeded: record) }
        }
        if isNone { throw SimulationError.noSchedules("seeds: []") }
    }
}
