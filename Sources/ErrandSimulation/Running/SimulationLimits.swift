/// What a run is allowed, and what it captures.
package struct SimulationLimits: Sendable {
    /// The largest number of jobs to run and jumps of the clock to make.
    let maxSteps: Int
    /// The virtual time at which a run must have ended, or `nil` if any will do.
    let timeLimit: Duration?
    /// The real time to wait for other threads when nothing is ready and nobody sleeps.
    let patience: Duration
    /// The real time that one job may take.
    let stepTimeout: Duration
    /// What it captures, of which all must work.
    var reach: Simulation.Reach

    /// Creates limits; of the reach, what does not work here is left out.
    package init(
        maxSteps: Int, timeLimit: Duration? = nil, patience: Duration = .zero, stepTimeout: Duration = .seconds(10),
        reach: Simulation.Reach = .structured
    ) {
        self.maxSteps = maxSteps
        self.timeLimit = timeLimit
        self.patience = patience
        self.stepTimeout = stepTimeout
        self.reach = reach.restricted
    }

    /// Returns the same with another patience.
    package func with(patience: Duration) -> SimulationLimits {
        SimulationLimits(
            maxSteps: self.maxSteps, timeLimit: self.timeLimit, patience: patience, stepTimeout: self.stepTimeout,
            reach: self.reach)
    }
}

extension Duration {
    /// The duration in nanoseconds; what is more than some hundred years, or negative, is taken as the nearest that is
    /// not.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(9_000_000_000)).components
        return Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
