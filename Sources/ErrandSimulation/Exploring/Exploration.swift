extension Simulation {
    /// The result of an exploration that found no failure.
    public struct Exploration: Sendable, Hashable {
        /// The number of schedules that were run.
        public internal(set) var schedules = 0

        /// The number of distinct schedules among them; at most the first 65,536 are counted.
        public internal(set) var distinctSchedules = 0

        /// A Boolean value that indicates whether a bounded search ran all its schedules without a failure.
        public internal(set) var isComplete = false

        /// The number of schedules in which jobs came from threads outside the simulation.
        ///
        /// Those did not run exactly as the strategy chose, and may differ each time; `SimulationReport.escapedTasks`
        /// tells where such jobs come from.
        public internal(set) var escapedSchedules = 0

        /// The largest number of steps that a schedule took.
        public internal(set) var largestSteps = 0
    }
}

extension Simulation.Exploration: CustomStringConvertible {
    /// A sentence with the numbers.
    public var description: String {
        "\(self.schedules) schedules, \(self.distinctSchedules) of them different"
            + (self.isComplete ? ", which is all of them" : "") + ", of up to \(self.largestSteps) steps"
            + (self.escapedSchedules > 0 ? "; in \(self.escapedSchedules) of them jobs came from other threads" : "")
    }
}
