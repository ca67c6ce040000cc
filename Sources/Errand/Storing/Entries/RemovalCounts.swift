internal import ErrandLocks

/// Counts explicit removals, so that a response that was requested before a removal is not stored after it.
///
/// There is a fixed number of counts, each shared by many keys. A removal affects all keys that share its count, at the
/// cost of one response not being stored.
final class RemovalCounts: Sendable {
    private static let size = 1024

    private let counts = Locked([Int](repeating: 0, count: RemovalCounts.size))

    /// Counts a removal of the entry of a key before it begins.
    func note(_ key: CacheKey) {
        self.counts.withLock { $0[Self.index(of: key)] &+= 1 }
    }

    /// Counts a removal of entries that are not known yet, before it begins.
    func noteAll() {
        self.counts.withLock { for index in $0.indices { $0[index] &+= 1 } }
    }

    /// The number of times the entry of a key was removed, or may have been.
    subscript(key: CacheKey) -> Int {
        self.counts.withLock { $0[Self.index(of: key)] }
    }

    private static func index(of key: CacheKey) -> Int { Int(truncatingIfNeeded: key.hashValue) & (Self.size - 1) }
}
