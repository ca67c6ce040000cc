/// Sends a slow request once more, and uses the response that comes first.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.options = .hedging(.afterPercentile(95)) }
/// ```
///
/// For services with occasional slow servers. Only a request with an idempotent method (RFC 9110 §9.2.2) is hedged, and
/// only if its body can be sent twice and the response body goes to memory. The second request is charged to the
/// client's ``RetryBudget``, so that the load does not double when the whole service is slow. It waits for its own
/// slot, and is not sent while the first one waits for its slot, a token, a network or its next retry. The first
/// response wins, unless it has a retryable status (``RetryPolicy/statuses``) and the other request is in flight. The
/// loser is cancelled before the request ends.
public struct HedgePolicy: Sendable, Hashable {
    enum Delay: Sendable, Hashable {
        case after(Duration)
        case percentile(Double, atLeast: Duration)
    }

    /// `nil` if requests are not hedged.
    let delay: Delay?

    /// Requests are not hedged.
    public static let never = HedgePolicy(delay: nil)

    /// Hedges a request after a fixed delay of zero or more.
    public static func after(_ delay: Duration) -> HedgePolicy {
        HedgePolicy(delay: .after(delay.bounded))
    }

    /// Hedges a request after the latency of the given percentile.
    ///
    /// The percentile is taken from the client's last 128 responses to calls of the same endpoint type; with fewer than
    /// 20 of them, requests are not hedged.
    ///
    /// - Parameters:
    ///   - percentile: From 0 to 100; otherwise, a request fails with ``ErrandError/Code/invalidConfiguration``. With
    ///     95, about one request in twenty is sent twice, as far as the budget allows.
    ///   - delay: The minimum delay, however fast the server is.
    /// - Returns: The policy.
    public static func afterPercentile(
        _ percentile: Double, atLeast delay: Duration = .milliseconds(10)
    ) -> HedgePolicy {
        HedgePolicy(delay: .percentile(percentile, atLeast: delay.bounded))
    }

    /// The error for an invalid setting, if any.
    var problem: ErrandError? {
        switch self.delay {
        case nil: nil
        case .after(let delay): ErrandError.setting("hedging", delay, isPossible: delay >= .zero, "zero or longer")
        case .percentile(let percentile, let delay):
            ErrandError.setting(
                "hedging.percentile", percentile, isPossible: 0...100 ~= percentile, "from 0 to 100")
                ?? ErrandError.setting("hedging.atLeast", delay, isPossible: delay >= .zero, "zero or longer")
        }
    }
}
