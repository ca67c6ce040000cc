/// A uniform random walk: chooses a task with a probability proportional to the number of its remaining steps.
///
/// By Zhao, Wolff, Mathur and Roychoudhury (2025), without their selection of events. If all tasks had the estimated
/// numbers of steps and never waited for each other, every interleaving would have the same probability. The steps of
/// children that a task has not started yet count as its own. A task that has made all its estimated steps, or that the
/// estimates lack, counts as one that has one step left.
struct WeightedPolicy: SchedulingPolicy {
    private var generator: SplitMix64
    private var tasks: EstimatedTasks
    /// For each task, its remaining steps and those of its future descendants.
    private var remaining: [Int] = []
    /// For each position, the sum of the weights up to it.
    private var sums: [Int] = []

    init(estimates: TaskEstimates, seed: UInt64) {
        self.generator = SplitMix64(seed: seed)
        self.tasks = EstimatedTasks(estimates)
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        while self.remaining.count < tree.count { self.append(from: tree.places) }
        let arrival = ready.arrival(at: ready.count == 1 ? 0 : self.position(among: ready))
        self.remaining[ready.task(of: arrival)] -= 1
        return arrival
    }

    // MARK: - Private helpers

    private mutating func append(from places: TaskPlaces) {
        let task = self.remaining.count
        self.tasks.append(from: places)
        let total = self.tasks.matches[task].map { self.tasks.estimates.total(of: $0) } ?? 0
        self.remaining.append(total)
        if task != TaskTree.root { self.remaining[places.parent(of: task)] -= total }
    }

    private mutating func position(among ready: borrowing ReadyJobs) -> Int {
        var sum = 0
        self.sums.removeAll(keepingCapacity: true)
        for position in 0..<ready.count {
            sum += max(self.remaining[ready.task(at: position)], 1)
            self.sums.append(sum)
        }
        let drawn = self.generator.next(below: sum)
        return self.sums.firstIndex { drawn < $0 } ?? 0
    }
}
