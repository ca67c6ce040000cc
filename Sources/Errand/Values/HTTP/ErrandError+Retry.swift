extension ErrandError {
    /// A retry of a request: the failed attempt, the reason, and the delay before it.
    public struct Retry: Sendable, Hashable {
        /// The reason for a retry.
        ///
        /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Reason: Sendable, Hashable {
            /// The server responded with this status.
            case status(HTTPStatus)
            /// There was no response, because of an error with this code.
            case error(ErrandError.Code)
        }

        /// The number of the attempt that failed, from 1.
        public let attempt: Int
        /// The reason for its failure.
        public let reason: Reason
        /// The delay before the request was sent again.
        public let delay: Duration

        /// Creates a record.
        public init(attempt: Int, reason: Reason, delay: Duration) {
            self.attempt = attempt
            self.reason = reason
            self.delay = delay
        }
    }
}

extension ErrandError.Retry: CustomStringConvertible {
    /// The attempt, its reason and the delay, as text.
    public var description: String { "attempt \(self.attempt): \(self.reason), again after \(self.delay)" }
}

extension ErrandError.Retry.Reason: CustomStringConvertible {
    /// The status or the code.
    public var description: String {
        switch self {
        case .status(let status): "\(status)"
        case .error(let code): "\(code)"
        }
    }
}

/// The reason for which a failed request is not retried, although its policy has retries left.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum RetryRefusal: Sendable, Hashable, CaseIterable {
    /// The request must not be sent twice: its method is not idempotent, or its body can be read only once.
    case notRepeatable
    /// The server asks for a longer delay than the policy allows.
    case askedToWaitTooLong
    /// The delay would exceed the total timeout.
    case noTimeLeft
    /// The client's retry budget for this host is exhausted.
    case noBudgetLeft
}

extension RetryRefusal: CustomStringConvertible {
    /// The reason as text.
    public var description: String {
        switch self {
        case .notRepeatable: "it must not be sent twice"
        case .askedToWaitTooLong: "the server asks for too long a delay"
        case .noTimeLeft: "there is not enough time left"
        case .noBudgetLeft: "the retry budget is exhausted"
        }
    }
}
