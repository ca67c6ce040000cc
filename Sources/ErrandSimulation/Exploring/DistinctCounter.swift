/// Counts distinct fingerprints in bounded memory.
struct DistinctCounter {
    /// The largest number that is counted.
    static let limit = 65_536

    private var seen: Set<UInt64> = []

    /// The number of distinct fingerprints so far, up to the limit.
    var count: Int { self.seen.count }

    /// Counts a fingerprint.
    mutating func insert(_ fingerprint: UInt64) {
        if self.seen.count < Self.limit { self.seen.insert(fingerprint) }
    }
}
