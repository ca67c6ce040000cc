internal import ErrandLocks

/// How often a cache was asked, and answered.
package final class CacheCounts: Sendable {
    /// What this client was told to remove.
    let removals = RemovalCounts()
    private let hitCount = AtomicCounter()
    private let missCount = AtomicCounter()

    package init() {}

    /// How many requests a stored response was used for.
    var hits: Int { Int(clamping: self.hitCount.value) }
    /// How many requests there was none for that could be used.
    var misses: Int { Int(clamping: self.missCount.value) }

    func countHit() {
        self.hitCount.add()
    }

    func countMiss() {
        self.missCount.add()
    }
}
