/// Chooses any of the ready jobs with equal probability.
struct RandomPolicy: SchedulingPolicy {
    private var generator: SplitMix64

    init(seed: UInt64) {
        self.generator = SplitMix64(seed: seed)
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        let count = ready.count
        return ready.arrival(at: count == 1 ? 0 : self.generator.next(below: count))
    }
}
