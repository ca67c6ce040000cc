extension Simulation {
    /// What one run may take before it counts as one that comes to no end.
    ///
    /// ```swift
    /// try await Simulation.explore(limits: .init(maxSteps: 10_000, timeLimit: .seconds(60))) { simulation in … }
    /// ```
    public struct Limits: Sendable, Hashable {
        /// The largest number of jobs to run and of jumps of the clock to make; beyond it the run fails with
        /// `SimulationError.Code.tooManySteps`.
        public var maxSteps: Int

        /// The virtual time at which the run must have ended, or `nil` if any will do; beyond it the run fails with
        /// `SimulationError.Code.tooLate`.
        public var timeLimit: Duration?

        /// The real time that one job may take; beyond it the run fails with `SimulationError.Code.blocked`.
        public var stepTimeout: Duration

        /// The real time to wait for other threads when nothing is ready and nobody sleeps; beyond it the run fails with
        /// `SimulationError.Code.stuck`.
        ///
        /// Keep it zero for a scenario that stays on the executor: there is nothing to wait for then, and a deadlock is
        /// told at once.
        public var patience: Duration

        /// Creates limits.
        ///
        /// - Parameters:
        ///   - maxSteps: The largest number of jobs to run and of jumps of the clock to make.
        ///   - timeLimit: The virtual time at which the run must have ended, or `nil` if any will do.
        ///   - stepTimeout: The real time that one job may take before it is taken to block its thread.
        ///   - patience: The real time to wait for other threads when nothing is ready and nobody sleeps.
        public init(
            maxSteps: Int = 100_000, timeLimit: Duration? = nil, stepTimeout: Duration = .seconds(10),
            patience: Duration = .zero
        ) {
            self.maxSteps = maxSteps
            self.timeLimit = timeLimit
            self.stepTimeout = stepTimeout
            self.patience = patience
        }
    }
}
