/// What one run of a scenario was like.
///
/// Two runs with the same seed have the same steps, fingerprint and trace, as long as the scenario stays on the
/// simulation's executor and takes chance and time from its context.
public struct SimulationReport: Sendable {
    /// The seed that gave the interleaving.
    public let seed: UInt64

    /// The number of jobs that were run until the scenario ended, and of jumps of the clock.
    public let steps: Int

    /// A hash over every choice made: which job was picked, among how many, and how far the clock jumped.
    public let fingerprint: UInt64

    /// The number of jobs that came from other threads than the simulation's own; zero in a scenario that can be
    /// repeated.
    public let escapedJobs: Int

    /// The virtual time at which the scenario ended.
    public let elapsed: Duration

    /// What the scenario noted with `Simulation.Context.trace(_:)`, each line after the virtual time at which it was
    /// noted.
    public let trace: [String]

    /// The error with which the scenario ended, or `nil` if it succeeded.
    public internal(set) var failure: (any Error)?
}
