extension Simulation {
    /// A fault that occurred in a run: one call of `Context.fault(_:probability:)` that returned `true`.
    public struct Fault: Sendable, Hashable {
        /// The name of the fault point.
        public let name: String

        /// The number of the call among those for the same name, from 1.
        public let call: Int

        /// The virtual time at which it occurred.
        public let time: Duration
    }
}

extension Simulation.Fault: CustomStringConvertible {
    /// The name and the number of the call.
    public var description: String { "\(self.name) (call \(self.call))" }
}
