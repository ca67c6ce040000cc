/// How long to wait before each retry: longer each time, up to a cap, and by chance so that callers do not come in step.
package struct BackoffRule: Sendable, Hashable {
    package enum Jitter: Sendable, Hashable {
        /// None: the delay is the bound.
        case none
        /// Anything from nothing to the bound.
        case full
        /// Anything from the base to three times the delay before, up to the cap.
        case decorrelated
    }

    package let base: Duration
    package let factor: Double
    package let cap: Duration
    package let jitter: Jitter

    /// What is negative counts as zero, and a factor below 1, or that is no number, as 1.
    package init(base: Duration, factor: Double, cap: Duration, jitter: Jitter) {
        self.base = max(.zero, base)
        self.factor = factor >= 1 ? factor : 1
        self.cap = max(.zero, cap)
        self.jitter = jitter
    }

    /// The bound of a delay, counted from 0: the base, multiplied by the factor as often, and no more than the cap.
    package func bound(of retry: Int) -> Duration {
        var bound = min(self.base, self.cap)
        for _ in 0..<max(0, retry) {
            guard bound > .zero, bound < self.cap, self.factor > 1 else { break }
            // Beyond the cap nothing is computed, so that nothing overflows.
            bound = self.cap / bound <= self.factor ? self.cap : bound * self.factor
        }
        return bound
    }
}

/// The delays of a rule: a sequence without an end.
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
        // From here on the bound grows no more.
        self.count += bound < self.rule.cap ? 1 : 0
        switch self.rule.jitter {
        case .none: return bound
        case .full: return bound * Double.random(in: 0...1, using: &self.generator)
        case .decorrelated:
            let lowest = Swift.min(self.rule.base, self.rule.cap)
            // Compared by division: three times a delay may be more than there can be.
            let highest = self.last > self.rule.cap / 3 ? self.rule.cap : self.last * 3
            let span = Swift.max(.zero, highest - lowest)
            self.last = lowest + span * Double.random(in: 0...1, using: &self.generator)
            return self.last
        }
    }
}
