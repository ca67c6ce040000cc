extension History {
    /// One operation of a history.
    public struct Entry: Sendable {
        /// How an operation came out.
        public enum Outcome: Sendable {
            /// It returned.
            case returned(Result)
            /// It threw: nobody knows whether it took effect before.
            case failed(String)
            /// It has not returned.
            case pending
        }

        /// What was asked.
        public let operation: Operation

        /// Who asked.
        public let client: String

        /// When it was called, among the calls and returns of the history, from 0.
        public let called: Int

        /// When it returned or threw, among the same, or `nil` if it has not.
        public internal(set) var ended: Int?

        /// How it came out.
        public internal(set) var outcome: Outcome = .pending

        /// The number of its client if that has no name, from 1.
        let lane: Int?

        /// What it returned, or `nil` if it did not return.
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
