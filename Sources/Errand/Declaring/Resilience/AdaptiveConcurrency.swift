internal import ErrandMachines

/// A concurrency limit for each host that adapts to its latency, within ``RequestScheduler/Limits``.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") {
///     $0.limits = RequestScheduler.Limits(total: 200, perHost: 100)
///     $0.adaptiveConcurrency = .standard
/// }
/// ```
///
/// For many requests to a server whose capacity is unknown, or changes. The limit rises while the time to the first
/// byte stays at its usual level. It falls when requests take longer, are rejected with 429 or 503, time out or lose
/// their connection. Further requests wait in the queue, by priority. The algorithm is known as Gradient2.
public struct AdaptiveConcurrency: Sendable, Hashable {
    /// The lowest limit of requests to a host; 1 or more.
    public var minimum: Int
    /// The initial limit; 1 or more, and never above the limits of the scheduler.
    public var initial: Int
    /// The factor above the usual latency that counts as overload; from 1 to 100.
    public var tolerance: Double

    /// Creates a rule.
    ///
    /// If a value is out of range, requests of the client fail with ``ErrandError/Code/invalidConfiguration``.
    public init(minimum: Int = 1, initial: Int = 20, tolerance: Double = 1.5) {
        self.minimum = minimum
        self.initial = initial
        self.tolerance = tolerance
    }

    /// From 1 request up to the limits of the scheduler, starting with 20, with a tolerance of 1.5.
    public static let standard = AdaptiveConcurrency()

    /// The error for an invalid setting, if any.
    var problem: ErrandError? {
        ErrandError.setting(
            "adaptiveConcurrency.minimum", self.minimum, isPossible: self.minimum >= 1, "at least 1")
            ?? ErrandError.setting(
                "adaptiveConcurrency.initial", self.initial, isPossible: self.initial >= 1, "at least 1")
            ?? ErrandError.setting(
                "adaptiveConcurrency.tolerance", self.tolerance, isPossible: 1...100 ~= self.tolerance, "from 1 to 100")
    }

    var rules: GradientLimit.Rules {
        GradientLimit.Rules(least: self.minimum, first: self.initial, most: .max, tolerance: self.tolerance)
    }
}
