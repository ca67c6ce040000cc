/// A token bucket with a rate and a burst size.
package struct TokenBucket: Sendable {
    package struct Rate: Sendable, Hashable {
        /// The time in which one token accrues.
        package let interval: Duration
        /// The maximum number of tokens, at most 2^20.
        package let burst: Int
        /// The time before the bucket is full at which a first token is available.
        fileprivate let lead: Duration

        /// - Parameters:
        ///   - count: The number of tokens, at least 1.
        ///   - time: The time in which they accrue, at least a nanosecond.
        ///   - burst: The maximum number of tokens, at least 1.
        package init(_ count: Int, per time: Duration, burst: Int) {
            self.interval = max(.nanoseconds(1), min(max(.nanoseconds(1), time), .seconds(1 << 40)) / max(1, count))
            self.burst = min(max(1, burst), 1 << 20)
            self.lead = self.interval * (self.burst - 1)
        }
    }

    private let rate: Rate
    /// The time at which the bucket is full if no more tokens are taken.
    ///
    /// Times are exact, unlike fractions of tokens.
    private var fullAt: Duration

    package init(_ rate: Rate, at now: Duration) {
        self.rate = rate
        self.fullAt = now
    }

    /// The time at which a token is available.
    ///
    /// Not in the future if one is available now.
    package var due: Duration { self.fullAt - self.rate.lead }

    package func isFull(at now: Duration) -> Bool { self.fullAt <= now }

    /// Takes a token, which must be available.
    package mutating func take(at now: Duration) {
        self.fullAt = max(self.fullAt, now) + self.rate.interval
    }

    /// Puts back an unused token.
    package mutating func putBack() {
        self.fullAt -= self.rate.interval
    }
}
