internal import ErrandMachines

/// The positions of outcomes that are there, in the order in which they are to be read.
struct OutcomeQueue: ~Copyable {
    private var ended = BinaryHeap<Position>()
    private var nextIndex = 0
    private var endedCount = 0

    private struct Position: Comparable {
        let rank: Int
        let index: Int

        static func < (one: Position, other: Position) -> Bool { one.rank < other.rank }
    }

    mutating func append(_ index: Int, _ order: OutcomeOrder) {
        let rank =
            switch order {
            case .input: index
            case .completion: self.endedCount
            }
        self.endedCount += 1
        self.ended.insert(Position(rank: rank, index: index))
    }

    /// Removes and answers the position that is to be read next, if its outcome is there.
    mutating func popNext(_ order: OutcomeOrder) -> Int? {
        guard let first = self.ended.first, order == .completion || first.index == self.nextIndex else { return nil }
        self.nextIndex += 1
        return self.ended.popFirst()?.index
    }
}
