/// The cache of a client, as requests ask it: one that was told to stop does not wait for it any longer.
struct CacheAccess: Sendable {
    private let cache: any ResponseCache
    private let backing: (any BackingCache)?
    /// It sees to that itself; a task for each call costs something.
    let isPrompt: Bool

    init(_ cache: any ResponseCache) {
        self.cache = cache
        self.backing = cache as? any BackingCache
        self.isPrompt = self.backing?.isPrompt ?? false
    }

    /// - Throws: ``CacheMiss``; ``CacheMiss/noEntry`` when the task is cancelled before there is a response.
    func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        guard !self.isPrompt else { return try await self.cache.entry(for: key) }
        let result = await self.unlessCancelled { [cache] () async -> Result<CacheEntry, CacheMiss> in
            do throws(CacheMiss) {
                return .success(try await cache.entry(for: key))
            } catch {
                return .failure(error)
            }
        }
        return try (result ?? .failure(.noEntry)).get()
    }

    /// Where it is noted that the entry of a key was removed by hand from the cache, if it does that.
    func removalLogs(for key: CacheKey) -> [RemovalLog] {
        self.backing?.removalLogs(for: key) ?? []
    }

    /// Stores an entry, unless what was there is removed meanwhile: then it must not come back, however late the cache
    /// is done.
    ///
    /// - Returns: Whether the cache took it; not when the task is cancelled before that.
    func store(_ entry: CacheEntry, for key: CacheKey, unless removals: RemovalWatch) async -> Bool {
        let store = { @Sendable [cache] () async -> Void in
            await cache.store(entry, for: key)
            // A removal counts before it begins: one that is not seen here finds the entry.
            if removals.isRemoved { await cache.removeStored(key) }
        }
        guard !self.isPrompt else {
            await store()
            return true
        }
        return await self.unlessCancelled(store) != nil
    }

    /// Asks what is wrong with the place where entries are kept.
    ///
    /// - Parameter key: What was stored just now, if something was.
    /// - Returns: That in words, if there is something new.
    func notice(afterStoring key: CacheKey?) async -> String? {
        if let key { await self.backing?.settle(key) }
        guard !self.isPrompt else { return await self.cache.takeNotice() }
        return await self.unlessCancelled { [cache] in await cache.takeNotice() } ?? nil
    }

    private func unlessCancelled<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result? {
        let waiter = Waiter<Result>()
        // Unstructured: a cache that hangs must not hold whoever was told to stop. Ends with that one call.
        let task = spawn { waiter.resume(await work()) }
        let result = await waiter.wait()
        if result == nil { task.cancel() }
        return result
    }
}
