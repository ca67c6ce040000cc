/// How many retries all requests to one place may make together: a part of their number, and a few more.
///
/// Each request pays something in, each retry takes one out, and both are forgotten after a window of time. So in the
/// window up to any retry there were no more retries than that part of the requests and those few. The window moves on
/// in tenths.
package struct RetryBudgetMachine: Sendable {
    /// What there is for everyone; what cannot be is clamped.
    package struct Limits: Sendable, Hashable {
        /// Retries for each request, from 0 to 100.
        package let ratio: Double
        /// Retries in a second that nobody has to pay for, from 0 to 1 000 000.
        package let perSecond: Double
        /// How long what is paid in and taken out counts, from 1 to 60 seconds.
        package let window: Duration

        package init(ratio: Double, perSecond: Double, window: Duration) {
            self.ratio = ratio.isNaN ? 0 : min(max(0, ratio), 100)
            self.perSecond = perSecond.isNaN ? 0 : min(max(0, perSecond), 1_000_000)
            self.window = min(max(.seconds(1), window), .seconds(60))
        }
    }

    /// What one retry costs: whole numbers add up without an error.
    private static let cost = 1_000_000

    private let payment: Int
    private let reserve: Int
    private var window: SlidingSum

    package init(_ limits: Limits) {
        self.payment = Int((limits.ratio * Double(Self.cost)).rounded())
        self.reserve = Int((limits.perSecond * (limits.window / .seconds(1))).rounded(.down)) * Self.cost
        self.window = SlidingSum(window: limits.window)
    }

    /// A request is sent for the first time.
    package mutating func noteRequest(at now: Duration) {
        self.window.advance(to: now)
        self.window.add(self.payment)
    }

    /// A request wants to be sent again; returns false when there is nothing left to pay that with.
    package mutating func withdraw(at now: Duration) -> Bool {
        self.window.advance(to: now)
        guard self.reserve + self.window.sum >= Self.cost else { return false }
        self.window.add(-Self.cost)
        return true
    }

    /// How many retries there are left.
    package mutating func balance(at now: Duration) -> Int {
        self.window.advance(to: now)
        return max(0, (self.reserve + self.window.sum) / Self.cost)
    }

    /// Whether it is as it was at its beginning, and may be forgotten.
    package mutating func isFresh(at now: Duration) -> Bool {
        self.window.advance(to: now)
        return self.window.isEmpty
    }
}
