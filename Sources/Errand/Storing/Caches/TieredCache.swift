/// A cache in memory in front of a slower one that keeps more, such as a ``DiskCache``.
///
/// The front answers for a minute at most, then the back is asked again: what other processes change there shows by
/// then.
public struct TieredCache: ResponseCache {
    /// The cache that is asked first; it has nothing that the other one does not have or is not about to have.
    public let front: MemoryCache
    /// The cache that keeps everything.
    public let back: any ResponseCache

    /// For how long the front answers without asking the back again: there others may have changed something, and the
    /// use of an entry counts there as well.
    private static let frontAge = Duration.seconds(60)

    /// Creates a cache of two.
    public init(front: MemoryCache = MemoryCache(), back: any ResponseCache) {
        self.front = front
        self.back = back
    }

    /// What apps use: 16 MiB in memory in front of 150 MiB in ``DiskCache/standardFolder``.
    ///
    /// Nothing is read or written before the first use.
    public static let standard = TieredCache(back: DiskCache(folder: DiskCache.standardFolder))

    /// Returns the entry stored for a key, unless the cache behind had none within the last minute.
    ///
    /// - Throws: ``CacheMiss``, as the cache behind tells it.
    public func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        if let entry = self.entryAtHand(for: key) { return entry }
        let ticket = self.front.ticket(for: key)
        do throws(CacheMiss) {
            let entry = try await self.back.entry(for: key)
            self.front.fill(entry, for: key, ticket)
            return entry
        } catch {
            self.front.fill(nil, for: key, ticket)
            throw error
        }
    }

    /// Returns the entry that is in front.
    public func entryAtHand(for key: CacheKey) -> CacheEntry? { self.front.entry(for: key, atMost: Self.frontAge) }

    // Always the back first: whoever read the old entry there before finds the front changed afterwards, and does not
    // bring it back; whoever reads there later does not find it.

    /// Stores an entry in both.
    public func store(_ entry: CacheEntry, for key: CacheKey) async {
        await self.back.store(entry, for: key)
        self.front.store(entry, for: key)
    }

    /// Removes the entry of a key from both.
    ///
    /// - Throws: ``ErrandError``, as the cache behind throws it.
    public func remove(_ key: CacheKey) async throws(ErrandError) {
        defer { self.front.remove(key) }
        try await self.back.remove(key)
    }

    /// Removes all entries that a function chooses from the cache behind, and empties the front; returns how many were chosen.
    ///
    /// - Throws: ``ErrandError``, as the cache behind throws it.
    @discardableResult
    public func remove(
        where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool
    ) async throws(ErrandError) -> Int {
        // It has copies only: to bring them back costs less than to have others judge each entry twice.
        defer { self.front.remove { _ in true } }
        return try await self.back.remove(where: isChosen)
    }

    /// Whether the cache behind does: the front always does.
    public var respondsToCancellation: Bool { self.back.respondsToCancellation }

    /// How often the entry of a key was removed by hand from this cache, or from one of the two.
    public func removals(of key: CacheKey) -> Int { self.front.removals(of: key) &+ self.back.removals(of: key) }

    /// What is known of all entries in the cache behind: the front has no others.
    public func summaries() async -> [CacheEntry.Summary] {
        await self.back.summaries()
    }

    /// How much the cache behind keeps.
    public var usage: CacheEntry.Totals? {
        get async { await self.back.usage }
    }

    /// Returns what is wrong with the cache behind.
    public func takeNotice() async -> String? {
        await self.back.takeNotice()
    }
}
