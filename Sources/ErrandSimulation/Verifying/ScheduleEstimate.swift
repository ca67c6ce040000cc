extension Simulation {
    /// An estimate of the number of schedules of a scenario.
    public struct ScheduleEstimate: Sendable, Hashable {
        /// The estimated number of schedules.
        ///
        /// The true number is an upper bound for the number of classes of a verification.
        public let schedules: Double

        /// The number of random schedules from which it was estimated.
        public let probes: Int
    }
}

extension Simulation.ScheduleEstimate: CustomStringConvertible {
    /// The estimate, in words.
    public var description: String {
        let count = self.schedules < 1e15 ? "\(Int(self.schedules.rounded()))" : "\(self.schedules)"
        return "about \(count) schedules (\(self.probes) probes)"
    }
}
