extension Simulation {
    /// What a run captures beyond the tasks, actors and continuations that stay on its executor by themselves.
    ///
    /// Everything but `structured` uses parts of the Swift runtime that are no supported interface. It is compiled for
    /// Linux and the compiler versions that are known (6.3) and needs the standard library as a shared library, as
    /// `swift test` links it. Each ability is tried out once, when one is first asked for; one that does not work is
    /// left out with a notice on standard error, and runs go on without it: `available` says which do, and
    /// `SimulationReport.reach` what a run had. On Apple's systems there is only `structured`.
    ///
    /// What is captured is what happens on the thread that drives the run, from its first job until the tasks left over
    /// have ended. Other threads, and so other tests of the process, go on as ever.
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

        /// Nothing more: child tasks, task groups, actors, continuations, and sleeps on the context's clock.
        ///
        /// This is the empty set; it is part of every run, on every system.
        public static let structured: Reach = []

        /// Tasks made by `Task { }`, `Task.detached` and `Task.immediate`, with all they start and await.
        ///
        /// They get the executor of the run as their executor preference when they are made, wherever in the program
        /// that is, also on an actor. An immediate task still begins within its maker's step. The task that made one is
        /// its parent in the names of tasks.
        ///
        /// What still escapes: tasks made by another thread, such as by the queue of a timer or by an actor with an
        /// executor of its own; a task that is given an executor by name, even the global one; work that is no task's,
        /// such as that of a dispatch queue; and tasks that were made before the run. A task made by foreign code that
        /// is called during a step, such as a handler of another test's stream, is captured as well.
        public static let tasks = Reach(rawValue: 1 << 0)

        /// The main actor: what hops to it, and tasks that are isolated to it from the start.
        ///
        /// Its jobs are jobs of the run like all others. The run is driven by the main queue, so that code which asks
        /// for that queue is right, and that nothing else of the process is on the main actor meanwhile: other tests
        /// that use it are served between two runs. The process must serve its main queue, as test runners and programs
        /// with an asynchronous `main` do. A step that blocks, blocks the main queue.
        ///
        /// What still escapes: hops to the main actor by tasks that are not the run's, and work for
        /// `DispatchQueue.main` or a run loop, which has to wait until the run has ended.
        public static let mainActor = Reach(rawValue: 1 << 1)

        /// `Task.sleep`, and `ContinuousClock` and `SuspendingClock` with their `now`, also in generic code.
        ///
        /// They show and wait for the time of the context's clock; only where they start is their own, and the same in
        /// each run, so that an instant from outside the run means nothing inside. A task that sleeps when the run ends
        /// is cancelled, as is one that goes to sleep later.
        ///
        /// What still escapes: sleeps of tasks that are not the run's, dispatch timers and `DispatchTime.now()`,
        /// `Thread.sleep` and other calls that block, and clocks of other modules, unless they are built on these.
        public static let sleep = Reach(rawValue: 1 << 2)

        /// The time of day: `Date()`, and `clock_gettime` where Foundation or the program itself calls it.
        ///
        /// It is midnight UTC of 2000-01-01 at the beginning of each run and goes on with the context's clock. Ask for
        /// `sleep` as well where code compares dates with the time it has slept.
        ///
        /// What still escapes: `gettimeofday` and `time`, which the older parts of Foundation call, such as
        /// `CFAbsoluteTimeGetCurrent`; `DispatchTime.now()` and `DispatchWallTime.now()`; and calls of
        /// `clock_gettime` by other shared libraries.
        public static let now = Reach(rawValue: 1 << 3)

        /// All abilities that there may be.
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
