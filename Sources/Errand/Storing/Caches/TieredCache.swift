/// A memory cache in front of a slower and larger cache, such as a ``DiskCache``.
///
/// The front serves an entry for at most a minute before the back is consulted again, so that changes made by other
/// processes become visible.
public struct TieredCache: ResponseCache {
    /// The cache that is consulted first.
    ///
    /// It contains only entries that the back contains or is about to store.
    public let front: MemoryCache
    /// The cache that contains all entries.
    public let back: any ResponseCache

    /// The time for which the front serves an entry without consulting the back.
    ///
    /// Other processes may have changed the entry in the back, and its uses must be recorded there.
    private static let frontAge = Duration.seconds(60)

    /// Creates a cache from a front and a back.
    public init(front: MemoryCache = MemoryCache(), back: any ResponseCache) {
        self.front = front
        self.back = back
    }

    /// A cache suitable for apps: 16 MiB in memory in front of 150 MiB in ``DiskCache/standardFolder``.
    ///
    /// The folder is not read or written before the first use.
    public static let standard = TieredCache(back: DiskCache(folder: DiskCache.standardFolder))

    /// Returns the entry stored for a key, from the front if it was filled within the last minute, otherwise from the
    /// back.
    ///
    /// - Throws: ``CacheMiss``, as thrown by the back.
    public func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        if let entry = self.entryWithoutSuspending(for: key) { return entry }
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

    /// Returns the entry if it is in the front.
    public func entryWithoutSuspending(for key: CacheKey) -> CacheEntry? {
        self.front.entry(for: key, atMost: Self.frontAge)
    }

    // Always change the back first: a task that read the old entry from the back earlier then finds the front changed
    // and does not fill it, and a task that reads later does not find the old entry.

    /// Stores an entry in both caches.
    public func store(_ entry: CacheEntry, for key: CacheKey) async {
        await self.back.store(entry, for: key)
        self.front.store(entry, for: key)
    }

    /// Removes the entry of a key from both caches.
    ///
    /// - Throws: ``ErrandError``, as thrown by the back.
    public func remove(_ key: CacheKey) async throws(ErrandError) {
        defer { self.front.remove(key) }
        try await self.back.remove(key)
    }

    /// Removes all entries that satisfy a predicate from the back, and empties the front; returns the number removed
    /// from the back.
    ///
    /// - Throws: ``ErrandError``, as thrown by the back.
    @discardableResult
    public func remove(
        where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool
    ) async throws(ErrandError) -> Int {
        // The front contains only copies: refilling it costs less than testing each entry twice.
        defer { self.front.remove { _ in true } }
        return try await self.back.remove(where: isChosen)
    }

    /// A Boolean value that indicates whether the back responds to cancellation.
    ///
    /// The front always does.
    public var respondsToCancellation: Bool { self.back.respondsToCancellation }

    /// Returns the number of times the entry of a key was removed explicitly from this cache or one of its parts.
    public func removals(of key: CacheKey) -> Int { self.front.removals(of: key) &+ self.back.removals(of: key) }

    /// Returns summaries of all entries in the back.
    ///
    /// The front contains no others.
    public func summaries() async -> [CacheEntry.Summary] {
        await self.back.summaries()
    }

    /// The usage of the back.
    public var usage: CacheEntry.Totals? {
        get async { await self.back.usage }
    }

    /// Returns a pending notice about a problem with the back.
    public func takeNotice() async -> String? {
        await self.back.takeNotice()
    }
}
