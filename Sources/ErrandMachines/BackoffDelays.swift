/// The delays before retries: exponential up to a cap, with jitter so that callers do not retry in step.
package struct BackoffRule: Sendable, Hashable {
    package enum Jitter: Sendable, Hashable {
        /// The delay is the bound.
        case none
        /// A random delay between zero and the bound.
        case full
        /// A random delay between the base and three times the previous delay, up to the cap.
        case decorrelated
    }

    package let base: Duration
    package let factor: Double
    package let cap: Duration
    package let jitter: Jitter

    /// Negative values count as zero.
    ///
    /// A factor that is below 1 or NaN counts as 1.
    package init(base: Duration, factor: Double, cap: Duration, jitter: Jitter) {
        self.base = max(.zero, base)
        self.factor = factor >= 1 ? factor : 1
        self.cap = max(.zero, cap)
        self.jitter = jitter
    }

    /// The upper bound of a delay by its index, from 0: `base * factor^index`, up to the cap.
    package func bound(of retry: Int) -> Duration {
        var bound = min(self.base, self.cap)
        for _ in 0..<max(0, retry) {
            guard bound > .zero, bound < self.cap, self.factor > 1 else { break }
            // Stop at the cap to avoid overflow.
            bound = self.cap / bound <= self.factor ? self.cap : bound * self.factor
        }
        return bound
    }
}

/// The infinite sequence of delays of a rule.
package struct BackoffDelays<Generator: RandomNumberGenerator>: Sequence, IteratorProtocol {
    private let rule: BackoffRule
    private var generator: Generator
    private var count = 0
    private var last: Duration

    package init(_ rule: BackoffRule, using generator: Generator) {
        self.rule = rule
        self.generator = generator
        self.last = Swift.min(rule.base, rule.cap)
    }

    package mutating func next() -> Duration? {
        let bound = self.rule.bound(of: self.count)
        // The bound does not grow any further.
        self.count += bound < self.rule.cap ? 1 : 0
        switch self.rule.jitter {
        case .none: return bound
        case .full: return bound * Double.random(in: 0...1, using: &self.generator)
        case .decorrelated:
            let lowest = Swift.min(self.rule.base, self.rule.cap)
            // Compare by division: three times a delay may overflow.
            let highest = self.last > self.rule.cap / 3 ? self.rule.cap : self.last * 3
            let span = Swift.max(.zero, highest - lowest)
            self.last = lowest + span * Double.random(in: 0...1, using: &self.generator)
            return self.last
        }
    }
}
