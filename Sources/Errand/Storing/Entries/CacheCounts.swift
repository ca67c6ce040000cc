internal import Synchronization

/// How often a cache was asked, and answered.
package final class CacheCounts: Sendable {
    /// What this client was told to remove.
    let removals = RemovalCounts()
    private let hitCount = Atomic(0)
    private let missCount = Atomic(0)

    package init() {}

    /// How many requests a stored response was used for.
    var hits: Int { self.hitCount.load(ordering: .relaxed) }
    /// How many requests there was none for that could be used.
    var misses: Int { self.missCount.load(ordering: .relaxed) }

    func countHit() {
        self.hitCount.add(1, ordering: .relaxed)
    }

    func countMiss() {
        self.missCount.add(1, ordering: .relaxed)
    }
}
