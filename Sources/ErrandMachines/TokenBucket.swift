/// So many tokens in a time, and no more than a number of them at once.
package struct TokenBucket: Sendable {
    package struct Rate: Sendable, Hashable {
        /// How long one token takes.
        package let interval: Duration
        /// How many there are at most; no more than a million.
        package let burst: Int
        /// How long before it is full again there is a token.
        fileprivate let lead: Duration

        /// - Parameters:
        ///   - count: Tokens, at least 1.
        ///   - time: In what time, at least a nanosecond.
        ///   - burst: At most, at least 1.
        package init(_ count: Int, per time: Duration, burst: Int) {
            self.interval = max(.nanoseconds(1), min(max(.nanoseconds(1), time), .seconds(1 << 40)) / max(1, count))
            self.burst = min(max(1, burst), 1 << 20)
            self.lead = self.interval * (self.burst - 1)
        }
    }

    private let rate: Rate
    /// When it would be full again if nothing more was taken: tokens are time, and whole numbers have no error.
    private var fullAt: Duration

    package init(_ rate: Rate, at now: Duration) {
        self.rate = rate
        self.fullAt = now
    }

    /// When there is a token; at once, where that is not later than now.
    package var due: Duration { self.fullAt - self.rate.lead }

    package func isFull(at now: Duration) -> Bool { self.fullAt <= now }

    /// Takes a token, which has to be there.
    package mutating func take(at now: Duration) {
        self.fullAt = max(self.fullAt, now) + self.rate.interval
    }

    /// Puts one back that was not used.
    package mutating func putBack() {
        self.fullAt -= self.rate.interval
    }
}
