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
    /// Where it is noted that the entry of a key was removed by hand, by whichever client.
    func removalLogs(for key: CacheKey) -> [RemovalLog]
    /// Removes the entry of a key, which does not count as done by hand, and is not waited for.
    func drop(_ key: CacheKey) async
}

extension ResponseCache {
    /// Removes the entry of a key, which does not count as done by hand where the cache is one of this library's.
    func removeStored(_ key: CacheKey) async {
        guard let backing = self as? any BackingCache else { return await self.remove(key) }
        await backing.drop(key)
    }
}

extension MemoryCache: BackingCache {
    nonisolated var isPrompt: Bool { true }

    nonisolated func countUse(of entry: CacheEntry, for key: CacheKey) -> Bool { true }

    nonisolated func settle(_ key: CacheKey) {}

    nonisolated func removalLogs(for key: CacheKey) -> [RemovalLog] { [self.removals] }
}

extension TieredCache: BackingCache {
    var isPrompt: Bool { self.backing?.isPrompt ?? false }

    func countUse(of entry: CacheEntry, for key: CacheKey) -> Bool {
        self.backing?.countUse(of: entry, for: key) ?? true
    }

    func settle(_ key: CacheKey) async {
        await self.backing?.settle(key)
    }

    func removalLogs(for key: CacheKey) -> [RemovalLog] {
        self.front.removalLogs(for: key) + (self.backing?.removalLogs(for: key) ?? [])
    }

    func drop(_ key: CacheKey) async {
        // The front at once, for the back may take its time; and what it gave the front meanwhile goes, too.
        await self.front.drop(key)
        await self.back.removeStored(key)
        await self.front.drop(key)
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

    func removalLogs(for key: CacheKey) -> [RemovalLog] {
        (self.cache(for: key) as? any BackingCache)?.removalLogs(for: key) ?? []
    }

    func drop(_ key: CacheKey) async {
        await self.cache(for: key).removeStored(key)
    }
}
