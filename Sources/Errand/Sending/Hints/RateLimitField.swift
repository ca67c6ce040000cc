/// A rate limit announced by a server (draft-ietf-httpapi-ratelimit-headers).
struct RateLimitField: Equatable {
    /// The number of remaining requests.
    let left: Int
    /// The time for which they have to last.
    let time: Duration

    /// Parses the field `RateLimit`, a structured field list (RFC 9651 §3.1); `nil` if it has no valid limit.
    ///
    /// Of several limits, it is the one with the fewest remaining requests.
    init?(_ headers: HTTPFields) {
        let members = headers.structuredList("RateLimit") ?? []
        guard let lowest = members.compactMap(Self.limit).min(by: { $0.left < $1.left }) else { return nil }
        self = lowest
    }

    private init(left: Int, time: Duration) {
        self.left = left
        self.time = time
    }

    private static func limit(_ member: StructuredField.Member) -> RateLimitField? {
        guard case .item(let item) = member, let left = item.parameters["r"]?.integer, left >= 0,
            let seconds = item.parameters["t"]?.integer, seconds >= 0
        else { return nil }
        return RateLimitField(left: Int(clamping: left), time: Duration.seconds(seconds).bounded)
    }
}
