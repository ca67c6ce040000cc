extension Simulation {
    /// The state of a verification that is under way.
    public struct VerificationProgress: Sendable, Hashable {
        /// The number of classes that have been run.
        public let classes: Int

        /// The number of schedules that have been run, including those that were equivalent to earlier ones.
        public let schedules: Int

        /// The real time since the verification began.
        public let elapsed: Duration
    }
}
