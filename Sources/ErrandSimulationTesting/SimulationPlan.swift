internal import ErrandSimulation

/// What a trait asks for.
struct SimulationPlan: Sendable {
    enum Kind: Sendable {
        /// Many schedules, until one fails.
        case explore(schedules: Int, by: Simulation.Strategy, seed: UInt64)
        /// One schedule.
        case replay(Simulation.Schedule)
    }

    let kind: Kind
    let limits: SimulationLimits
    /// How long a test that seems to be in a deadlock is waited for, in real time, to find out whether it is.
    var patience = Duration.seconds(5)
}
