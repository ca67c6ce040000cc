extension Simulation {
    // MARK: - One run

    /// Runs a scenario once, in a random order, and returns what its body returns.
    ///
    /// The body sees the task-local values of the caller. If the calling task is cancelled, the run stops before its
    /// next job.
    ///
    /// - Parameters:
    ///   - seed: The seed that fixes the interleaving and the context's chance.
    ///   - reach: What to capture beyond what stays on the executor by itself, as far as it is available.
    ///   - limits: What the run may take before it counts as one that comes to no end.
    ///   - body: The scenario.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `SimulationError` if it does not end; `CancellationError` if the caller is
    ///   cancelled.
    public static func run<Value: Sendable>(
        seed: UInt64, reach: Reach = .structured, limits: Limits = Limits(),
        _ body: @escaping @Sendable (Context) async throws -> Value
    ) async throws -> Value {
        let reach = reach.restricted
        let run = SimulationRun(policy: RandomPolicy(seed: seed), seed: seed, reach: reach, limits: limits)
        return try await run.perform(on: SimulationThread(reach: reach), body).outcome.get()
    }

    /// Runs a scenario once, in the order of a schedule, and returns what its body returns.
    ///
    /// The run is the one that gave the schedule, step by step, as long as the code is the same. If an entry of the
    /// schedule does not fit, the run ends there; entries that were not reached are told if the body succeeds.
    ///
    /// - Parameters:
    ///   - schedule: The schedule, as a failure prints it.
    ///   - reach: What to capture beyond what stays on the executor by itself, as far as it is available.
    ///   - limits: What the run may take before it counts as one that comes to no end.
    ///   - body: The scenario.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `SimulationError` if it does not end, or if the schedule is none or does not
    ///   fit; `CancellationError` if the caller is cancelled.
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
    ///   - seed: The seed that fixes the interleaving and the context's chance.
    ///   - reach: What to capture beyond what stays on the executor by itself, as far as it is available.
    ///   - limits: What the run may take before it counts as one that comes to no end.
    ///   - body: The scenario.
    /// - Returns: The report; its `failure` is what `run` would have thrown.
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
    ///   - reach: What to capture beyond what stays on the executor by itself, as far as it is available.
    ///   - limits: What the run may take before it counts as one that comes to no end.
    ///   - body: The scenario.
    /// - Returns: The report; its `failure` is what `run` would have thrown where that is the scenario's.
    /// - Throws: `SimulationError` if the text of the schedule is none.
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
