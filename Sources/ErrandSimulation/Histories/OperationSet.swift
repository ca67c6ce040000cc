/// A set of the operations of a history, by their places in it.
struct OperationSet: Hashable {
    private var words: [UInt64]

    /// Creates an empty set for so many operations.
    init(capacity: Int) {
        self.words = [UInt64](repeating: 0, count: (capacity + 63) / 64)
    }

    /// Adds an operation that is not in it.
    mutating func insert(_ operation: Int) {
        self.words[operation >> 6] |= 1 << UInt64(operation & 63)
    }

    /// Removes an operation.
    mutating func remove(_ operation: Int) {
        self.words[operation >> 6] &= ~(1 << UInt64(operation & 63))
    }
}
