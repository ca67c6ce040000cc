internal import ErrandMachines

/// A limit on the total retries of a client's requests to one host and port.
///
/// Retrying every request makes an overload worse. The budget limits retries to a ratio of the requests, plus a
/// constant rate for clients that send few requests.
public struct RetryBudget: Sendable, Hashable {
    private struct Numbers: Sendable, Hashable {
        let ratio: Double
        let perSecond: Double
        let window: Duration
    }

    /// `nil` if there is no limit.
    private let numbers: Numbers?

    private init(_ numbers: Numbers?) {
        self.numbers = numbers
    }

    /// Creates a budget.
    ///
    /// If a value is out of range, requests of the client fail with ``ErrandError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - ratio: Retries per request, from 0 to 100.
    ///   - perSecond: Additional retries per second, from 0 to 1 000 000.
    ///   - window: The time for which a request and a retry count, from 1 to 60 seconds. The whole window's share of
    ///     `perSecond` may be used at once.
    public init(ratio: Double, perSecond: Double = 10, window: Duration = .seconds(10)) {
        self.init(Numbers(ratio: ratio, perSecond: perSecond, window: window))
    }

    var limits: RetryBudgetMachine.Limits? {
        self.numbers.map { RetryBudgetMachine.Limits(ratio: $0.ratio, perSecond: $0.perSecond, window: $0.window) }
    }

    /// The error for an invalid setting, if any.
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

    /// One retry for five requests, and ten per second, within ten seconds.
    public static let standard = RetryBudget(ratio: 0.2)

    /// No limit beyond the policies of the requests: two retries triple the load on a failing server.
    public static let unlimited = RetryBudget(nil)
}
