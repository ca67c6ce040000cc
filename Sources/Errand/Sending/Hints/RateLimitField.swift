/// What a server says about how many requests it takes (draft-ietf-httpapi-ratelimit-headers).
struct RateLimitField: Equatable {
    /// How many are left.
    let left: Int
    /// For how long.
    let time: Duration

    /// Reads the field `RateLimit`: of several limits that which leaves the fewest; `nil` where there is none that can be
    /// read.
    init?(_ headers: HTTPFields) {
        let items = headers.values(for: "RateLimit").flatMap { $0.split(separator: ",") }
        guard let lowest = items.compactMap(Self.item).min(by: { $0.left < $1.left }) else { return nil }
        self = lowest
    }

    private init(left: Int, time: Duration) {
        self.left = left
        self.time = time
    }

    /// A name with parameters (RFC 9651 §3.1.2).
    private static func item(_ text: Substring) -> RateLimitField? {
        var (left, seconds): (Int?, Int?)
        for parameter in text.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (name, value) = (String(parts[0]).trimmingFieldWhitespace(), String(parts[1]).trimmingFieldWhitespace())
            // A sign is no digit, and integers of structured fields have up to 15.
            guard 1...15 ~= value.utf8.count, value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
            else { continue }
            if name == "r" { left = Int(value) } else if name == "t" { seconds = Int(value) }
        }
        guard let left, let seconds else { return nil }
        return RateLimitField(left: left, time: Duration.seconds(seconds).bounded)
    }
}
