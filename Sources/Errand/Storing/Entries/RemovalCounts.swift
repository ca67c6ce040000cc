internal import ErrandLocks

/// Counts what is removed by hand, so that a response that was requested before that is not stored after it.
///
/// There is a fixed number of counts, each for many keys: of keys that share one a removal counts for all, and costs
/// the others no more than a response that is not stored.
final class RemovalCounts: Sendable {
    private static let size = 1024

    private let counts = Locked([Int](repeating: 0, count: RemovalCounts.size))

    /// Counts a removal of the entry of a key, before it begins.
    func note(_ key: CacheKey) {
        self.counts.withLock { $0[Self.index(of: key)] &+= 1 }
    }

    /// Counts a removal of entries that nobody knows yet, before it begins.
    func noteAll() {
        self.counts.withLock { for index in $0.indices { $0[index] &+= 1 } }
    }

    /// How often the entry of a key was removed, or may have been.
    subscript(key: CacheKey) -> Int {
        self.counts.withLock { $0[Self.index(of: key)] }
    }

    private static func index(of key: CacheKey) -> Int { Int(truncatingIfNeeded: key.hashValue) & (Self.size - 1) }
}
