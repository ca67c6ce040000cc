extension Simulation {
    /// A task that a run has seen.
    public struct ScheduledTask: Sendable, Hashable {
        /// The place of the task in the tree of tasks, as in a schedule: `.` for the body, `b`, `ba`.
        public let id: String

        /// The name that the code gave it with `Task(name:)` or `addTask(name:)`, as far as the runtime tells.
        public let name: String?

        /// How many steps it has made.
        public let steps: Int
    }
}

extension Simulation.ScheduledTask: CustomStringConvertible {
    /// The place, and the name where there is one.
    public var description: String {
        self.name.map { "\(self.id) \"\($0)\"" } ?? self.id
    }
}
