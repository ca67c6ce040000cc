extension ErrandError {
    /// That a request was sent again: after which attempt, why, and how long it waited before that.
    public struct Retry: Sendable, Hashable {
        /// Why an attempt was not enough.
        ///
        /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Reason: Sendable, Hashable {
            /// The server answered with this status.
            case status(HTTPStatus)
            /// There was no response, because of this.
            case error(ErrandError.Code)
        }

        /// The number of the attempt that failed, from 1.
        public let attempt: Int
        /// Why it failed.
        public let reason: Reason
        /// How long the request waited before it was sent again.
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
    /// The attempt, its reason and the delay, in words.
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

/// Why a request that failed is not sent again, though its policy has retries left.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum RetryRefusal: Sendable, Hashable, CaseIterable {
    /// It must not be sent twice: its method is not idempotent, or its body can be read only once.
    case notRepeatable
    /// The server asks to be left alone for longer than the policy is ready to wait.
    case askedToWaitTooLong
    /// The wait would outlast the total timeout.
    case noTimeLeft
    /// All requests of the client to this host have retried so often that the budget is used up.
    case noBudgetLeft
}

extension RetryRefusal: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .notRepeatable: "it must not be sent twice"
        case .askedToWaitTooLong: "the server asks to be left alone for too long"
        case .noTimeLeft: "there is not enough time left"
        case .noBudgetLeft: "the budget for retries is used up"
        }
    }
}
