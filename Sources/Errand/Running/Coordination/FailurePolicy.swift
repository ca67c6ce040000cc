internal import ErrandMachines

/// The reaction of a batch to the failure of one of its requests.
public enum FailurePolicy: Sendable, Hashable {
    /// The first failure cancels the other requests and is reported.
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
        /// The index in the input, from 0.
        public let index: Int
        /// The name of the endpoint's type.
        public let endpointName: String
        /// The error.
        public let error: ErrandError
    }
}

/// The progress of a batch.
public struct BatchProgress: Sendable, Hashable {
    /// The number of requests that have ended, successfully or not.
    public let finished: Int
    /// The total number of requests.
    public let total: Int

    /// Creates a progress value.
    public init(finished: Int, total: Int) {
        self.finished = finished
        self.total = total
    }
}
