/// Keeps responses in memory, up to a number of bytes; the one that was not used for longest goes first.
///
/// On Apple's systems it is emptied when memory becomes short.
public actor MemoryCache: ResponseCache {
    /// The most bytes that are kept, counted as body, header fields and key.
    public nonisolated let capacity: Int
    /// How many bytes are kept.
    public private(set) var size = 0

    private struct Stored {
        let entry: CacheEntry
        let cost: Int
        let since: ContinuousClock.Instant
        var lastUse: UInt64
    }

    private var entries: [CacheKey: Stored] = [:]
    private var useCount: UInt64 = 0
    private var evictions = 0
    /// How often each of these keys is about to be filled from elsewhere, and with which ticket.
    private var fillings: [CacheKey: (ticket: Ticket, count: Int)] = [:]
    private var ticketCount: UInt64 = 0
    private nonisolated let removalCounts = RemovalCounts()

    #if canImport(Darwin)
        private let pressure = MemoryPressure()
    #endif

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: The most bytes to keep.
    public init(capacity: Int = 16 << 20) {
        self.capacity = max(0, capacity)
        #if canImport(Darwin)
            self.pressure.start { [weak self] in
                // The system calls from where nothing can be awaited; it ends when the cache is empty.
                spawn { await self?.drop { _ in true } }
            }
        #endif
    }

    /// How many responses are kept.
    public var count: Int { self.entries.count }

    /// Returns the entry stored for a key, however old it is.
    ///
    /// - Throws: ``CacheMiss/noEntry``.
    public func entry(for key: CacheKey) throws(CacheMiss) -> CacheEntry {
        guard let index = self.entries.index(forKey: key) else { throw .noEntry }
        self.useCount += 1
        self.entries.values[index].lastUse = self.useCount
        return self.entries.values[index].entry
    }

    /// What fills the cache has to know which change of a key it knows of.
    struct Ticket: Equatable {
        fileprivate let number: UInt64
    }

    enum Finding {
        case entry(CacheEntry)
        case ticket(Ticket)
    }

    /// Returns the entry stored for a key, or a ticket to fill it with, which has to be given back in any case.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - age: For how long the entry may have been here; one that was here for longer is let go of.
    /// - Returns: One of the two.
    func entryOrTicket(for key: CacheKey, atMost age: Duration) -> Finding {
        if let stored = self.entries[key], stored.since.duration(to: .now) > age { self.drop(key) }
        if let entry = try? self.entry(for: key) { return .entry(entry) }
        guard let filling = self.fillings[key] else {
            self.ticketCount += 1
            let ticket = Ticket(number: self.ticketCount)
            self.fillings[key] = (ticket, 1)
            return .ticket(ticket)
        }
        self.fillings[key] = (filling.ticket, filling.count + 1)
        return .ticket(filling.ticket)
    }

    /// Takes an entry from elsewhere, unless the key was changed after the ticket was given.
    func fill(_ entry: CacheEntry?, for key: CacheKey, _ ticket: Ticket) {
        guard let filling = self.fillings[key], filling.ticket == ticket else { return }
        self.fillings[key] = filling.count > 1 ? (ticket, filling.count - 1) : nil
        guard let entry, self.entries[key] == nil else { return }
        self.keep(entry, for: key)
    }

    /// Stores an entry in place of the one that was there; one that is larger than the capacity is not kept.
    ///
    /// One that was asked for later stays; see ``CacheEntry/replaces(entryStoredAt:)``.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        if let stored = self.entries[key]?.entry, !entry.replaces(entryStoredAt: stored.storedAt) { return }
        self.drop(key)
        self.keep(entry, for: key)
    }

    private func keep(_ entry: CacheEntry, for key: CacheKey) {
        let cost = entry.cost + key.cost
        guard cost <= self.capacity else { return }
        if self.size + cost > self.capacity { self.evict(toFit: cost) }
        self.useCount += 1
        self.entries[key] = Stored(entry: entry, cost: cost, since: .now, lastUse: self.useCount)
        self.size += cost
    }

    /// Removes the entry of a key, if there is one.
    public func remove(_ key: CacheKey) {
        self.removalCounts.note(key)
        self.drop(key)
    }

    private func drop(_ key: CacheKey) {
        self.fillings[key] = nil
        guard let stored = self.entries.removeValue(forKey: key) else { return }
        self.size -= stored.cost
    }

    /// Removes all entries that a function chooses; returns how many that were.
    @discardableResult
    public func remove(where isChosen: @Sendable (CacheItem) -> Bool) -> Int {
        self.removalCounts.noteAll()
        return self.drop(where: isChosen)
    }

    /// Always: nothing here waits.
    public nonisolated var respondsToCancellation: Bool { true }

    /// How often the entry of a key was removed by hand, or may have been.
    public nonisolated func removals(of key: CacheKey) -> Int { self.removalCounts[key] }

    /// The same where it does not count as done by hand.
    @discardableResult
    private func drop(where isChosen: (CacheItem) -> Bool) -> Int {
        let chosen = self.entries.filter { isChosen(CacheItem($1.entry, for: $0, size: $1.cost)) }
        for key in chosen.keys { self.drop(key) }
        // What is on its way has not been judged.
        self.fillings = [:]
        return chosen.count
    }

    /// What is known of all entries, in no order.
    public func items() -> [CacheItem] {
        self.entries.map { CacheItem($1.entry, for: $0, size: $1.cost) }
    }

    /// How much is kept.
    public var usage: CacheUsage? {
        CacheUsage(entries: self.entries.count, bytes: self.size, evictions: self.evictions)
    }

    /// Makes room, and an eighth of the capacity more, so that the next stores need not sort again.
    private func evict(toFit cost: Int) {
        let target = max(0, min(self.capacity - cost, self.capacity / 8 * 7))
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
    var cost: Int {
        let headers = self.response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        return self.response.data.count + headers
    }
}
