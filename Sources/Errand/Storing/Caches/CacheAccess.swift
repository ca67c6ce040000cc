/// The cache of a client, as requests ask it: one that was told to stop does not wait for it any longer.
final class CacheAccess: Sendable {
    private let cache: any ResponseCache
    /// The removals by this client.
    private let removals: RemovalCounts
    /// It sees to that itself; a task for each call costs something.
    let respondsToCancellation: Bool
    /// `true` for a cache that may have to be waited for.
    let mayWait: Bool

    init(_ cache: any ResponseCache, _ removals: RemovalCounts) {
        (self.cache, self.removals) = (cache, removals)
        self.mayWait = !(cache is MemoryCache)
        self.respondsToCancellation = cache.respondsToCancellation
    }

    /// - Throws: ``CacheMiss``; ``CacheMiss/noEntry`` when the task is cancelled before there is a response.
    func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        try await self.unlessCancelled(else: .noEntry) { () async throws(CacheMiss) in
            try await self.cache.entry(for: key)
        }
    }

    /// The entry of a key, if nobody has to wait for it.
    func entryAtHand(for key: CacheKey) -> CacheEntry? { self.cache.entryAtHand(for: key) }

    /// The number of times that the entry of a key was removed by hand, or may have been; one removal may count twice.
    func removals(of key: CacheKey) -> Int { self.removals[key] &+ self.cache.removals(of: key) }

    /// Counts a removal of the entry of a key, before it begins.
    func noteRemoval(of key: CacheKey) { self.removals.note(key) }

    /// Stores an entry, unless something is removed meanwhile: then it must not come back, however late the cache is
    /// done.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - key: Its key.
    ///   - isRemoved: Whether something was removed meanwhile.
    /// - Returns: Whether the cache took it; not when the task is cancelled before that.
    func store(
        _ entry: CacheEntry, for key: CacheKey, unless isRemoved: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let stored: Void? = try? await self.unlessCancelled(else: .noEntry) { () async throws(CacheMiss) in
            await self.cache.store(entry, for: key)
            // A removal counts before it begins: one that is not seen here finds the entry. One that the system refuses
            // shows as a notice.
            if isRemoved() { try? await self.cache.remove(key) }
        }
        return stored != nil
    }

    /// Removes an entry.
    ///
    /// - Throws: ``ErrandError``: what the cache throws, or that the task was cancelled before that.
    func remove(_ key: CacheKey) async throws(ErrandError) {
        try await self.unlessCancelled(else: .cancelled()) { () async throws(ErrandError) in
            try await self.cache.remove(key)
        }
    }

    /// Asks what is wrong with the place where entries are kept.
    ///
    /// - Returns: That in words, if there is something new.
    func takeNotice() async -> String? {
        let notice = try? await self.unlessCancelled(else: .noEntry) { () async throws(CacheMiss) in
            await self.cache.takeNotice()
        }
        return notice ?? nil
    }

    /// The work has no list of what it captures: with one the compiler takes it off the actor that asks, and back.
    private func unlessCancelled<Value: Sendable, Failure: Error>(
        else failure: @autoclosure () -> Failure, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard !self.respondsToCancellation else { return try await work() }
        let waiter = Waiter<Result<Value, Failure>>()
        // Unstructured: a cache that hangs must not hold whoever was told to stop. Ends with that one call.
        let task = spawn {
            do throws(Failure) { waiter.resume(.success(try await work())) } catch { waiter.resume(.failure(error)) }
        }
        if let result = await waiter.wait() { return try result.get() }
        task.cancel()
        throw failure()
    }
}
