/// The report of one run of a scenario.
///
/// Two runs with the same seed, or of the same schedule, have the same steps, fingerprint and trace, as long as the
/// scenario stays on the simulation's executor and takes chance and time from its context.
public struct SimulationReport: Sendable {
    /// The seed of the run's chance, and of its interleaving where that was random.
    public let seed: UInt64

    /// The number of jobs that were run until the scenario ended, and of jumps of the clock.
    public let steps: Int

    /// A hash of every choice made: the job that was picked, the number of ready jobs, and the jumps of the clock.
    public let fingerprint: UInt64

    /// The number of jobs that came from threads outside the simulation.
    ///
    /// If there are any, the scenario may run differently each time. Zero is no proof that none escaped: work that
    /// leaves the simulation and is not awaited does not come back.
    public let escapedJobs: Int

    /// The positions, in the tree of tasks, of the tasks that the first of those jobs belong to.
    ///
    /// Such a task has awaited something outside the simulation: a continuation that another thread resumes, an actor
    /// with its own executor, an actor that another simulation also uses, or a task that has.
    public let escapedTasks: [String]

    /// The virtual time at which the scenario ended.
    public let elapsed: Duration

    /// The lines of `Simulation.Context.trace(_:)`, each preceded by the virtual time.
    public let trace: [String]

    /// The faults that occurred, in order: the calls of `Simulation.Context.fault(_:probability:)` that returned
    /// `true`.
    public let faults: [Simulation.Fault]

    /// The interleaving of the run, which `Simulation.run(replaying:)` repeats.
    public let schedule: Simulation.Schedule

    /// The tasks of the run, the body first.
    public let tasks: [Simulation.ScheduledTask]

    /// The steps in the order in which they were made; of a very long run, the last ones.
    public let timeline: [Simulation.Step]

    /// The abilities that the run captured: those requested, as far as they are available.
    public let reach: Simulation.Reach

    /// The error with which the scenario ended, or `nil` if it succeeded.
    public internal(set) var failure: (any Error)?
}
