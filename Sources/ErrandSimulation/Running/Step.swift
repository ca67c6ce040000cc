extension Simulation {
    /// The addresses at which a task and its callers resume; excluded from equality, since they differ in each process.
    struct Resumption: Sendable, Hashable {
        let addresses: [UInt]

        static func == (one: Resumption, other: Resumption) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    /// One step of a run: one job that was run for a task.
    public struct Step: Sendable, Hashable {
        /// The kind of a job; later versions may add more.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            /// Resumes the task, outside of any actor.
            public static let task = Kind(description: "task")

            /// Runs the work that waits for an actor, first of all the call of the task.
            public static let actor = Kind(description: "actor")

            /// Ends a `Task.yield()`: the task becomes ready again.
            public static let yield = Kind(description: "yield")

            /// A job of a kind that the runtime does not report.
            public static let other = Kind(description: "other")

            /// The name of the kind.
            public let description: String
        }

        /// An event during a step.
        public enum Event: Sendable, Hashable {
            /// A task was started.
            case started(task: String)
            /// Another task became ready: it was resumed, or an actor gave it back.
            case resumed(task: String)
            /// The task called an actor, which will run.
            case enteredActor
            /// The task yielded.
            case yielded
            /// The scenario traced a line.
            case noted(String)
        }

        /// The position of the task in the tree of tasks.
        public let task: String

        /// The name of the task, as far as the runtime reports it.
        public let name: String?

        /// The number of the step among the task's, from 1.
        public let number: Int

        /// The virtual time at which it was made.
        public let time: Duration

        /// The kind of the job.
        public let kind: Kind

        /// The code location at which the step begins.
        ///
        /// It is in the function that awaited, after its `await`, or in the function that the task calls on an actor.
        /// It is `nil` if the runtime does not report it, as for the first step of most tasks.
        ///
        /// Available on Linux, for the compiler versions that have been tested (6.3).
        ///
        /// The first lookup of a location takes a few milliseconds, or more in a very large program.
        public var place: CodeLocation? { CodeNames.place(of: self.resumption.addresses) }

        let resumption: Resumption

        /// A Boolean value that indicates whether the step departs from the default order, and so is an entry of the
        /// schedule.
        public let isSwitch: Bool

        /// The events during the step, in order.
        public internal(set) var events: [Event]
    }
}
