extension Simulation {
    /// Which interleaving a run took, as a short text that replays it: `b6>f`.
    ///
    /// A schedule lists where a run departs from the default order, which goes on with the task that ran last while it
    /// can, and otherwise runs the task that has waited longest. `b6>f` means: right after the 6th step of task `b`, run
    /// the oldest ready job of task `f`; `b6>f.2` its second oldest. The order of the entries has no meaning, and no two
    /// may be for the same step of the same task. `-` stands for the default order itself.
    ///
    /// A task is named by its place in the tree of tasks, not by numbers of the runtime, so that the text means the same
    /// in every process: the body is `.`, its children are `a`, `b`, … `y`, `za`, `zb`, … in the order in which they are
    /// started, the first child of `b` is `ba`. A step is one job: what a task does between two places where it may be
    /// interrupted.
    ///
    /// A run that asked its context for chance has the seed of that in front: `#42 b6>f`.
    ///
    /// A literal that is no schedule is no programming error: the run that is to replay it says what is wrong with it.
    public struct Schedule: Sendable, Hashable {
        enum Content: Hashable {
            case valid(departures: [Departure], seed: UInt64?)
            case invalid(text: String, problem: String)
        }

        let content: Content

        /// The default order: no switches.
        public static let standard = Schedule(departures: [], seed: nil)

        /// The number of switches: where the run departs from the default order.
        public var count: Int {
            guard case .valid(let departures, _) = self.content else { return 0 }
            return departures.count
        }

        init(departures: [Departure], seed: UInt64?) {
            self.content = .valid(departures: departures, seed: seed)
        }

        /// Reads a schedule and says what is wrong with a text that is none.
        ///
        /// - Parameter text: The text, as a failure prints it; entries may be separated by any white space.
        /// - Throws: `SimulationError` with the code `invalidSchedule`, which names the entry.
        public init(parsing text: String) throws(SimulationError) {
            self.content = Self.parse(text)
            _ = try self.contents()
        }

        /// The departures and the seed.
        ///
        /// - Throws: `SimulationError` if the text from which the schedule was made is none.
        func contents() throws(SimulationError) -> (departures: [Departure], seed: UInt64?) {
            switch self.content {
            case .valid(let departures, let seed): return (departures, seed)
            case .invalid(let text, let problem): throw .invalidSchedule(text, problem: problem)
            }
        }
    }
}

extension Simulation.Schedule: LosslessStringConvertible {
    /// Reads a schedule; returns `nil` if the text is none.
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
    /// Creates the schedule that a literal gives; if it is none, the run that is to replay it fails and says why.
    public init(stringLiteral value: String) {
        self.content = Self.parse(value)
    }
}
