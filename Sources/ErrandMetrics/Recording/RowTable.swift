/// The row of what has none of its own.
let overflowRow = 0

/// Numbers for keys, from 1 and up to a limit; 0 is the number of everything that comes after.
struct RowTable<Key: Hashable & Sendable>: Sendable {
    private var rows: [Key: Int] = [:]
    /// The keys of the rows from 1.
    private(set) var keys: [Key] = []
    private let limit: Int

    /// Creates a table with so many rows at most, the one for the rest among them.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a key that is not there would get no row of its own.
    var isFull: Bool { self.keys.count + 1 >= self.limit }

    /// The row of a key, which gets one if there is one left.
    mutating func row(of key: Key) -> Int {
        if let row = self.rows[key] { return row }
        guard !self.isFull else { return overflowRow }
        self.keys.append(key)
        self.rows[key] = self.keys.count
        return self.keys.count
    }

    /// All rows in the order in which they were taken, and the one for the rest last, without a key.
    var all: [(row: Int, key: Key?)] {
        self.keys.enumerated().map { ($0.offset + 1, $0.element) } + [(overflowRow, nil)]
    }
}
