extension Simulation {
    /// The way in which a step accesses shared state.
    public enum Access: Sendable, Hashable {
        /// The state is only read.
        case reading
        /// The state may be changed.
        case writing
    }

    /// Declares that the calling step accesses state that a simulation does not see, such as that behind a `Mutex`.
    ///
    /// A verification with `Sharing.seen` then runs both orders of two steps that access state of the same name, unless
    /// both only read it. Otherwise, and outside of a simulation, the call has no effect. It may be called in any task of
    /// the scenario. Each step that accesses the state must call it: after an `await`, a new step has begun.
    ///
    /// - Parameters:
    ///   - name: The name of the state.
    ///   - access: The way in which it is accessed.
    public static func access(_ name: String, _ access: Access = .writing) {
        StepRecorder.note(.declared(name), isWrite: access == .writing)
    }
}

extension Simulation.Context {
    /// Records that the scenario has reached a point, for the coverage of a verification.
    ///
    /// - Parameter point: The name of the point, as in the `points` of `Simulation.verify`.
    public func reached(_ point: String) {
        self.points.insert(point)
    }
}
