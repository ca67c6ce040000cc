extension Simulation {
    /// The interleaving of a run, as a short text that replays it: `b6>f`.
    ///
    /// A schedule lists the departures of a run from the default order, which continues the task that ran last while it
    /// can, and otherwise runs the task that has waited longest. `b6>f` means: right after the 6th step of task `b`,
    /// run the oldest ready job of task `f`; `b6>f.2` its second oldest. The order of the entries has no meaning, and
    /// no two may be for the same step of the same task. `-` stands for the default order itself.
    ///
    /// A task is identified by its position in the tree of tasks, not by ids of the runtime, so the text means the same
    /// in every process: the body is `.`, its children are `a`, `b`, … `y`, `za`, `zb`, … in the order in which they
    /// are started, the first child of `b` is `ba`. A step is one job: the work of a task between two points where it
    /// may be interrupted.
    ///
    /// The schedule of a run that used its context's chance begins with the seed: `#42 b6>f`.
    ///
    /// An invalid literal is not a programming error: replaying it fails with an error that describes the problem.
    public struct Schedule: Sendable, Hashable {
        enum Content: Hashable {
            case valid(departures: [Departure], seed: UInt64?)
            case invalid(text: String, problem: String)
        }

        let content: Content

        /// The default order: no switches.
        public static let standard = Schedule(departures: [], seed: nil)

        /// The number of switches, which are departures from the default order.
        public var count: Int {
            guard case .valid(let departures, _) = self.content else { return 0 }
            return departures.count
        }

        init(departures: [Departure], seed: UInt64?) {
            self.content = .valid(departures: departures, seed: seed)
        }

        /// Parses a schedule, and throws an error that describes the problem if the text is invalid.
        ///
        /// - Parameter text: The text, as a failure prints it; entries may be separated by any white space.
        /// - Throws: `SimulationError` with the code `invalidSchedule`, which names the entry.
        public init(parsing text: String) throws(SimulationError) {
            self.content = Self.parse(text)
            _ = try self.contents()
        }

        /// The departures and the seed.
        ///
        /// - Throws: `SimulationError` if the schedule was created from an invalid text.
        func contents() throws(SimulationError) -> (departures: [Departure], seed: UInt64?) {
            switch self.content {
            case .valid(let departures, let seed): return (departures, seed)
            case .invalid(let text, let problem): throw .invalidSchedule(text, problem: problem)
            }
        }
    }
}

extension Simulation.Schedule: LosslessStringConvertible {
    /// Parses a schedule; `nil` if the text is invalid.
    public init?(_ description: String) {
        let content = Self.parse(description)
        guard case .valid = content else { return nil }
        self.content = content
    }

    /// The text that replays the schedule.
    public var description: String {
        switch self.content {
        case .valid(let departures, let seed):
            let entries = departures.isEmpty ? ["-"] : departures.map(\.description)
            return ((seed.map { ["#\($0)"] } ?? []) + entries).joined(separator: " ")
        case .invalid(let text, _): return text
        }
    }
}

extension Simulation.Schedule: ExpressibleByStringLiteral {
    /// Creates a schedule from a literal; if it is invalid, replaying it fails with a description of the problem.
    public init(stringLiteral value: String) {
        self.content = Self.parse(value)
    }
}
