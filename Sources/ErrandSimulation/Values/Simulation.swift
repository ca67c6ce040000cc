/// Runs a whole asynchronous scenario under many schedules, on one executor with a virtual clock.
///
/// Every task, actor and continuation of the scenario runs on one thread, one job at a time. Whenever several are
/// ready, a strategy decides which goes next, and each run can be repeated by its schedule, a short text that lists
/// where it departs from a default order, or by its seed. Time is virtual: when no job is ready, the clock of the
/// context jumps to its earliest sleeper, so that no run waits for real time. A scenario that can neither run nor wake
/// has a deadlock, which the run reports at once.
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
/// A run is repeatable under these conditions:
///
/// - Child tasks, task groups, actors, continuations and sleeps on the context's clock stay on the executor. An
///   unstructured `Task { }` leaves it, as does an actor with its own executor, such as the main actor. Give such a
///   task the context's executor, or, in code that does not know the context, the executor preference of the current
///   task: `Task(executorPreference: unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() })
///   { … }`.
/// - On Linux a run can also capture such tasks, the main actor, `Task.sleep` with the standard clocks, and the time of
///   day: pass `reach:`, and see `Reach` for what is captured and what still escapes.
/// - Chance must come from the context, time from its clock. The order of a `Set` or a `Dictionary` is chance too: it
///   differs from one instance to the next, unless the process runs with `SWIFT_DETERMINISTIC_HASHING=1`.
///
/// The run ends when its body ends. Tasks that are still asleep on the clock then wake with `CancellationError`, and
/// ready jobs run on for a while, so that tasks that outlive the body can end too; the report ends before that. Tasks
/// that do not end then are abandoned.
///
/// A scenario reports a failure by throwing. An expectation that only records an issue fails the test, but does not
/// identify the schedule. A failing schedule is run some dozen more times to find a short one, and each `#require` that
/// fails then records an issue as well: throw an error of your own to avoid that.
public enum Simulation {}
