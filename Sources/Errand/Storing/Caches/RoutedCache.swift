/// A cache that routes each kind of request to a cache of its own, such as images to a folder and secrets to memory
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
    /// A cache, and a predicate that selects the requests for it.
    public struct Route: Sendable {
        /// The cache.
        public let cache: any ResponseCache
        /// Returns true if responses to requests with the given key belong in this cache.
        ///
        /// Must always return the same value for the same key.
        public let matches: @Sendable (CacheKey) -> Bool

        /// Creates a route.
        public init(to cache: any ResponseCache, where matches: @escaping @Sendable (CacheKey) -> Bool) {
            self.cache = cache
            self.matches = matches
        }
    }

    /// The cache for requests that match no route.
    public let otherwise: any ResponseCache
    /// The routes.
    ///
    /// The first matching route is used.
    public let routes: [Route]

    /// Creates a cache from several distinct caches.
    ///
    /// - Parameters:
    ///   - otherwise: The cache for requests that match no route.
    ///   - routes: The other caches with their predicates. The first matching route is used.
    public init(otherwise: any ResponseCache, routes: [Route]) {
        self.otherwise = otherwise
        self.routes = routes
    }

    /// Returns the entry from the cache for this key.
    ///
    /// - Throws: ``CacheMiss``.
    public func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        try await self.cache(for: key).entry(for: key)
    }

    /// Returns the entry that the cache for this key has available without suspending.
    public func entryWithoutSuspending(for key: CacheKey) -> CacheEntry? {
        self.cache(for: key).entryWithoutSuspending(for: key)
    }

    /// Stores an entry in the cache for its key.
    public func store(_ entry: CacheEntry, for key: CacheKey) async {
        await self.cache(for: key).store(entry, for: key)
    }

    /// Removes the entry of a key from the cache for it.
    ///
    /// - Throws: ``ErrandError``, as thrown by that cache.
    public func remove(_ key: CacheKey) async throws(ErrandError) {
        try await self.cache(for: key).remove(key)
    }

    /// Removes all entries that satisfy a predicate from every cache, and returns their number.
    ///
    /// - Throws: ``ErrandError``, the first one thrown by a cache, after all caches have been processed.
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

    /// A Boolean value that indicates whether all caches respond to cancellation.
    public var respondsToCancellation: Bool { self.caches.allSatisfy(\.respondsToCancellation) }

    /// Returns the number of times the entry of a key was removed explicitly from the cache for it.
    public func removals(of key: CacheKey) -> Int { self.cache(for: key).removals(of: key) }

    /// Returns summaries of the entries of all caches.
    public func summaries() async -> [CacheEntry.Summary] {
        var items: [CacheEntry.Summary] = []
        for cache in self.caches { items += await cache.summaries() }
        return items
    }

    /// The sum over all caches that report their usage; `nil` if none does.
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

    /// Returns a pending notice about a problem with one of the caches.
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
