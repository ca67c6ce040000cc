/// Probabilistic concurrency testing: always runs the task with the highest priority, and changes priorities a few
/// times.
///
/// By Burckhardt, Kothari, Musuvathi and Nagarakatte (2010): each task gets a random priority when it is first seen; at
/// *depth* - 1 random points of the run, the task that ran last falls below all others. A bug that needs *depth*
/// orderings, in a run of *n* tasks and *k* steps, is found with a probability of at least 1/(*n* *k*^(*depth* - 1)).
///
/// A task that has run very often in a row while others were ready falls below them as well: it may be waiting for them
/// in a loop, which would never end.
struct PriorityPolicy: SchedulingPolicy {
    private var priorities: TaskPriorities
    /// The remaining change points, the next one at the end.
    private var changePoints: [Int]

    init(depth: Int, steps: Int, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let steps = max(steps, 1)
        self.changePoints = (1..<max(depth, 1)).map { _ in generator.next(below: steps) }.sorted(by: >)
        self.priorities = TaskPriorities(generator: generator)
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        self.priorities.draw(upTo: tree.count)
        while let next = self.changePoints.last, next <= point.index {
            self.changePoints.removeLast()
            self.priorities.lower(point.last)
        }
        if point.streak >= Scheduler.longestStreak { self.priorities.lower(point.last) }
        return ready.arrival(at: ready.count == 1 ? 0 : self.priorities.highest(among: ready))
    }
}
