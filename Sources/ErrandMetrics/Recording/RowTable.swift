/// The row of keys beyond the limit.
let overflowRow = 0

/// Numbers for keys, from 1 up to a limit; all later keys share the number 0.
struct RowTable<Key: Hashable & Sendable>: Sendable {
    private var rows: [Key: Int] = [:]
    /// The keys of the rows from 1.
    private(set) var keys: [Key] = []
    /// The key that was looked up last, and its row: successive requests often end in the same way.
    private var last: (key: Key, row: Int)?
    private let limit: Int

    /// Creates a table with at most the given number of rows, including the overflow row.
    init(limit: Int) {
        self.limit = limit
    }

    /// True if a new key would not get a row of its own.
    var isFull: Bool { self.keys.count + 1 >= self.limit }

    /// Returns the row of a key, which is added if there is a free row.
    mutating func row(of key: Key) -> Int {
        if let last = self.last, last.key == key { return last.row }
        guard let row = self.rows[key] ?? self.add(key) else { return overflowRow }
        self.last = (key, row)
        return row
    }

    private mutating func add(_ key: Key) -> Int? {
        guard !self.isFull else { return nil }
        self.keys.append(key)
        self.rows[key] = self.keys.count
        return self.keys.count
    }

    /// All rows in the order in which they were added, followed by the overflow row, which has no key.
    var all: [(row: Int, key: Key?)] {
        self.keys.enumerated().map { ($0.offset + 1, $0.element) } + [(overflowRow, nil)]
    }
}
