extension Simulation {
    /// The limits beyond which a run is considered not to end.
    ///
    /// ```swift
    /// try await Simulation.explore(limits: .init(maxSteps: 10_000, timeLimit: .seconds(60))) { simulation in … }
    /// ```
    public struct Limits: Sendable, Hashable {
        /// The largest number of jobs and of jumps of the clock; beyond it the run fails with
        /// `SimulationError.Code.tooManySteps`.
        public var maxSteps: Int

        /// The virtual time at which the run must have ended, or `nil` for no limit; beyond it the run fails with
        /// `SimulationError.Code.tooLate`.
        public var timeLimit: Duration?

        /// The real time that one job may take; beyond it the run fails with `SimulationError.Code.blocked`.
        public var stepTimeout: Duration

        /// The real time to wait for other threads when no task is ready or asleep; beyond it the run fails with
        /// `SimulationError.Code.stuck`.
        ///
        /// Keep it zero for a scenario that stays on the executor: waiting is pointless then, and a deadlock is
        /// reported at once.
        public var patience: Duration

        /// Creates limits.
        ///
        /// - Parameters:
        ///   - maxSteps: The largest number of jobs and of jumps of the clock.
        ///   - timeLimit: The virtual time at which the run must have ended, or `nil` for no limit.
        ///   - stepTimeout: The real time after which a job is considered to block its thread.
        ///   - patience: The real time to wait for other threads when no task is ready or asleep.
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
