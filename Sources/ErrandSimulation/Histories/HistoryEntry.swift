extension History {
    /// One operation of a history.
    public struct Entry: Sendable {
        /// The outcome of an operation.
        public enum Outcome: Sendable {
            /// The operation returned.
            case returned(Result)
            /// The operation threw; it may have taken effect before.
            case failed(String)
            /// The operation has not returned.
            case pending
        }

        /// The operation, with its arguments.
        public let operation: Operation

        /// The client that performed it.
        public let client: String

        /// The number of the call among all calls and returns of the history, from 0.
        public let called: Int

        /// The number of the return or error among the same, or `nil` if the operation has not ended.
        public internal(set) var ended: Int?

        /// The outcome of the operation.
        public internal(set) var outcome: Outcome = .pending

        /// The number of its client, from 1, if the client has no name.
        let lane: Int?

        /// The result of the operation, or `nil` if it did not return.
        var result: Result? {
            guard case .returned(let result) = self.outcome else { return nil }
            return result
        }
    }

    /// An operation that was called and may return; `History.end(_:returning:)` and `History.fail(_:with:)` take it.
    public struct Call: Sendable, Hashable {
        let index: Int
    }
}
