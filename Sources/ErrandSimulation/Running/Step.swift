extension Simulation {
    /// Where a task goes on and where its callers do, by address: what tells no step from another, because it is not the
    /// same in each process.
    struct Resumption: Sendable, Hashable {
        let addresses: [UInt]

        static func == (one: Resumption, other: Resumption) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    /// One step of a run: one job that was run for a task.
    public struct Step: Sendable, Hashable {
        /// What a job is for; later versions may add more.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            /// The task goes on, outside of any actor.
            public static let task = Kind(description: "task")

            /// An actor runs what waits for it, first of all what the task asked of it.
            public static let actor = Kind(description: "actor")

            /// The end of a `Task.yield()`: the task becomes ready again.
            public static let yield = Kind(description: "yield")

            /// Something that the runtime does not tell.
            public static let other = Kind(description: "other")

            /// The name of the kind.
            public let description: String
        }

        /// Something that happened during a step.
        public enum Event: Sendable, Hashable {
            /// A task was started.
            case started(task: String)
            /// Another task was made ready: resumed, or given back by an actor.
            case resumed(task: String)
            /// The task asked for an actor, which is to run.
            case enteredActor
            /// The task yielded.
            case yielded
            /// The scenario noted a line.
            case noted(String)
        }

        /// The place of the task in the tree of tasks.
        public let task: String

        /// The name of the task, as far as the runtime tells.
        public let name: String?

        /// The number of the step among the task's, from 1.
        public let number: Int

        /// The virtual time at which it was made.
        public let time: Duration

        /// What the job was for.
        public let kind: Kind

        /// Where the code goes on: in the function that awaited, after its `await`, or in the function that the task asked
        /// of an actor; `nil` where the runtime does not tell, such as for the first step of most tasks.
        ///
        /// It is known on Linux, for the compiler versions for which it has been tried (6.3).
        ///
        /// Finding it out takes a while, the first time for a place: a few milliseconds, in a very large program more.
        public var place: CodePlace? { CodeNames.place(of: self.resumption.addresses) }

        let resumption: Resumption

        /// Whether it departs from the default order: it is then one of the schedule's entries.
        public let isSwitch: Bool

        /// What happened during the step, in order.
        public internal(set) var events: [Event]
    }
}
