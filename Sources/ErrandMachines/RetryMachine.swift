/// Decides whether a request that failed is sent again, and when.
package struct RetryMachine: ~Copyable {
    /// What is known of a failure that a retry may help against.
    package struct Failure {
        /// Whether the request may be sent twice: its method, its body, and how far it came.
        package var isRepeatable: Bool
        /// How long the server wants to be left alone.
        package var hint: Duration?
        /// How much is left of the time for the whole request; `nil` where that has no end.
        package var timeLeft: Duration?

        package init(isRepeatable: Bool = true, hint: Duration? = nil, timeLeft: Duration? = nil) {
            self.isRepeatable = isRepeatable
            self.hint = hint
            self.timeLeft = timeLeft
        }
    }

    package enum Action: Equatable {
        /// Send it again after so long.
        case retry(after: Duration)
        /// It has been sent as often as it may be.
        case giveUp
        /// It has not, and yet is not sent again.
        case refuse(Refusal)
    }

    package enum Refusal: Sendable, Hashable {
        /// It cannot be sent twice.
        case notRepeatable
        /// The server wants to be left alone for longer than anyone is to wait.
        case askedToWaitTooLong
        /// The wait would outlast the whole request.
        case noTimeLeft
        /// All requests to this place together have retried too much.
        case noBudgetLeft
    }

    private let limit: Int
    private let longestHint: Duration
    private var count = 0

    /// - Parameters:
    ///   - limit: How often it is sent again at most.
    ///   - longestHint: How long the server may ask for.
    package init(limit: Int, longestHint: Duration) {
        self.limit = limit
        self.longestHint = longestHint
    }

    /// An attempt failed.
    ///
    /// A server's hint is a floor: the delay is added to it, so that not all who got it come at once. The budget is asked
    /// last, so that only what is sent again is paid for.
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
