public import struct Foundation.Date

extension CircuitBreaker {
    /// How a circuit is; see ``CircuitBreaker``.
    public enum State: Sendable, Hashable {
        /// Requests are sent.
        case closed
        /// Requests fail at once: up to a moment by the wall clock, or until somebody closes it.
        case open(until: Date?)
        /// A few requests are sent, to see whether it can be closed.
        case halfOpen
    }
}

extension CircuitBreaker.State: CustomStringConvertible {
    /// The state in words, without the moment.
    public var description: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        }
    }
}
