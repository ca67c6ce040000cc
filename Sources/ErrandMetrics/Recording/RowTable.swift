/// The row of what has none of its own.
let overflowRow = 0

/// Numbers for keys, from 1 and up to a limit; 0 is the number of everything that comes after.
struct RowTable<Key: Hashable & Sendable>: Sendable {
    private var rows: [Key: Int] = [:]
    /// The keys of the rows from 1.
    private(set) var keys: [Key] = []
    /// The key that was asked for last, and its row: many requests in a row end in the same way.
    private var last: (key: Key, row: Int)?
    private let limit: Int

    /// Creates a table with so many rows at most, the one for the rest among them.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a key that is not there would get no row of its own.
    var isFull: Bool { self.keys.count + 1 >= self.limit }

    /// The row of a key, which gets one if there is one left.
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

    /// All rows in the order in which they were taken, and the one for the rest last, without a key.
    var all: [(row: Int, key: Key?)] {
        self.keys.enumerated().map { ($0.offset + 1, $0.element) } + [(overflowRow, nil)]
    }
}
