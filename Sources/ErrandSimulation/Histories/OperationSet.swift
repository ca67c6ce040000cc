/// A set of operations of a history, by index.
struct OperationSet: Hashable {
    private var words: [UInt64]

    /// Creates an empty set for the given number of operations.
    init(capacity: Int) {
        self.words = [UInt64](repeating: 0, count: (capacity + 63) / 64)
    }

    /// Adds an operation that is not in the set.
    mutating func insert(_ operation: Int) {
        self.words[operation >> 6] |= 1 << UInt64(operation & 63)
    }

    mutating func remove(_ operation: Int) {
        self.words[operation >> 6] &= ~(1 << UInt64(operation & 63))
    }
}
