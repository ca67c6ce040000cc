extension Simulation {
    /// What an exploration has done that found no failure.
    public struct Exploration: Sendable, Hashable {
        /// The number of schedules that were run.
        public internal(set) var schedules = 0

        /// The number of different ones among them; of very many, only the first 65 536 are counted.
        public internal(set) var distinctSchedules = 0

        /// Whether a bounded search came to its end: no schedule within the bound fails.
        public internal(set) var isComplete = false

        /// The number of schedules in which jobs came from other threads than the simulation's own.
        ///
        /// Those were not run as the strategy chose, and may go another way each time: see
        /// `SimulationReport.escapedTasks` for where such jobs come from.
        public internal(set) var escapedSchedules = 0

        /// The largest number of steps that a schedule took.
        public internal(set) var largestSteps = 0
    }
}

extension Simulation.Exploration: CustomStringConvertible {
    /// The numbers, in a sentence.
    public var description: String {
        "\(self.schedules) schedules, \(self.distinctSchedules) of them different"
            + (self.isComplete ? ", which is all there are" : "") + ", of up to \(self.largestSteps) steps"
            + (self.escapedSchedules > 0 ? "; in \(self.escapedSchedules) of them jobs came from other threads" : "")
    }
}
