/// A server's own limit of how many requests it takes (draft-ietf-httpapi-ratelimit-headers).
struct RateLimitField: Equatable {
    /// How many are left.
    let left: Int
    /// For how long.
    let time: Duration

    /// Reads the field `RateLimit`, a list of a structured field (RFC 9651 §3.1): of several limits the one that leaves the
    /// fewest; `nil` where there is none that can be read.
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
