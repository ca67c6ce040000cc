extension Simulation {
    /// The result of a verification that found no failure.
    public struct Verification: Sendable, Hashable {
        /// The bound that ended a verification before all classes had been run.
        public enum Bound: Sendable, Hashable {
            /// The number of schedules.
            case schedules(Int)
            /// The real time.
            case time(Duration)
        }

        /// The assumption about shared state, on which the result depends.
        public internal(set) var sharing = Sharing.unseen

        /// A Boolean value that indicates whether `Sharing.seen` was requested, but is not available here.
        public internal(set) var isSharingUnavailable = false

        /// A Boolean value that indicates whether a schedule used the context's chance or its faults: the result holds
        /// for those of `seed` only.
        public internal(set) var usesChance = false

        /// The seed of the context's chance.
        public internal(set) var seed: UInt64 = 0

        /// The number of classes that were run, which is the number of schedules that ran to the end of the body.
        public internal(set) var classes = 0

        /// The number of schedules that turned out to be equivalent to one that had been run.
        public internal(set) var cutSchedules = 0

        /// The bound that ended the verification; `nil` if all classes were run.
        public internal(set) var bound: Bound?

        /// The largest number of steps that a schedule took.
        public internal(set) var largestSteps = 0

        /// The declared points that no schedule reached, in the order in which they were declared.
        public internal(set) var unreachedPoints: [String] = []

        /// The points that were reached without having been declared, if any were declared.
        public internal(set) var undeclaredPoints: [String] = []

        /// A Boolean value that indicates whether all classes were run.
        ///
        /// If `true`, no schedule that the executor can choose fails, under the assumption of `sharing`, and with the chance of
        /// `seed` if the scenario `usesChance`.
        public internal(set) var isComplete = false
    }
}

extension Simulation.Verification: CustomStringConvertible {
    /// A sentence with the numbers, the bound, the assumption and the seed.
    public var description: String {
        ["explored \(self.size), \(self.end)", self.assumption, self.chance, self.points].compactMap(\.self)
            .joined(separator: "; ")
    }

    private var size: String {
        let noun = self.sharing == .unseen ? "schedule" : "class"
        let plural = self.sharing == .unseen ? "schedules" : "classes"
        return "\(self.classes) \(self.classes == 1 ? noun : plural) of up to \(self.largestSteps) steps"
    }

    private var end: String {
        switch self.bound {
        case nil: self.isComplete ? "which is all of them" : "and ended early"
        case .schedules(let count): "and ended at the bound of \(count) schedules"
        case .time(let duration): "and ended at the bound of \(duration)"
        }
    }

    private var assumption: String? {
        if self.isSharingUnavailable { return "what tasks share cannot be seen here, so each schedule is a class" }
        return self.sharing == .unseen ? nil : "assuming that tasks share only what the simulation sees"
    }

    private var chance: String? {
        self.usesChance ? "with the random numbers and faults of seed \(self.seed)" : nil
    }

    private var points: String? {
        guard !self.unreachedPoints.isEmpty else { return nil }
        let undeclared =
            self.undeclaredPoints.isEmpty
            ? "" : "; reached, but not declared: \(self.undeclaredPoints.joined(separator: ", "))"
        return "never reached: \(self.unreachedPoints.joined(separator: ", "))\(undeclared)"
    }
}
