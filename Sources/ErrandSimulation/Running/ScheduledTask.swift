extension Simulation {
    /// A task that was part of a run.
    public struct ScheduledTask: Sendable, Hashable {
        /// The position of the task in the tree of tasks, as in a schedule: `.` for the body, `b`, `ba`.
        public let id: String

        /// The name given by `Task(name:)` or `addTask(name:)`, as far as the runtime reports it.
        public let name: String?

        /// The number of steps that it has made.
        public let steps: Int
    }
}

extension Simulation.ScheduledTask: CustomStringConvertible {
    /// The position, and the name if there is one.
    public var description: String {
        self.name.map { "\(self.id) \"\($0)\"" } ?? self.id
    }
}
