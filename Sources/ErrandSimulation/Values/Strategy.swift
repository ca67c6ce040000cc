extension Simulation {
    /// The method by which an exploration chooses its schedules.
    ///
    /// No strategy is best for every bug, which is why `mixed` is the default. A depth is the number of orderings that
    /// a bug needs: one for an event that comes too early, two for a check and an action with something in between.
    public struct Strategy: Sendable, Hashable {
        enum Kind: Hashable {
            case random
            case sticky(Int)
            case priorities(Int)
            case orders
            case weighted
            case pauses(Int)
            case bounded(Int)
            case mixed
        }

        let kind: Kind

        /// True for a strategy that ends when all its schedules have been run.
        package var isSearch: Bool {
            if case .bounded = self.kind { true } else { false }
        }

        /// Any of the ready jobs at every step, with equal probability.
        public static let random = Strategy(kind: .random)

        /// Random choice, `urw`, `pct(depth: 5)` and one or two pauses in turn: the default.
        ///
        /// Later versions may mix other strategies. The schedule of a failure does not depend on the mixture.
        public static let mixed = Strategy(kind: .mixed)

        /// The default order with a probability at every step, and otherwise any of the ready jobs.
        ///
        /// - Parameter percent: The probability, clamped to 0...100.
        /// - Returns: The strategy.
        public static func sticky(percent: Int) -> Strategy {
            Strategy(kind: .sticky(min(max(percent, 0), 100)))
        }

        /// Probabilistic concurrency testing: random priorities, changed at *depth* - 1 random points of the run.
        ///
        /// In a run of *n* tasks and *k* steps it finds a bug of that depth with a probability of at least
        /// 1/(*n* *k*^(*depth* - 1)) in every schedule.
        ///
        /// - Parameter depth: The number of orderings that the bug needs; less than 1 is taken as 1.
        /// - Returns: The strategy.
        public static func pct(depth: Int) -> Strategy {
            Strategy(kind: .priorities(max(depth, 1)))
        }

        /// Partial order sampling: a random priority for each job that becomes ready, and the highest goes next.
        ///
        /// The priorities of a task's steps are independent of each other. The strategy of Yuan, Yang and Gu (2018) also
        /// draws new priorities after a conflict; here conflicts are unknown, and a job keeps its priority.
        public static let pos = Strategy(kind: .orders)

        /// A uniform random walk: a task with a probability proportional to the steps that it has left, as estimated
        /// from the longest run so far.
        ///
        /// It keeps a short task from ending before a long one has begun, as `random` does not. The first run has no
        /// estimate, and chooses among all ready jobs with equal probability.
        public static let urw = Strategy(kind: .weighted)

        /// Random priorities, and a number of tasks that stand back after one of their own steps.
        ///
        /// It is `pct(depth: tasks + 1)` with other change points: a task is drawn first, and then one of its steps, as
        /// known from the longest run so far. A task of few steps next to one of many is therefore paused as often as
        /// the long one.
        ///
        /// - Parameter tasks: The number of pauses; less than 0 is taken as 0.
        /// - Returns: The strategy.
        public static func pausing(tasks: Int) -> Strategy {
            Strategy(kind: .pauses(max(tasks, 0)))
        }

        /// All schedules with up to a number of switches, which are departures from the default order: none, then one,
        /// and so on.
        ///
        /// `Exploration.isComplete` tells whether all of them were run. The chance of the context is the same in all.
        ///
        /// - Parameter switches: The largest number of switches; less than 0 is taken as 0.
        /// - Returns: The strategy.
        public static func bounded(switches: Int) -> Strategy {
            Strategy(kind: .bounded(max(switches, 0)))
        }
    }
}

extension Simulation.Strategy: CustomStringConvertible {
    /// The strategy as it is written in code, without the dot.
    public var description: String {
        switch self.kind {
        case .random: "random"
        case .sticky(let percent): "sticky(percent: \(percent))"
        case .priorities(let depth): "pct(depth: \(depth))"
        case .orders: "pos"
        case .weighted: "urw"
        case .pauses(let tasks): "pausing(tasks: \(tasks))"
        case .bounded(let switches): "bounded(switches: \(switches))"
        case .mixed: "mixed"
        }
    }
}
