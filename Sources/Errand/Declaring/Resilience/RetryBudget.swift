internal import ErrandMachines

/// How many retries all requests of a client to one host and port may make together.
///
/// When a server is in trouble, requests that are all sent again make it worse. So there are no more retries than a part
/// of the requests, and a few more for clients that seldom send any.
public struct RetryBudget: Sendable, Hashable {
    let limits: RetryBudgetMachine.Limits?

    private init(limits: RetryBudgetMachine.Limits?) {
        self.limits = limits
    }

    /// Creates a budget; what is out of bounds is taken as the bound, and what is no number as 0.
    ///
    /// - Parameters:
    ///   - ratio: Retries for each request, from 0 to 100.
    ///   - perSecond: Retries in a second besides those, from 0 to 1 000 000.
    ///   - window: How long a request and a retry count, from 1 to 60 seconds. What `perSecond` gives in all of the
    ///     window may be used at once.
    public init(ratio: Double, perSecond: Double = 10, window: Duration = .seconds(10)) {
        self.limits = RetryBudgetMachine.Limits(ratio: ratio, perSecond: perSecond, window: window)
    }

    /// A fifth of the requests and ten a second, within ten seconds.
    public static let standard = RetryBudget(ratio: 0.2)

    /// As many as the policies of the requests allow: with it, two retries triple the load on a server that fails.
    public static let unlimited = RetryBudget(limits: nil)
}
