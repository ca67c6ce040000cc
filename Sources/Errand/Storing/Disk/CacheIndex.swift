/// What is known of the entry files in a folder: their sizes and times, without a look at the disk.
struct CacheIndex {
    /// Times are in seconds since 1970.
    struct Entry {
        let size: Int
        let storedAt: Double
        var lastUse: Double

        init(size: Int, storedAt: Double, lastUse: Double) {
            (self.size, self.storedAt, self.lastUse) = (size, storedAt, lastUse)
        }

        init(_ facts: FileFacts) {
            self.init(size: facts.size, storedAt: facts.modified, lastUse: facts.lastUse)
        }
    }

    private var entries: [SHA256: Entry] = [:]
    private(set) var bytes = 0

    var count: Int { self.entries.count }
    var digests: [SHA256] { Array(self.entries.keys) }

    subscript(digest: SHA256) -> Entry? {
        get { self.entries[digest] }
        set {
            let old = self.entries[digest]
            self.entries[digest] = newValue
            self.bytes += (newValue?.size ?? 0) - (old?.size ?? 0)
        }
    }

    /// Takes note of a later use.
    ///
    /// - Returns: Whether there is such an entry.
    @discardableResult
    mutating func use(_ digest: SHA256, at time: Double) -> Bool {
        guard let position = self.entries.index(forKey: digest) else { return false }
        self.entries.values[position].lastUse = max(time, self.entries.values[position].lastUse)
        return true
    }

    /// All entries, the one that was not used for longest first.
    ///
    /// - Complexity: O(*n* log *n*).
    var leastRecentlyUsed: [(key: SHA256, value: Entry)] {
        self.entries.sorted { $0.value.lastUse < $1.value.lastUse }
    }

    /// The entries that were stored before a time.
    ///
    /// - Complexity: Linear in the number of entries.
    func stored(before time: Double) -> [SHA256] {
        self.entries.filter { $0.value.storedAt < time }.map(\.key)
    }
}
