/// Chooses at random, and estimates the number of schedules from the numbers of choices (Knuth, 1975).
struct ProbePolicy: SchedulingPolicy {
    private var generator: SplitMix64
    /// The product of the numbers of choices: the mean over many probes is the number of schedules.
    private(set) var product = 1.0

    init(seed: UInt64) {
        self.generator = SplitMix64(seed: SplitMix64.mix(seed ^ 0x0E57_133A))
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        let count = ready.count
        self.product *= Double(count)
        return ready.arrival(at: count == 1 ? 0 : self.generator.next(below: count))
    }
}
