internal import ErrandMachines

/// A limit of the retries that all requests of a client to one host and port make together.
///
/// When a server is in trouble, requests that are all sent again make it worse. So there are no more retries than a part
/// of the requests, and a few more for clients that seldom send any.
public struct RetryBudget: Sendable, Hashable {
    private struct Numbers: Sendable, Hashable {
        let ratio: Double
        let perSecond: Double
        let window: Duration
    }

    /// `nil` where there is no limit.
    private let numbers: Numbers?

    private init(_ numbers: Numbers?) {
        self.numbers = numbers
    }

    /// Creates a budget.
    ///
    /// Requests of a client with one that is out of bounds fail with ``ErrandError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - ratio: Retries for each request, from 0 to 100.
    ///   - perSecond: Retries in a second besides those, from 0 to 1 000 000.
    ///   - window: How long a request and a retry count, from 1 to 60 seconds. What `perSecond` gives in all of the
    ///     window may be used at once.
    public init(ratio: Double, perSecond: Double = 10, window: Duration = .seconds(10)) {
        self.init(Numbers(ratio: ratio, perSecond: perSecond, window: window))
    }

    var limits: RetryBudgetMachine.Limits? {
        self.numbers.map { RetryBudgetMachine.Limits(ratio: $0.ratio, perSecond: $0.perSecond, window: $0.window) }
    }

    /// Why it means nothing, if so.
    var problem: ErrandError? {
        self.numbers.flatMap { numbers in
            ErrandError.setting(
                "retryBudget.ratio", numbers.ratio, isPossible: 0...100 ~= numbers.ratio, "from 0 to 100")
                ?? ErrandError.setting(
                    "retryBudget.perSecond", numbers.perSecond, isPossible: 0...1_000_000 ~= numbers.perSecond,
                    "from 0 to 1000000")
                ?? ErrandError.setting(
                    "retryBudget.window", numbers.window,
                    isPossible: (Duration.seconds(1)...Duration.seconds(60)).contains(numbers.window),
                    "from 1 to 60 seconds")
        }
    }

    /// A fifth of the requests and ten a second, within ten seconds.
    public static let standard = RetryBudget(ratio: 0.2)

    /// As many as the policies of the requests allow: with it, two retries triple the load on a server that fails.
    public static let unlimited = RetryBudget(nil)
}
