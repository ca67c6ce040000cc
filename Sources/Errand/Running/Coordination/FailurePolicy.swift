internal import ErrandMachines

/// What a batch does when one of its requests fails.
public enum FailurePolicy: Sendable, Hashable {
    /// The first failure cancels the others and is the one reported.
    case failFast
    /// Every request runs to its own end.
    case collectAll

    var machine: BatchMachine.FailurePolicy {
        switch self {
        case .failFast: .failFast
        case .collectAll: .collectAll
        }
    }
}

extension FailurePolicy {
    /// The request that failed first in a batch.
    public struct FailedRequest: Sendable {
        /// Its position in the input, from 0.
        public let index: Int
        /// The name of its endpoint's type.
        public let endpointName: String
        /// Why it failed.
        public let error: ErrandError
    }
}

/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
    /// How many requests have ended, well or not.
    public let finished: Int
    /// How many there are.
    public let total: Int

    /// Creates a progress.
    public init(finished: Int, total: Int) {
        self.finished = finished
        self.total = total
    }
}
