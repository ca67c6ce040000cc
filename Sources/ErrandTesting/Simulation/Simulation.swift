internal import Dispatch

/// Runs a whole asynchronous scenario on one seeded executor with a virtual clock.
///
/// Every task, actor and continuation of the scenario runs on one thread, one job at a time. Whenever several are
/// ready, the seed decides which goes next: the same seed gives the same interleaving, other seeds give others. Time is
/// virtual: when nothing is ready, the clock of the context jumps to its earliest sleeper, so that no run waits for
/// real time. A scenario that can neither run nor wake has a deadlock, and the run says so at once.
///
/// ```swift
/// try await Simulation.explore(seeds: 0..<2000) { simulation in
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
/// - Chance must come from the context, time from its clock. The order of a `Set` or a `Dictionary` is chance too: it
///   differs from one instance to the next, unless the process runs with `SWIFT_DETERMINISTIC_HASHING=1`.
///
/// When the body ends, so does the run. Whatever is still asleep on the clock then wakes with `CancellationError`, and
/// what is ready runs on for a while, so that tasks which outlive the body can end too; none of that is part of the
/// report. What does not end then is abandoned.
///
/// A scenario reports a failure by throwing. An expectation that only records an issue fails the test but does not tell
/// which seed it was; use `try #require`.
public enum Simulation {
    /// Runs a scenario once and returns what its body returns.
    ///
    /// The body sees the task-local values of the caller. If the calling task is cancelled, the run stops before its
    /// next job.
    ///
    /// - Parameters:
    ///   - seed: The seed that fixes the interleaving and the context's chance.
    ///   - maxSteps: The largest number of jobs to run and jumps of the clock to make.
    ///   - patience: The real time to wait for other threads when nothing is ready and nobody sleeps. Keep it zero for
    ///     a scenario that stays on the executor: there is nothing to wait for then.
    ///   - body: The scenario.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `SimulationError` if it does not end; `CancellationError` if the caller is
    ///   cancelled.
    public static func run<Value: Sendable>(
        seed: UInt64, maxSteps: Int = 1_000_000, patience: Duration = .zero,
        _ body: @escaping @Sendable (Context) async throws -> Value
    ) async throws -> Value {
        let run = SimulationRun(seed: seed, maxSteps: maxSteps, patience: patience)
        return try await run.perform(on: self.makeQueue(), body).outcome.get()
    }

    /// Runs a scenario once and returns a report of the run, whether it succeeds or fails.
    ///
    /// - Parameters:
    ///   - seed: The seed that fixes the interleaving and the context's chance.
    ///   - maxSteps: The largest number of jobs to run and jumps of the clock to make.
    ///   - patience: The real time to wait for other threads when nothing is ready and nobody sleeps.
    ///   - body: The scenario.
    /// - Returns: The report; its `failure` is what `run` would have thrown.
    public static func report(
        seed: UInt64, maxSteps: Int = 1_000_000, patience: Duration = .zero,
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async -> SimulationReport {
        let run = SimulationRun(seed: seed, maxSteps: maxSteps, patience: patience)
        return await run.perform(on: self.makeQueue(), body).report
    }

    /// Runs a scenario with one seed after the other and stops at the first that fails.
    ///
    /// - Parameters:
    ///   - seeds: The seeds to run, in this order.
    ///   - maxSteps: The largest number of jobs to run and jumps of the clock to make for one seed.
    ///   - patience: The real time to wait for other threads when nothing is ready and nobody sleeps.
    ///   - body: The scenario; each seed gets a context of its own, so state belongs inside the body.
    /// - Throws: `SimulationFailure` with the first seed that fails; `CancellationError` if the caller is cancelled.
    /// - Complexity: O(*steps*) over all seeds; all run on one queue, one at a time.
    public static func explore(
        seeds: some Sequence<UInt64>, maxSteps: Int = 1_000_000, patience: Duration = .zero,
        _ body: @escaping @Sendable (Context) async throws -> Void
    ) async throws {
        let queue = self.makeQueue()
        for seed in seeds {
            let run = SimulationRun(seed: seed, maxSteps: maxSteps, patience: patience)
            let (outcome, report) = await run.perform(on: queue, body)
            try Task.checkCancellation()
            guard case .failure(let error) = outcome else { continue }
            throw SimulationFailure(seed: seed, underlying: error, report: report)
        }
    }

    // MARK: - Private helpers

    /// A queue whose thread is none of the cooperative pool's: a simulation may keep it for long.
    private static func makeQueue() -> DispatchQueue {
        DispatchQueue(label: "errand.simulation")
    }
}
