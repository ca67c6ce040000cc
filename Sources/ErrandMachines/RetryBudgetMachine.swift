/// A retry budget shared by all requests to one destination: a fraction of their number, plus a reserve.
///
/// Each request makes a deposit, each retry a withdrawal, and both expire after a time window. In the window up to any
/// retry, the number of retries therefore never exceeds that fraction of the requests plus the reserve. The window
/// advances in tenths.
package struct RetryBudgetMachine: Sendable {
    /// The limits of the shared budget.
    ///
    /// Values out of range are clamped.
    package struct Limits: Sendable, Hashable {
        /// Retries per request, from 0 to 100.
        package let ratio: Double
        /// Retries per second that need no deposit, from 0 to 1,000,000.
        package let perSecond: Double
        /// The time for which deposits and withdrawals count, from 1 to 60 seconds.
        package let window: Duration

        package init(ratio: Double, perSecond: Double, window: Duration) {
            self.ratio = ratio.isNaN ? 0 : min(max(0, ratio), 100)
            self.perSecond = perSecond.isNaN ? 0 : min(max(0, perSecond), 1_000_000)
            self.window = min(max(.seconds(1), window), .seconds(60))
        }
    }

    /// The cost of one retry, an integer to avoid rounding errors in sums.
    private static let cost = 1_000_000

    private let payment: Int
    private let reserve: Int
    private var window: SlidingSum

    package init(_ limits: Limits) {
        self.payment = Int((limits.ratio * Double(Self.cost)).rounded())
        self.reserve = Int((limits.perSecond * (limits.window / .seconds(1))).rounded(.down)) * Self.cost
        self.window = SlidingSum(window: limits.window)
    }

    /// Deposits for a request that is sent for the first time.
    package mutating func noteRequest(at now: Duration) {
        self.window.advance(to: now)
        self.window.add(self.payment)
    }

    /// Withdraws for a retry; returns false if the budget is exhausted.
    package mutating func withdraw(at now: Duration) -> Bool {
        self.window.advance(to: now)
        guard self.reserve + self.window.sum >= Self.cost else { return false }
        self.window.add(-Self.cost)
        return true
    }

    /// The number of retries left.
    package mutating func balance(at now: Duration) -> Int {
        self.window.advance(to: now)
        return max(0, (self.reserve + self.window.sum) / Self.cost)
    }

    /// True if the budget is in its initial state and may be discarded.
    package mutating func isFresh(at now: Duration) -> Bool {
        self.window.advance(to: now)
        return self.window.isEmpty
    }
}
