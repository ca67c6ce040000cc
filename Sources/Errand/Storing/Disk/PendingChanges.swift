/// What was stored and removed, and is not on the disk yet: for each key only the last.
struct PendingChanges {
    enum Change {
        case entry(CacheEntry)
        /// Somebody is about to remove it.
        case removal
    }

    /// A change of a key; another that comes later has another number.
    struct Pending {
        let key: CacheKey
        let change: Change
        fileprivate let cost: Int
        fileprivate let number: Int
        /// Whether it is on its way to the disk.
        fileprivate var isTaken = false
    }

    /// How many bytes may wait, but for a single entry that is larger.
    private let limit: Int
    private var pending: [CacheKey: Pending] = [:]
    private var bytes = 0
    private var lastNumber = 0

    init(limit: Int) { self.limit = limit }

    /// What the disk will have for a key; `nil` if it has it, or nothing of this key has changed.
    subscript(key: CacheKey) -> Change? { self.pending[key]?.change }

    /// Takes an entry, unless one waits that was asked for later.
    ///
    /// - Returns: Whether there was room for it.
    mutating func add(_ entry: CacheEntry, for key: CacheKey) -> Bool {
        var entry = entry
        switch self[key] {
        case .entry(let known) where !entry.replaces(entryStoredAt: known.storedAt): return true
        // What is on the disk is to go, whenever it was asked for.
        case .removal: entry = entry.with(receivedAt: nil, scope: entry.scope, http: entry.http)
        case .entry, nil: break
        }
        let cost = entry.cost + key.cost
        let others = self.bytes - (self.pending[key]?.cost ?? 0)
        guard others == 0 || others + cost <= self.limit else { return false }
        self.set(.entry(entry), cost, for: key)
        return true
    }

    /// Notes that somebody is about to remove the entry of a key.
    mutating func addRemoval(of key: CacheKey) -> Pending { self.set(.removal, 0, for: key) }

    @discardableResult
    private mutating func set(_ change: Change, _ cost: Int, for key: CacheKey) -> Pending {
        self.lastNumber += 1
        self.bytes += cost - (self.pending[key]?.cost ?? 0)
        let new = Pending(key: key, change: change, cost: cost, number: self.lastNumber)
        self.pending[key] = new
        return new
    }

    /// Returns all entries that wait, in order; they stay what the disk will have until each is ``finish(_:)``ed.
    mutating func takeEntries() -> [Pending] {
        let taken = self.pending.values.filter { if case .entry = $0.change { !$0.isTaken } else { false } }
        for one in taken { self.pending[one.key]?.isTaken = true }
        return taken.sorted { $0.number < $1.number }
    }

    /// A change was carried out, or cannot be.
    mutating func finish(_ change: Pending) {
        guard let present = self.pending[change.key], present.number == change.number else { return }
        self.bytes -= present.cost
        self.pending[change.key] = nil
    }
}
