extension Simulation {
    /// Runs a scenario under many schedules and stops at the first that fails, for which it finds a short one.
    ///
    /// Nothing is kept of a schedule that succeeds but a number, so that the memory does not grow with them.
    ///
    /// - Parameters:
    ///   - schedules: The number of schedules; the largest number if the strategy is a bounded search.
    ///   - strategy: How they are chosen.
    ///   - seed: The seed from which all of it follows. The run with the number *n*, from 0, has chance by the seed
    ///     `seed` + *n*, and is `run(seed:)` with that where the choice is random.
    ///   - reach: What to capture beyond what stays on the executor by itself, as far as it is available.
    ///   - limits: What each run may take before it counts as one that comes to no end.
    ///   - body: The scenario; each schedule gets a context of its own, so state belongs inside the body.
    /// - Returns: What was run.
    /// - Throws: `SimulationFailure` with the first schedule that fails; `SimulationError` if there is none to run;
    ///   `CancellationError` if the caller is cancelled.
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
    /// The failure is that of the seed's own run: it is not minimised.
    ///
    /// - Parameters:
    ///   - seeds: The seeds to run, in this order.
    ///   - reach: What to capture beyond what stays on the executor by itself, as far as it is available.
    ///   - limits: What each run may take before it counts as one that comes to no end.
    ///   - body: The scenario; each seed gets a context of its own, so state belongs inside the body.
    /// - Throws: `SimulationFailure` with the first seed that fails; `SimulationError` if there is none;
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
