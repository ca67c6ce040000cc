extension Simulation {
    /// The abilities with which a run captures work that would otherwise leave its executor.
    ///
    /// Everything but `structured` uses parts of the Swift runtime that are not a supported interface. It is compiled
    /// for Linux and known compiler versions (6.3), and needs the standard library as a shared library, as `swift test`
    /// links it. Each ability is tested once, when one is first requested. An ability that does not work is left out
    /// with a notice on standard error, and runs proceed without it: `available` lists those that work, and
    /// `SimulationReport.reach` those that a run had. On Apple platforms there is only `structured`.
    ///
    /// The abilities apply to the thread that drives the run, from its first job until the remaining tasks have ended.
    /// Other threads, and so other tests of the process, are not affected.
    ///
    /// ```swift
    /// try await Simulation.explore(schedules: 2_000, reach: [.tasks, .sleep]) { simulation in … }
    /// ```
    public struct Reach: OptionSet, Sendable, Hashable {
        /// The bits, which may change between versions.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The default: child tasks, task groups, actors, continuations, and sleeps on the context's clock.
        ///
        /// This is the empty set; it is part of every run, on every system.
        public static let structured: Reach = []

        /// Tasks created by `Task { }`, `Task.detached` and `Task.immediate`, with all they start and await.
        ///
        /// They get the executor of the run as their executor preference when they are created, anywhere in the
        /// program, also on an actor. An immediate task still begins within its creator's step. In the names of tasks,
        /// the creator is the parent.
        ///
        /// The following still escape: tasks created by another thread, such as the queue of a timer or an actor with
        /// its own executor; a task with an explicit executor, even the global one; work without a task, such as that
        /// of a dispatch queue; and tasks created before the run. A task created by foreign code that is called during
        /// a step, such as a handler of another test's stream, is captured as well.
        public static let tasks = Reach(rawValue: 1 << 0)

        /// The main actor: calls to it, and tasks that are isolated to it from the start.
        ///
        /// Its jobs are jobs of the run like all others. The run is driven by the main queue, so that code which
        /// requires that queue works, and so that other code of the process is not on the main actor at the same time:
        /// other tests that use it are served between two runs. The process must serve its main queue, as test runners
        /// and programs with an asynchronous `main` do. A step that blocks also blocks the main queue.
        ///
        /// The following still escape: calls to the main actor by tasks outside the run, and work for
        /// `DispatchQueue.main` or a run loop, which has to wait until the run has ended.
        public static let mainActor = Reach(rawValue: 1 << 1)

        /// `Task.sleep`, and `ContinuousClock` and `SuspendingClock` with their `now`, also in generic code.
        ///
        /// They use the time of the context's clock. Their origins are their own, and the same in each run, so an
        /// instant from outside the run is meaningless inside. A task that sleeps when the run ends is cancelled, as is
        /// one that goes to sleep later.
        ///
        /// The following still escape: sleeps of tasks outside the run, dispatch timers and `DispatchTime.now()`,
        /// `Thread.sleep` and other blocking calls, and clocks of other modules, unless they are built on these.
        public static let sleep = Reach(rawValue: 1 << 2)

        /// The time of day: `Date()`, and `clock_gettime` if called by Foundation or the program itself.
        ///
        /// It is midnight UTC of 2000-01-01 at the beginning of each run, and proceeds with the context's clock.
        /// Request `sleep` as well where code compares dates with the time it has slept.
        ///
        /// The following still escape: `gettimeofday` and `time`, which the older parts of Foundation call, such as
        /// `CFAbsoluteTimeGetCurrent`; `DispatchTime.now()` and `DispatchWallTime.now()`; and calls of `clock_gettime`
        /// by other shared libraries.
        public static let now = Reach(rawValue: 1 << 3)

        /// All abilities.
        public static let all: Reach = [.tasks, .mainActor, .sleep, .now]
    }
}

extension Simulation.Reach: CustomStringConvertible {
    /// The names of the abilities, as in `[.tasks, .sleep]`, or `.structured`.
    public var description: String {
        let names = Self.names.filter { self.contains($0.ability) }.map(\.name)
        return names.isEmpty ? ".structured" : "[\(names.joined(separator: ", "))]"
    }

    static let names: [(ability: Simulation.Reach, name: String)] = [
        (.tasks, ".tasks"), (.mainActor, ".mainActor"), (.sleep, ".sleep"), (.now, ".now"),
    ]
}
