/// Changes that are not on the disk yet, only the last one for each key.
struct PendingChanges {
    enum Change {
        case entry(CacheEntry)
        /// The entry is about to be removed.
        case removal
    }

    /// A change of a key.
    ///
    /// A later change has another number.
    struct Pending {
        let key: CacheKey
        let change: Change
        fileprivate let cost: Int
        fileprivate let number: Int
        /// Set once the change is being written.
        fileprivate var isTaken = false
    }

    /// The maximum number of waiting bytes, except for a single larger entry.
    private let limit: Int
    private var pending: [CacheKey: Pending] = [:]
    private var bytes = 0
    private var lastNumber = 0

    init(limit: Int) { self.limit = limit }

    /// The pending change of a key; `nil` if there is none.
    subscript(key: CacheKey) -> Change? { self.pending[key]?.change }

    /// Adds an entry, unless one that was requested later is pending.
    ///
    /// - Returns: False if there was no room for it.
    mutating func add(_ entry: CacheEntry, for key: CacheKey) -> Bool {
        var entry = entry
        switch self[key] {
        case .entry(let known) where !entry.replaces(entryStoredAt: known.storedAt): return true
        // The stored entry is going to be removed, whenever it was requested.
        case .removal: entry = entry.with(receivedAt: nil, scope: entry.scope, http: entry.http)
        case .entry, nil: break
        }
        let cost = entry.cost + key.cost
        let others = self.bytes - (self.pending[key]?.cost ?? 0)
        guard others == 0 || others + cost <= self.limit else { return false }
        self.set(.entry(entry), cost, for: key)
        return true
    }

    /// Adds a pending removal of the entry of a key.
    mutating func addRemoval(of key: CacheKey) -> Pending { self.set(.removal, 0, for: key) }

    @discardableResult
    private mutating func set(_ change: Change, _ cost: Int, for key: CacheKey) -> Pending {
        self.lastNumber += 1
        self.bytes += cost - (self.pending[key]?.cost ?? 0)
        let new = Pending(key: key, change: change, cost: cost, number: self.lastNumber)
        self.pending[key] = new
        return new
    }

    /// Returns all waiting entries in order.
    ///
    /// They remain pending until each is ``finish(_:)``ed.
    mutating func takeEntries() -> [Pending] {
        let taken = self.pending.values.filter { if case .entry = $0.change { !$0.isTaken } else { false } }
        for one in taken { self.pending[one.key]?.isTaken = true }
        return taken.sorted { $0.number < $1.number }
    }

    /// A change was carried out, or failed.
    mutating func finish(_ change: Pending) {
        guard let present = self.pending[change.key], present.number == change.number else { return }
        self.bytes -= present.cost
        self.pending[change.key] = nil
    }
}
