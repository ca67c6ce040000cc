/// Follows the default order with a probability, and otherwise chooses any of the ready jobs.
struct StickyPolicy: SchedulingPolicy {
    private let percent: Int
    private var generator: SplitMix64

    init(percent: Int, seed: UInt64) {
        self.percent = percent
        self.generator = SplitMix64(seed: seed)
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        let count = ready.count
        if count == 1 || self.generator.next(below: 100) < self.percent { return point.standard }
        return ready.arrival(at: self.generator.next(below: count))
    }
}
