internal import ErrandLocks

/// The numbers of hits, misses, and removals of a cache.
package final class CacheCounts: Sendable {
    /// Counts the explicit removals by this client.
    let removals = RemovalCounts()
    private let hitCount = AtomicCounter()
    private let missCount = AtomicCounter()

    package init() {}

    /// The number of requests for which a cached response was used.
    var hits: Int { Int(clamping: self.hitCount.value) }
    /// The number of requests for which no cached response could be used.
    var misses: Int { Int(clamping: self.missCount.value) }

    func countHit() {
        self.hitCount.add()
    }

    func countMiss() {
        self.missCount.add()
    }
}
