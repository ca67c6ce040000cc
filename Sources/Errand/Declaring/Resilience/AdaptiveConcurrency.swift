internal import ErrandMachines

/// How a client finds out how many requests a host takes at once, within ``RequestScheduler/Limits``.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") {
///     $0.limits = RequestScheduler.Limits(total: 200, perHost: 100)
///     $0.adaptiveConcurrency = .standard
/// }
/// ```
///
/// For many requests to a server whose capacity nobody knows, or that changes. While requests have their first byte about
/// as soon as they usually do, more of them may be under way; when they take longer, or are refused with 429 or 503, time
/// out or lose their connection, fewer. What does not fit waits in the queue, by priority. The algorithm is the one known
/// as Gradient2.
public struct AdaptiveConcurrency: Sendable, Hashable {
    /// How many requests there may be to a host at least; 1 or more.
    public var minimum: Int
    /// How many there may be at first, 1 or more; no more than the limits of the scheduler allow.
    public var initial: Int
    /// How many times longer than usual a request may take before there are too many; from 1 to 100.
    public var tolerance: Double

    /// Creates a rule.
    ///
    /// Requests of a client with one that is out of bounds fail with ``ErrandError/Code/invalidConfiguration``.
    public init(minimum: Int = 1, initial: Int = 20, tolerance: Double = 1.5) {
        self.minimum = minimum
        self.initial = initial
        self.tolerance = tolerance
    }

    /// From 1 request up to the limits of the scheduler, with 20 at first, and half as long again as usual.
    public static let standard = AdaptiveConcurrency()

    /// Why it means nothing, if so.
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
