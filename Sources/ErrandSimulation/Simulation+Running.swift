extension Simulation {
    // MARK: - One run

    /// Runs a scenario once, in a random order, and returns the result of its body.
    ///
    /// The body sees the task-local values of the caller. If the calling task is cancelled, the run stops before its
    /// next job.
    ///
    /// - Parameters:
    ///   - seed: The seed of the interleaving and of the context's chance.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of the run.
    ///   - body: The scenario.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body; `SimulationError` if the run does not end; `CancellationError` if the caller is
    ///   cancelled.
    public static func run<Value: Sendable>(
        seed: UInt64, reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Value
    ) async throws -> Value {
        let reach = reach.restricted
        let run = SimulationRun(policy: RandomPolicy(seed: seed), seed: seed, reach: reach, limits: limits)
        return try await run.perform(on: SimulationThread(reach: reach), body).outcome.get()
    }

    /// Runs a scenario once, in the order of a schedule, and returns the result of its body.
    ///
    /// The run repeats the one that gave the schedule, step by step, as long as the code is the same. It ends at the
    /// first entry of the schedule that does not fit; entries that were not reached are reported if the body succeeds.
    ///
    /// - Parameters:
    ///   - schedule: The schedule, as a failure prints it.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of the run.
    ///   - body: The scenario.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body; `SimulationError` if the run does not end, or if the schedule cannot be parsed
    ///   or does not fit; `CancellationError` if the caller is cancelled.
    public static func run<Value: Sendable>(
        replaying schedule: Schedule, reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Value
    ) async throws -> Value {
        let (departures, seed) = try schedule.contents()
        let (reach, policy) = (reach.restricted, ReplayPolicy(departures, isStrict: true))
        let run = SimulationRun(policy: policy, seed: seed ?? 0, reach: reach, limits: limits)
        return try await run.perform(on: SimulationThread(reach: reach), body).outcome.get()
    }

    // MARK: - A report of one run

    /// Runs a scenario once, in a random order, and returns a report of the run, whether it succeeds or fails.
    ///
    /// - Parameters:
    ///   - seed: The seed of the interleaving and of the context's chance.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of the run.
    ///   - body: The scenario.
    /// - Returns: The report; its `failure` is the error that `run` would have thrown.
    public static func report(
        seed: UInt64, reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async -> SimulationReport {
        let explorer = Explorer(reach: reach, limits: limits, body: body)
        return await explorer.run(RandomPolicy(seed: seed), seed: seed, isRecording: true).report
    }

    /// Runs a scenario once, in the order of a schedule, and returns a report of the run.
    ///
    /// - Parameters:
    ///   - schedule: The schedule, as a failure prints it.
    ///   - reach: The abilities to capture in addition to `structured`, as far as they are available.
    ///   - limits: The limits of the run.
    ///   - body: The scenario.
    /// - Returns: The report; its `failure` is the error that `run` would have thrown for the scenario.
    /// - Throws: `SimulationError` if the schedule cannot be parsed.
    public static func report(
        replaying schedule: Schedule, reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws -> SimulationReport {
        let (departures, seed) = try schedule.contents()
        let explorer = Explorer(reach: reach, limits: limits, body: body)
        let policy = ReplayPolicy(departures, isStrict: true)
        return await explorer.run(policy, seed: seed ?? 0, isRecording: true).report
    }
}
