/// What one run of a scenario was like.
///
/// Two runs with the same seed, or of the same schedule, have the same steps, fingerprint and trace, as long as the
/// scenario stays on the simulation's executor and takes chance and time from its context.
public struct SimulationReport: Sendable {
    /// The seed of the run's chance, and of its interleaving where that was random.
    public let seed: UInt64

    /// The number of jobs that were run until the scenario ended, and of jumps of the clock.
    public let steps: Int

    /// A hash over every choice made: which job was picked, among how many, and how far the clock jumped.
    public let fingerprint: UInt64

    /// The number of jobs that came from other threads than the simulation's own.
    ///
    /// With any, the scenario may go another way each time. Zero proves nothing: what leaves and is not awaited does not
    /// come back.
    public let escapedJobs: Int

    /// The places, in the tree of tasks, of the tasks for which the first of those jobs came.
    ///
    /// Such a task has awaited something outside: a continuation that another thread resumes, an actor with an executor
    /// of its own, an actor that another simulation uses as well, or a task that has.
    public let escapedTasks: [String]

    /// The virtual time at which the scenario ended.
    public let elapsed: Duration

    /// What the scenario noted with `Simulation.Context.trace(_:)`, each line after the virtual time at which it was
    /// noted.
    public let trace: [String]

    /// The faults that struck, in order: the calls of `Simulation.Context.fault(_:probability:)` that returned `true`.
    public let faults: [Simulation.Fault]

    /// The interleaving that the run took: `Simulation.run(replaying:)` takes it again.
    public let schedule: Simulation.Schedule

    /// The tasks that were seen, the body first.
    public let tasks: [Simulation.ScheduledTask]

    /// The steps in the order in which they were made; of a very long run the last ones.
    public let timeline: [Simulation.Step]

    /// What the run captured beyond `structured`: what was asked for, as far as it is available.
    public let reach: Simulation.Reach

    /// The error with which the scenario ended, or `nil` if it succeeded.
    public internal(set) var failure: (any Error)?
}
