/// Keeps responses in memory, up to a number of bytes; the one that was not used for longest goes first.
public actor MemoryCache: ResponseCache {
    /// The most bytes that are kept, counted as body, header fields and key.
    public nonisolated let capacity: Int
    /// How many bytes are kept.
    public private(set) var size = 0

    private struct Stored {
        let entry: CacheEntry
        let cost: Int
        var lastUse: UInt64
    }

    private var entries: [CacheKey: Stored] = [:]
    private var useCount: UInt64 = 0
    private var evictions = 0

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: The most bytes to keep.
    public init(capacity: Int = 16 << 20) {
        self.capacity = max(0, capacity)
    }

    /// How many responses are kept.
    public var count: Int { self.entries.count }

    /// Answers the entry stored for a key, however old it is.
    ///
    /// - Throws: ``CacheMiss/noEntry``.
    public func entry(for key: CacheKey) throws(CacheMiss) -> CacheEntry {
        guard let index = self.entries.index(forKey: key) else { throw .noEntry }
        self.useCount += 1
        self.entries.values[index].lastUse = self.useCount
        return self.entries.values[index].entry
    }

    /// Stores an entry in place of the one that was there; one that is larger than the capacity is not kept.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        self.remove(key)
        let cost = entry.cost + key.cost
        guard cost <= self.capacity else { return }
        if self.size + cost > self.capacity { self.evict(toFit: cost) }
        self.useCount += 1
        self.entries[key] = Stored(entry: entry, cost: cost, lastUse: self.useCount)
        self.size += cost
    }

    /// Removes the entry of a key, if there is one.
    public func remove(_ key: CacheKey) {
        guard let stored = self.entries.removeValue(forKey: key) else { return }
        self.size -= stored.cost
    }

    /// Removes all entries that a function chooses; answers how many that were.
    @discardableResult
    public func remove(where isChosen: @Sendable (CacheItem) -> Bool) -> Int {
        let chosen = self.entries.filter { isChosen(CacheItem($1.entry, for: $0, size: $1.cost)) }
        for key in chosen.keys { self.remove(key) }
        return chosen.count
    }

    /// How much is kept.
    public var usage: CacheUsage? {
        CacheUsage(entries: self.entries.count, bytes: self.size, evictions: self.evictions)
    }

    /// Makes room, and an eighth of the capacity more, so that the next stores need not sort again.
    private func evict(toFit cost: Int) {
        let target = max(0, min(self.capacity - cost, self.capacity * 7 / 8))
        for (key, stored) in self.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard self.size > target else { return }
            self.entries[key] = nil
            self.size -= stored.cost
            self.evictions += 1
        }
    }
}

extension CacheEntry {
    /// Roughly how many bytes it takes in memory.
    fileprivate var cost: Int {
        let headers = self.response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        return self.response.data.count + headers
    }
}
