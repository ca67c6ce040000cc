/// The cache of a client as used by requests, with waits that end on cancellation.
final class CacheAccess: Sendable {
    private let cache: any ResponseCache
    /// Counts the removals by this client.
    private let removals: RemovalCounts
    /// True if the cache responds to cancellation itself, which saves a task per call.
    let respondsToCancellation: Bool
    /// True if a lookup may suspend.
    let mayWait: Bool

    init(_ cache: any ResponseCache, _ removals: RemovalCounts) {
        (self.cache, self.removals) = (cache, removals)
        self.mayWait = !(cache is MemoryCache)
        self.respondsToCancellation = cache.respondsToCancellation
    }

    /// - Throws: ``CacheMiss``; ``CacheMiss/noEntry`` if the task is cancelled first.
    func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        try await self.unlessCancelled(else: .noEntry) { () async throws(CacheMiss) in
            try await self.cache.entry(for: key)
        }
    }

    /// Returns the entry of a key if it is available without suspending.
    func entryWithoutSuspending(for key: CacheKey) -> CacheEntry? { self.cache.entryWithoutSuspending(for: key) }

    /// The number of times the entry of a key was removed explicitly, or may have been.
    ///
    /// One removal may count twice.
    func removals(of key: CacheKey) -> Int { self.removals[key] &+ self.cache.removals(of: key) }

    /// Counts a removal of the entry of a key before it begins.
    func noteRemoval(of key: CacheKey) { self.removals.note(key) }

    /// Stores an entry, unless its key is removed in the meantime: it must then not come back, however slow the cache
    /// is.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - key: Its key.
    ///   - isRemoved: Returns true if the key has been removed since the request.
    /// - Returns: True if the cache stored the entry; false if the task is cancelled first.
    func store(
        _ entry: CacheEntry, for key: CacheKey, unless isRemoved: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let stored: Void? = try? await self.unlessCancelled(else: .noEntry) { () async throws(CacheMiss) in
            await self.cache.store(entry, for: key)
            // A removal counts before it begins: one that is not seen here finds the entry. A removal that the system
            // refuses is reported as a notice.
            if isRemoved() { try? await self.cache.remove(key) }
        }
        return stored != nil
    }

    /// Removes an entry.
    ///
    /// - Throws: ``ErrandError``: the error of the cache, or a cancellation error if the task is cancelled first.
    func remove(_ key: CacheKey) async throws(ErrandError) {
        try await self.unlessCancelled(else: .cancelled()) { () async throws(ErrandError) in
            try await self.cache.remove(key)
        }
    }

    /// Returns a pending notice about a problem with the cache storage.
    ///
    /// - Returns: A description of the problem; `nil` if there is no new one.
    func takeNotice() async -> String? {
        let notice = try? await self.unlessCancelled(else: .noEntry) { () async throws(CacheMiss) in
            await self.cache.takeNotice()
        }
        return notice ?? nil
    }

    /// The closure has no capture list: with one, the compiler hops off the caller's actor and back.
    private func unlessCancelled<Value: Sendable, Failure: Error>(
        else failure: @autoclosure () -> Failure, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard !self.respondsToCancellation else { return try await work() }
        let waiter = Waiter<Result<Value, Failure>>()
        // Unstructured: a cache that hangs must not block cancelled tasks. Ends with this call.
        let task = spawn {
            do throws(Failure) { waiter.resume(.success(try await work())) } catch { waiter.resume(.failure(error)) }
        }
        if let result = await waiter.wait() { return try result.get() }
        task.cancel()
        throw failure()
    }
}
