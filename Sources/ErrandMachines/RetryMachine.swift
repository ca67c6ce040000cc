/// Decides whether and when a failed request is retried.
package struct RetryMachine: ~Copyable {
    /// The facts about a retryable failure.
    package struct Failure {
        /// Indicates whether the request may be sent twice, judging by its method, its body, and its progress.
        package var isRepeatable: Bool
        /// The delay requested by the server.
        package var hint: Duration?
        /// The time left for the whole request; `nil` if it has no deadline.
        package var timeLeft: Duration?

        package init(isRepeatable: Bool = true, hint: Duration? = nil, timeLeft: Duration? = nil) {
            self.isRepeatable = isRepeatable
            self.hint = hint
            self.timeLeft = timeLeft
        }
    }

    package enum Action: Equatable {
        /// Retry after this delay.
        case retry(after: Duration)
        /// The number of retries is exhausted.
        case giveUp
        /// Retries are left, but the request is not retried.
        case refuse(Refusal)
    }

    package enum Refusal: Sendable, Hashable {
        /// The request cannot be sent twice.
        case notRepeatable
        /// The server asks for a longer delay than allowed.
        case askedToWaitTooLong
        /// The delay would exceed the deadline of the request.
        case noTimeLeft
        /// The retry budget of the destination is exhausted.
        case noBudgetLeft
    }

    private let limit: Int
    private let longestHint: Duration
    private var count = 0

    /// - Parameters:
    ///   - limit: The maximum number of retries.
    ///   - longestHint: The longest delay that a server may ask for.
    package init(limit: Int, longestHint: Duration) {
        self.limit = limit
        self.longestHint = longestHint
    }

    /// An attempt failed.
    ///
    /// A server's hint is a lower bound: the delay is added to it, so that not all clients return at once. The budget
    /// is charged last, so that only actual retries are paid for.
    package mutating func failed(
        _ failure: Failure, delay: @autoclosure () -> Duration, withdraw: () -> Bool
    ) -> Action {
        guard self.count < self.limit else { return .giveUp }
        guard failure.isRepeatable else { return .refuse(.notRepeatable) }
        let hint = max(.zero, failure.hint ?? .zero)
        guard hint <= self.longestHint || hint == .zero else { return .refuse(.askedToWaitTooLong) }
        let delay = hint + max(.zero, delay())
        if let left = failure.timeLeft, delay >= left { return .refuse(.noTimeLeft) }
        guard withdraw() else { return .refuse(.noBudgetLeft) }
        self.count += 1
        return .retry(after: delay)
    }
}
