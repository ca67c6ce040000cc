public import struct Foundation.Date

extension CircuitBreaker {
    /// The state of a circuit; see ``CircuitBreaker``.
    public enum State: Sendable, Hashable {
        /// Requests are sent.
        case closed
        /// Requests fail at once, until the given time or until the circuit is closed.
        case open(until: Date?)
        /// A few requests are sent to test the server.
        case halfOpen
    }
}

extension CircuitBreaker.State: CustomStringConvertible {
    /// The state as text, without the time.
    public var description: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        }
    }
}
