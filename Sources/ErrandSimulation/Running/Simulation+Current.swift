extension Simulation {
    /// The context of the calling task, for `current`.
    @TaskLocal static var taskContext: Context?

    /// The context of the simulation in which the calling task runs, or `nil` outside of a simulation.
    ///
    /// Use it in code to which the context cannot be passed, such as the body of a test with the trait `.simulated` of
    /// `ErrandSimulationTesting`, and in helpers that work both in and outside of simulations:
    ///
    /// ```swift
    /// let clock: any Clock<Duration> = Simulation.current?.clock ?? ContinuousClock()
    /// ```
    ///
    /// It is a task-local value: child tasks and an unstructured `Task { }` inherit it, `Task.detached` does not.
    public static var current: Context? { self.taskContext }
}
