/// Keeps responses in memory, up to a number of bytes; the one that was not used for longest goes first.
public actor MemoryCache: ResponseCache {
    /// The most bytes that are kept, counted as body, header fields and URL.
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

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: The most bytes to keep.
    public init(capacity: Int = 16 << 20) {
        self.capacity = max(0, capacity)
    }

    /// How many responses are kept.
    public var count: Int { self.entries.count }

    /// Answers the entry stored for a key, however old it is.
    public func entry(for key: CacheKey) -> CacheEntry? {
        guard var stored = self.entries[key] else { return nil }
        self.useCount += 1
        stored.lastUse = self.useCount
        self.entries[key] = stored
        return stored.entry
    }

    /// Stores an entry in place of the one that was there; one that is larger than the capacity is not kept.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        self.remove(key)
        let headers = entry.response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        let cost = entry.response.data.count + headers + key.url.utf8.count + key.body.count
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

    /// Removes all entries.
    public func removeAll() {
        self.entries.removeAll()
        self.size = 0
    }

    /// Makes room, and an eighth of the capacity more, so that the next stores need not sort again.
    private func evict(toFit cost: Int) {
        let target = max(0, min(self.capacity - cost, self.capacity * 7 / 8))
        for (key, stored) in self.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard self.size > target else { return }
            self.entries[key] = nil
            self.size -= stored.cost
        }
    }
}
