internal import struct Foundation.Date

/// The age and the freshness lifetime of a stored response (RFC 9111 §4.2).
struct HTTPFreshness: Sendable, Hashable {
    /// The current age in seconds (§4.2.3).
    let age: Double
    /// The freshness lifetime in seconds (§4.2.1).
    let lifetime: Double
    /// The source of the lifetime.
    let reason: CacheReason

    /// The number of seconds for which the response remains fresh; negative if it is stale.
    var timeToLive: Double { self.lifetime - self.age }
    var isFresh: Bool { self.lifetime > self.age }

    /// The upper limit of heuristic freshness, a day.
    static let heuristicLimit = 86_400.0
    /// The statuses for which heuristic freshness is allowed (RFC 9110 §15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    init(of stored: StoredHead, now: Date) {
        let (fields, respondedAt) = (stored.head.headers, stored.respondedAt)
        let date = fields[HTTPField.Name.date].flatMap { HTTPDate.parse($0, now: respondedAt) } ?? respondedAt
        (self.lifetime, self.reason) = Self.lifetime(of: stored, sentAt: date)
        let apparent = max(0, respondedAt.timeIntervalSince(date))
        let corrected = Self.ageValue(fields) + max(0, respondedAt.timeIntervalSince(stored.requestedAt))
        let resident = now.timeIntervalSince(respondedAt)
        // A date in the future: the clock was set back, and the age is unknown.
        self.age = resident < 0 ? Double(CacheControl.mostSeconds) : max(apparent, corrected) + resident
    }

    /// The first member counts; invalid numbers are ignored (RFC 9111 §5.1).
    private static func ageValue(_ fields: HTTPFields) -> Double {
        let first = fields.values(for: HTTPField.Name.age).first?.parts(at: ",").first
        return first.flatMap { CacheControl.seconds(String($0).trimmingFieldWhitespace()[...]) }.map(Double.init) ?? 0
    }

    private static func lifetime(of stored: StoredHead, sentAt date: Date) -> (Double, CacheReason) {
        let (head, control, now) = (stored.head, stored.control, stored.respondedAt)
        guard !control.isMalformed else { return (0, CacheReason("its Cache-Control is malformed", section: "4.2.1")) }
        if let seconds = control.seconds("max-age") {
            return (Double(seconds), CacheReason("max-age sets a lifetime of \(seconds) s", section: "5.2.2.1"))
        }
        let expires = head.headers.values(for: HTTPField.Name.expires)
        guard expires.isEmpty else {
            let dates = expires.map { HTTPDate.parse($0, now: now) }
            guard let first = dates.compactMap({ $0 }).min(), !dates.contains(nil) else {
                return (0, CacheReason("Expires is not a valid date and counts as in the past", section: "5.3"))
            }
            let seconds = max(0, first.timeIntervalSince(date))
            return (seconds, CacheReason("Expires sets a lifetime of \(Int(clamping: seconds)) s", section: "5.3"))
        }
        guard Self.heuristicStatuses.contains(head.status.code) || control.contains("public"),
            let modified = head.headers[HTTPField.Name.lastModified].flatMap({ HTTPDate.parse($0, now: now) })
        else { return (0, CacheReason("no freshness lifetime is specified", section: "4.2.2")) }
        let seconds = max(0, min(date.timeIntervalSince(modified) / 10, Self.heuristicLimit))
        return (
            seconds,
            CacheReason("Last-Modified sets a heuristic lifetime of \(Int(clamping: seconds)) s", section: "4.2.2")
        )
    }
}
