/// Several caches, of which each kind of request has one: images in a folder of their own, what is secret in memory
/// only.
///
/// ```swift
/// configuration.cache = RoutedCache(
///     otherwise: TieredCache.standard,
///     routes: [
///         RoutedCache.Route(to: DiskCache(folder: images, capacity: 500 << 20)) { $0.url.path.hasPrefix("/images/") },
///         RoutedCache.Route(to: MemoryCache()) { $0.endpoint == "AccountEndpoint" },
///     ])
/// ```
public struct RoutedCache: ResponseCache {
    /// A cache and what it is for.
    public struct Route: Sendable {
        /// The cache.
        public let cache: any ResponseCache
        /// Tells whether the answer to a request belongs there; always the same for the same key.
        public let matches: @Sendable (CacheKey) -> Bool

        /// Creates a route.
        public init(to cache: any ResponseCache, where matches: @escaping @Sendable (CacheKey) -> Bool) {
            self.cache = cache
            self.matches = matches
        }
    }

    /// The cache for what no route is for.
    public let otherwise: any ResponseCache
    /// The routes, of which the first that matches counts.
    public let routes: [Route]

    /// Creates a cache of several, no two of which are the same.
    ///
    /// - Parameters:
    ///   - otherwise: The cache for what no route is for.
    ///   - routes: The others, and what they are for; the first that matches counts.
    public init(otherwise: any ResponseCache, routes: [Route]) {
        self.otherwise = otherwise
        self.routes = routes
    }

    /// Returns what the cache for this key has.
    ///
    /// - Throws: ``CacheMiss``.
    public func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        try await self.cache(for: key).entry(for: key)
    }

    /// Returns what the cache for this key has at hand.
    public func entryAtHand(for key: CacheKey) -> CacheEntry? { self.cache(for: key).entryAtHand(for: key) }

    /// Stores an entry in the cache for its key.
    public func store(_ entry: CacheEntry, for key: CacheKey) async {
        await self.cache(for: key).store(entry, for: key)
    }

    /// Removes the entry of a key from the cache for it.
    ///
    /// - Throws: ``ErrandError``, as that cache throws it.
    public func remove(_ key: CacheKey) async throws(ErrandError) {
        try await self.cache(for: key).remove(key)
    }

    /// Removes all entries that a function chooses from each cache; returns how many that were.
    ///
    /// - Throws: ``ErrandError``, the first that one of the caches throws, after all others were asked.
    @discardableResult
    public func remove(
        where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool
    ) async throws(ErrandError) -> Int {
        var (count, failure): (Int, ErrandError?) = (0, nil)
        for cache in self.caches {
            do throws(ErrandError) {
                count += try await cache.remove(where: isChosen)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }

    /// Whether all caches do.
    public var respondsToCancellation: Bool { self.caches.allSatisfy(\.respondsToCancellation) }

    /// How often the entry of a key was removed by hand from the cache for it.
    public func removals(of key: CacheKey) -> Int { self.cache(for: key).removals(of: key) }

    /// What is known of all entries in all caches.
    public func summaries() async -> [CacheEntry.Summary] {
        var items: [CacheEntry.Summary] = []
        for cache in self.caches { items += await cache.summaries() }
        return items
    }

    /// The sum of what the caches keep that know it; `nil` when none does.
    public var usage: CacheEntry.Totals? {
        get async {
            var sum: CacheEntry.Totals?
            for cache in self.caches {
                guard let usage = await cache.usage else { continue }
                sum = CacheEntry.Totals(
                    entries: (sum?.entries ?? 0) + usage.entries, bytes: (sum?.bytes ?? 0) + usage.bytes,
                    evictions: (sum?.evictions ?? 0) + usage.evictions,
                    corruptions: (sum?.corruptions ?? 0) + usage.corruptions)
            }
            return sum
        }
    }

    /// Returns what is wrong with one of the caches.
    public func takeNotice() async -> String? {
        for cache in self.caches {
            if let notice = await cache.takeNotice() { return notice }
        }
        return nil
    }

    private var caches: [any ResponseCache] { [self.otherwise] + self.routes.map(\.cache) }

    private func cache(for key: CacheKey) -> any ResponseCache {
        self.routes.first { $0.matches(key) }?.cache ?? self.otherwise
    }
}
