/// Runs a whole asynchronous scenario under many schedules, on one executor with a virtual clock.
///
/// Every task, actor and continuation of the scenario runs on one thread, one job at a time. Whenever several are
/// ready, a strategy decides which goes next, and each run can be repeated: by its schedule, a short text that says
/// where it departs from a default order, or by its seed. Time is virtual: when nothing is ready, the clock of the
/// context jumps to its earliest sleeper, so that no run waits for real time. A scenario that can neither run nor wake
/// has a deadlock, and the run says so at once.
///
/// ```swift
/// try await Simulation.explore(schedules: 2_000) { simulation in
///     let counter = Counter()
///     await withTaskGroup { group in
///         for _ in 0..<3 { group.addTask { await counter.increment() } }
///     }
///     let value = await counter.value
///     try #require(value == 3)
/// }
/// ```
///
/// What makes a run repeatable, and what would break it:
///
/// - Child tasks, task groups, actors, continuations and sleeps on the context's clock stay on the executor. An
///   unstructured `Task { }` leaves it, as does an actor with an executor of its own, such as the main actor. Give such
///   a task the context's executor, or, in code that knows no context, the executor preference of the current task:
///   `Task(executorPreference: unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }) { …
///   }`.
/// - On Linux a run can also capture such tasks, the main actor, `Task.sleep` with the standard clocks, and the time of
///   day: see `Reach`, which says what is captured and what still escapes. It is asked for with `reach:`.
/// - Chance must come from the context, time from its clock. The order of a `Set` or a `Dictionary` is chance too: it
///   differs from one instance to the next, unless the process runs with `SWIFT_DETERMINISTIC_HASHING=1`.
///
/// When the body ends, so does the run. Whatever is still asleep on the clock then wakes with `CancellationError`, and
/// what is ready runs on for a while, so that tasks which outlive the body can end too; none of that is part of the
/// report. What does not end then is abandoned.
///
/// A scenario reports a failure by throwing. An expectation that only records an issue fails the test but does not tell
/// which schedule it was. A failing schedule is run some dozen times more to find a short one, and each `#require` that
/// fails then records an issue as well: throw an error of your own where that is too loud.
public enum Simulation {
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
