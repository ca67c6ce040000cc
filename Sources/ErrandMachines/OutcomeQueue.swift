/// The indexes of available outcomes, in the order in which they are to be read.
package struct OutcomeQueue: ~Copyable {
    package enum Order: Sendable {
        /// In the order of the input; an early outcome waits for the ones before it.
        case input
        /// In the order of completion.
        case completion
    }

    private let order: Order
    private var ended = BinaryHeap<Position>()
    private var nextIndex = 0
    private var endedCount = 0

    private struct Position: Comparable {
        let rank: Int
        let index: Int

        static func < (one: Position, other: Position) -> Bool { one.rank < other.rank }
    }

    package init(_ order: Order) {
        self.order = order
    }

    /// Records that the outcome at this index is available.
    package mutating func append(_ index: Int) {
        let rank =
            switch self.order {
            case .input: index
            case .completion: self.endedCount
            }
        self.endedCount += 1
        self.ended.insert(Position(rank: rank, index: index))
    }

    /// Removes and returns the index to be read next if its outcome is available.
    package mutating func popNext() -> Int? {
        guard let first = self.ended.first, self.order == .completion || first.index == self.nextIndex
        else { return nil }
        self.nextIndex += 1
        return self.ended.popFirst()?.index
    }
}
