extension Simulation {
    /// The assumption about the ways in which the tasks of a scenario share state, for `verify`.
    ///
    /// Two schedules are of the same class if they differ only in the order of steps that share nothing.
    public enum Sharing: Sendable, Hashable {
        /// Any two steps may share state: each schedule is a class of its own. The proof assumes nothing.
        case unseen

        /// Steps share only what the simulation sees, which leaves far fewer classes.
        ///
        /// It sees actors, tasks with their results and their cancellation, continuations, test clocks, the context's
        /// trace, chance and faults, histories, and what the scenario declares by `Context.access(_:_:)`. It does not
        /// see a `Mutex`, an atomic value, the buffer of an `AsyncStream`, a dispatch queue, a global variable, or a
        /// reference count: a scenario whose tasks share one of these must declare each access to it.
        ///
        /// This needs Linux and a compiler version whose runtime is known (6.3); elsewhere `unseen` is used, and
        /// `Verification.sharing` tells so.
        case seen
    }
}

extension Simulation.Sharing: CustomStringConvertible {
    /// The case as it is written in code, without the dot.
    public var description: String {
        switch self {
        case .unseen: "unseen"
        case .seen: "seen"
        }
    }
}
