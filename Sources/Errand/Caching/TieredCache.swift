/// A cache in memory in front of a slower one that keeps more, such as a ``DiskCache``.
public struct TieredCache: ResponseCache {
    /// The cache that is asked first; it has nothing that the other one does not have or is not about to have.
    public let front: MemoryCache
    /// The cache that keeps everything.
    public let back: any ResponseCache

    /// Creates a cache of two.
    public init(front: MemoryCache = MemoryCache(), back: any ResponseCache) {
        self.front = front
        self.back = back
    }

    /// What apps use: 16 MiB in memory in front of 150 MiB in ``DiskCache/standardFolder``.
    ///
    /// Nothing is read or written before the first use.
    public static let standard = TieredCache(back: DiskCache(folder: DiskCache.standardFolder))

    /// Answers the entry stored for a key, however old it is.
    ///
    /// - Throws: ``CacheMiss``, as the cache behind tells it.
    public func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        let ticket: MemoryCache.Ticket
        switch await self.front.entryOrTicket(for: key) {
        case .entry(let entry): return entry
        case .ticket(let new): ticket = new
        }
        do throws(CacheMiss) {
            let entry = try await self.back.entry(for: key)
            await self.front.fill(entry, for: key, ticket)
            return entry
        } catch {
            await self.front.fill(nil, for: key, ticket)
            throw error
        }
    }

    // Always the back first: whoever read the old entry there before finds the front changed afterwards, and does not
    // bring it back; whoever reads there later does not find it.

    /// Stores an entry in both.
    public func store(_ entry: CacheEntry, for key: CacheKey) async {
        await self.back.store(entry, for: key)
        await self.front.store(entry, for: key)
    }

    /// Removes the entry of a key from both.
    public func remove(_ key: CacheKey) async {
        await self.back.remove(key)
        await self.front.remove(key)
    }

    /// Removes all entries that a function chooses from both; answers how many that were in the cache behind.
    @discardableResult
    public func remove(where isChosen: @escaping @Sendable (CacheItem) -> Bool) async -> Int {
        let count = await self.back.remove(where: isChosen)
        await self.front.remove(where: isChosen)
        return count
    }

    /// How much the cache behind keeps.
    public var usage: CacheUsage? {
        get async { await self.back.usage }
    }

    /// Answers what is wrong with the cache behind.
    public func takeNotice() async -> String? {
        await self.back.takeNotice()
    }
}
