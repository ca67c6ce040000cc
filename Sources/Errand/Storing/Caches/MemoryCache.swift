internal import ErrandLocks

/// Caches responses in memory, up to a number of bytes, and evicts the least recently used.
///
/// On Apple platforms the cache is emptied under memory pressure.
public final class MemoryCache: ResponseCache {
    /// The maximum number of bytes.
    ///
    /// Sizes are estimated for complete entries: body, header fields, key, metadata, and object overhead.
    public let capacity: Int

    private let shelf = Locked(MemoryShelf())
    private let removalCounts = RemovalCounts()

    private let pressure: MemoryPressure

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: The maximum number of bytes.
    public convenience init(capacity: Int = 16 << 20) {
        self.init(capacity: capacity, pressure: MemoryPressure())
    }

    init(capacity: Int, pressure: MemoryPressure) {
        self.capacity = max(0, capacity)
        self.pressure = pressure
        pressure.start { [weak self] in self?.drop { _ in true } }
    }

    /// Returns the entry stored for a key, whatever its age.
    ///
    /// - Throws: ``CacheMiss/noEntry``.
    public func entry(for key: CacheKey) throws(CacheMiss) -> CacheEntry {
        guard let entry = self.entryWithoutSuspending(for: key) else { throw .noEntry }
        return entry
    }

    /// Returns the entry stored for a key, whatever its age, or `nil` if there is none.
    public func entryWithoutSuspending(for key: CacheKey) -> CacheEntry? { self.entry(for: key, atMost: nil) }

    /// Returns the entry if it has been in this cache no longer than the given age, and removes it otherwise.
    func entry(for key: CacheKey, atMost age: Duration?) -> CacheEntry? {
        self.shelf.withLock { $0.entry(for: key, atMost: age) }
    }

    /// Returns a ticket for filling a key, which must be given back in any case.
    func ticket(for key: CacheKey) -> MemoryShelf.Ticket { self.shelf.withLock { $0.ticket(for: key) } }

    /// Stores an entry from another cache, unless the key has changed since the ticket was issued.
    func fill(_ entry: CacheEntry?, for key: CacheKey, _ ticket: MemoryShelf.Ticket) {
        self.shelf.withLock { $0.fill(entry, for: key, ticket, upTo: self.capacity) }
    }

    /// Stores an entry, replacing the existing one.
    ///
    /// An entry larger than the capacity is not stored. An existing entry that was requested later stays; see
    /// ``CacheEntry/replaces(entryStoredAt:)``.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        self.shelf.withLock { $0.store(entry, for: key, upTo: self.capacity) }
    }

    /// Removes the entry of a key, if there is one.
    public func remove(_ key: CacheKey) {
        self.removalCounts.note(key)
        self.shelf.withLock { $0.drop(key) }
    }

    /// Removes all entries that satisfy a predicate, and returns their number.
    @discardableResult
    public func remove(where isChosen: @Sendable (CacheEntry.Summary) -> Bool) -> Int {
        self.removalCounts.noteAll()
        return self.drop(where: isChosen)
    }

    /// Always `true`, because this cache never suspends.
    public var respondsToCancellation: Bool { true }

    /// Returns the number of times the entry of a key was removed explicitly, or may have been.
    public func removals(of key: CacheKey) -> Int { self.removalCounts[key] }

    /// Removes the entries without counting it as an explicit removal.
    @discardableResult
    private func drop(where isChosen: (CacheEntry.Summary) -> Bool) -> Int {
        // Fills in progress are not tested against the predicate; they are discarded.
        let kept = self.shelf.withLock { shelf in
            shelf.fillings = [:]
            return shelf.entries
        }
        // Outside the lock: the predicate is user code and may use this cache.
        let chosen = kept.filter { isChosen(CacheEntry.Summary($1.entry, for: $0, size: $1.cost)) }
        return self.shelf.withLock { shelf in
            chosen.reduce(0) { shelf.drop($1.key, ifStoredAs: $1.value.number) ? $0 + 1 : $0 }
        }
    }

    /// Returns summaries of all entries, in no particular order.
    public func summaries() -> [CacheEntry.Summary] {
        self.shelf.withLock(\.entries).map { CacheEntry.Summary($1.entry, for: $0, size: $1.cost) }
    }

    /// The number and size of the cached entries.
    public var usage: CacheEntry.Totals? {
        self.shelf.withLock { CacheEntry.Totals(entries: $0.entries.count, bytes: $0.size, evictions: $0.evictions) }
    }
}

/// The entries of a memory cache, and the fills in progress.
struct MemoryShelf: Sendable {
    struct Stored {
        let entry: CacheEntry
        let cost: Int
        /// The sequence number of the store operation.
        let number: UInt64
        let since: ContinuousClock.Instant
        var lastUse: UInt64
    }

    /// A ticket for filling a key; it becomes invalid when the key changes.
    struct Ticket: Equatable {
        fileprivate let number: UInt64
    }

    private(set) var entries: [CacheKey: Stored] = [:]
    private(set) var size = 0
    private(set) var evictions = 0
    /// The number of fills in progress for each key, and their shared ticket.
    var fillings: [CacheKey: (ticket: Ticket, count: Int)] = [:]
    /// Counts uses and tickets.
    private var useCount: UInt64 = 0

    mutating func entry(for key: CacheKey, atMost age: Duration?) -> CacheEntry? {
        guard let index = self.entries.index(forKey: key) else { return nil }
        if let age, self.entries.values[index].since.duration(to: .now) > age {
            self.drop(key)
            return nil
        }
        self.useCount += 1
        self.entries.values[index].lastUse = self.useCount
        return self.entries.values[index].entry
    }

    mutating func ticket(for key: CacheKey) -> Ticket {
        self.useCount += 1
        let filling = self.fillings[key] ?? (Ticket(number: self.useCount), 0)
        self.fillings[key] = (filling.ticket, filling.count + 1)
        return filling.ticket
    }

    mutating func fill(_ entry: CacheEntry?, for key: CacheKey, _ ticket: Ticket, upTo capacity: Int) {
        guard let filling = self.fillings[key], filling.ticket == ticket else { return }
        self.fillings[key] = filling.count > 1 ? (ticket, filling.count - 1) : nil
        guard let entry, self.entries[key] == nil else { return }
        self.keep(entry, for: key, upTo: capacity)
    }

    mutating func store(_ entry: CacheEntry, for key: CacheKey, upTo capacity: Int) {
        if let stored = self.entries[key]?.entry, !entry.replaces(entryStoredAt: stored.storedAt) { return }
        self.drop(key)
        self.keep(entry, for: key, upTo: capacity)
    }

    private mutating func keep(_ entry: CacheEntry, for key: CacheKey, upTo capacity: Int) {
        let cost = entry.cost + key.cost
        guard cost <= capacity else { return }
        if self.size + cost > capacity { self.evict(toFit: cost, in: capacity) }
        self.useCount += 1
        self.entries[key] = Stored(
            entry: entry, cost: cost, number: self.useCount, since: .now, lastUse: self.useCount)
        self.size += cost
    }

    mutating func drop(_ key: CacheKey) {
        self.fillings[key] = nil
        guard let stored = self.entries.removeValue(forKey: key) else { return }
        self.size -= stored.cost
    }

    /// Removes an entry unless it has been replaced; returns true if it was removed.
    mutating func drop(_ key: CacheKey, ifStoredAs number: UInt64) -> Bool {
        guard self.entries[key]?.number == number else { return false }
        self.drop(key)
        return true
    }

    /// Makes room for the cost plus up to an eighth of the capacity, so that the next stores need not sort again.
    private mutating func evict(toFit cost: Int, in capacity: Int) {
        let target = max(0, min(capacity - cost, capacity / 8 * 7))
        for (key, stored) in self.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard self.size > target else { return }
            self.entries[key] = nil
            self.size -= stored.cost
            self.evictions += 1
        }
    }
}

extension CacheEntry {
    /// The approximate number of bytes in memory, excluding those counted for the key.
    package var cost: Int {
        let texts = [self.appVersion, self.tag, self.url?.string].compactMap(\.self)
        return self.response.data.count + self.response.headers.cost + self.response.trailers.cost
            + texts.reduce(0) { $0 + $1.utf8.count } + (self.http?.cost ?? 0)
    }
}

extension HTTPFields {
    /// The approximate number of bytes in memory: the strings and their overhead.
    fileprivate var cost: Int { self.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 } }
}

extension CacheEntry.HTTPRecord {
    /// The approximate number of bytes in memory.
    fileprivate var cost: Int {
        let variants = self.variants.reduce(0) { sum, variant in
            sum + variant.nominated.cost + (variant.tag?.utf8.count ?? 0) + (variant.modified?.utf8.count ?? 0) + 96
        }
        return self.nominated.cost + variants + self.searches.reduce(0) { $0 + $1.utf8.count + 48 }
    }
}

extension [CacheEntry.NominatedField] {
    fileprivate var cost: Int { self.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 96 } }
}
