/// When a request that has no response yet is sent once more, so that the faster of two answers counts.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.options = .hedging(.afterPercentile(95)) }
/// ```
///
/// For servers of which now and then one is slow. Only a request with an idempotent method (RFC 9110 §9.2.2) is hedged,
/// and only if its body can be sent twice and that of the response goes into memory. The second one is paid for from the
/// client's ``RetryBudget``, so that a server that has become slow as a whole does not get twice the load. It waits for a
/// slot of its own, and is not sent while the first one is not with the server: while that waits for its slot, for a token,
/// for a network or for its next retry. The first response counts, unless it has one of the statuses that a retry may help
/// against (``RetryPolicy/statuses``) and the other one is under way. The one that loses is cancelled before the request
/// ends.
public struct HedgePolicy: Sendable, Hashable {
    enum Delay: Sendable, Hashable {
        case after(Duration)
        case percentile(Double, atLeast: Duration)
    }

    /// `nil` where nothing is sent twice.
    let delay: Delay?

    /// No request is sent twice.
    public static let never = HedgePolicy(delay: nil)

    /// After a time, of nothing or more.
    public static func after(_ delay: Duration) -> HedgePolicy {
        HedgePolicy(delay: .after(delay.bounded))
    }

    /// After the time in which so many of a hundred requests had their response.
    ///
    /// Counted are the last 128 calls of the same type of endpoint that were answered, by this client; before there are 20
    /// nothing is sent twice.
    ///
    /// - Parameters:
    ///   - percentile: From 0 to 100; a request with another one fails with ``ErrandError/Code/invalidConfiguration``. With
    ///     95 about one in twenty is sent twice, as far as the budget allows.
    ///   - delay: The shortest time, however fast the server is.
    /// - Returns: The policy.
    public static func afterPercentile(
        _ percentile: Double, atLeast delay: Duration = .milliseconds(10)
    ) -> HedgePolicy {
        HedgePolicy(delay: .percentile(percentile, atLeast: delay.bounded))
    }

    /// Why it means nothing, if so.
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
