extension Simulation {
    /// The context that the calling task runs in, for `current`.
    @TaskLocal static var taskContext: Context?

    /// The context of the simulation in which the calling task runs, or `nil` outside of any.
    ///
    /// It is for code to which nobody can hand the context, such as the body of a test with the trait `.simulated` of
    /// `ErrandSimulationTesting`, and for helpers that work in and outside of simulations:
    ///
    /// ```swift
    /// let clock: any Clock<Duration> = Simulation.current?.clock ?? ContinuousClock()
    /// ```
    ///
    /// It is a task-local value: child tasks and an unstructured `Task { }` inherit it, `Task.detached` does not.
    public static var current: Context? { self.taskContext }
}
