/// What is known of the entry files in a folder: their sizes and last uses, without a look at the disk.
struct CacheIndex {
    struct Entry {
        let size: Int
        /// In seconds since 1970.
        let lastUse: Double
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

    /// All entries, the one that was not used for longest first.
    ///
    /// - Complexity: O(*n* log *n*).
    var leastRecentlyUsed: [(key: SHA256, value: Entry)] {
        self.entries.sorted { $0.value.lastUse < $1.value.lastUse }
    }
}
