/// What the caches of this library can do for those in front of them, besides what all caches do.
protocol BackingCache: ResponseCache {
    /// Whether a cancelled task never waits for it.
    var isPrompt: Bool { get }
    /// Takes note that an entry is used which a cache in front has.
    ///
    /// - Returns: Whether it may be: it is not too old.
    func countUse(of entry: CacheEntry, for key: CacheKey) -> Bool
    /// Waits until it is known whether an entry that was just stored could be written, if that is known soon, and
    /// otherwise until it is known whether anything can; a cancelled task does not wait.
    func settle(_ key: CacheKey) async
}

extension MemoryCache: BackingCache {
    nonisolated var isPrompt: Bool { true }

    nonisolated func countUse(of entry: CacheEntry, for key: CacheKey) -> Bool { true }

    nonisolated func settle(_ key: CacheKey) {}
}

extension TieredCache: BackingCache {
    var isPrompt: Bool { self.backing?.isPrompt ?? false }

    func countUse(of entry: CacheEntry, for key: CacheKey) -> Bool {
        self.backing?.countUse(of: entry, for: key) ?? true
    }

    func settle(_ key: CacheKey) async {
        await self.backing?.settle(key)
    }
}

extension RoutedCache: BackingCache {
    var isPrompt: Bool { self.caches.allSatisfy { ($0 as? any BackingCache)?.isPrompt ?? false } }

    func countUse(of entry: CacheEntry, for key: CacheKey) -> Bool {
        (self.cache(for: key) as? any BackingCache)?.countUse(of: entry, for: key) ?? true
    }

    func settle(_ key: CacheKey) async {
        await (self.cache(for: key) as? any BackingCache)?.settle(key)
    }
}
