internal import ErrandSimulation

/// The plan of a trait.
struct SimulationPlan: Sendable {
    enum Kind: Sendable {
        /// Many schedules, until one fails.
        case explore(schedules: Int, by: Simulation.Strategy, seed: UInt64)
        /// One schedule of each class.
        case verify(schedules: Int, sharing: Simulation.Sharing, time: Duration?, seed: UInt64, points: [String])
        /// One schedule.
        case replay(Simulation.Schedule)
    }

    let kind: Kind
    let reach: Simulation.Reach
    let limits: Simulation.Limits
    /// The real time to wait for a test that seems deadlocked, to find out whether it is.
    var deadlockPatience = Duration.seconds(2)

    /// The limits, with real time for a test that seems deadlocked.
    var patientLimits: Simulation.Limits {
        var limits = self.limits
        limits.patience = max(limits.patience, self.deadlockPatience)
        return limits
    }
}
