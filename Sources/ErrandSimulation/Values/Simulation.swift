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
public enum Simulation {}
