extension Simulation {
    /// The assumption about the ways in which the tasks of a scenario share state, for `verify`.
    ///
    /// Two schedules are of the same class if they differ only in the order of independent steps.
    public enum Sharing: Sendable, Hashable {
        /// Any two steps may share state: each schedule is a class of its own. The proof makes no assumption about
        /// sharing. As in every simulation, a step is not interrupted.
        case unseen

        /// Steps share only state that the simulation sees, which leaves far fewer classes.
        ///
        /// It sees actors with the order of their queues; tasks with their start, their end, their results and their
        /// cancellation; continuations; test clocks, and the standard clocks within the reach `sleep`; the context's
        /// trace, chance and faults; `History`; the locks and atomic values of this package; and the state that the
        /// scenario declares by `Simulation.access(_:_:)`.
        ///
        /// It does not see a `Mutex`, an atomic value or another lock; a global or static variable, an unsafe pointer,
        /// or an `UnsafeCurrentTask` in another task; the buffer of an `AsyncStream`; a dispatch queue, a file or a
        /// socket; an actor with an executor of its own; a reference count, such as the step that releases an object
        /// last, or a weak reference. A scenario whose tasks share one of these must declare each access to it.
        ///
        /// This needs Linux, a compiler version whose runtime is known (6.3), and a debug build, in which the locks of
        /// this package report their use. Elsewhere `unseen` is used, and `Verification.isSharingUnavailable` is
        /// `true`.
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
