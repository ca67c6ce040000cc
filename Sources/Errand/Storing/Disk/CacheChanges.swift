/// What was stored and removed, and is not on the disk yet: in order, and for each key only the last.
struct CacheChanges {
    enum Change {
        case entry(CacheEntry)
        case removal

        var isRemoval: Bool {
            if case .removal = self { true } else { false }
        }
    }

    /// A change that is on its way to the disk.
    struct Waiting {
        let key: CacheKey
        let change: Change
        let number: UInt64
    }

    private struct Pending {
        let change: Change
        let cost: Int
        let number: UInt64
        /// Whether the key is in the queue; it is not while its change is on its way to the disk.
        var isQueued: Bool
    }

    private let limit: Int
    private var pending: [CacheKey: Pending] = [:]
    private var queue: [(key: CacheKey, number: UInt64)] = []
    private var queueStart = 0
    private var bytes = 0
    private(set) var lastNumber: UInt64 = 0

    /// - Parameter limit: How many bytes may wait, but for a single entry that is larger.
    init(limit: Int) {
        self.limit = limit
    }

    /// What the disk will have for a key; `nil` if it has it, or nothing of this key has changed.
    subscript(key: CacheKey) -> Change? { self.pending[key]?.change }

    /// Whether there is something in the queue.
    var isWaiting: Bool { self.queueStart < self.queue.count }

    /// How many changes are not on the disk yet.
    var count: Int { self.pending.count }

    /// Takes a change; an entry that does not fit becomes a removal, for the older one is not to be served.
    ///
    /// One that would replace an entry that was asked for later is passed over.
    ///
    /// - Returns: Whether it was not too much.
    @discardableResult
    mutating func add(_ change: Change, for key: CacheKey) -> Bool {
        let old = self.pending[key]
        if case .entry(let entry) = change, case .entry(let known) = old?.change,
            !entry.replaces(entryStoredAt: known.storedAt)
        {
            return true
        }
        self.bytes -= old?.cost ?? 0
        var (change, cost, fits) = (change, 0, true)
        if case .entry(let entry) = change {
            cost = entry.cost + key.cost
            if self.bytes > 0, self.bytes + cost > self.limit {
                (change, cost, fits) = (.removal, 0, false)
            }
        }
        self.bytes += cost
        self.lastNumber += 1
        self.pending[key] = Pending(change: change, cost: cost, number: self.lastNumber, isQueued: true)
        if old?.isQueued != true { self.queue.append((key, self.lastNumber)) }
        return fits
    }

    /// Takes the next change out of the queue, if it was queued up to a number; it stays the response for its key until
    /// ``finish(_:_:)``.
    mutating func next(upTo number: UInt64) -> Waiting? {
        guard self.queueStart < self.queue.count, self.queue[self.queueStart].number <= number else {
            self.dropTaken()
            return nil
        }
        let key = self.queue[self.queueStart].key
        self.queueStart += 1
        if self.queueStart > 1024, self.queueStart > self.queue.count / 2 { self.dropTaken() }
        guard let pending = self.pending[key] else { return self.next(upTo: number) }
        self.pending[key]?.isQueued = false
        return Waiting(key: key, change: pending.change, number: pending.number)
    }

    /// A change was carried out, or cannot be.
    mutating func finish(_ key: CacheKey, _ number: UInt64) {
        guard let pending = self.pending[key], pending.number == number else { return }
        self.bytes -= pending.cost
        self.pending[key] = nil
    }

    private mutating func dropTaken() {
        self.queue.removeFirst(self.queueStart)
        self.queueStart = 0
    }
}
