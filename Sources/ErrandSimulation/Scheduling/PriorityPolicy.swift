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
    private var generator: SplitMix64
    private var priorities: [Int] = []
    /// The remaining change points, the next one at the end.
    private var changePoints: [Int]
    /// The lowest priority so far; initial priorities are not negative.
    private var lowest = 0

    init(depth: Int, steps: Int, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let steps = max(steps, 1)
        self.changePoints = (1..<max(depth, 1)).map { _ in generator.next(below: steps) }.sorted(by: >)
        self.generator = generator
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        while self.priorities.count < tree.count {
            self.priorities.append(Int(truncatingIfNeeded: self.generator.next() >> 2))
        }
        while let next = self.changePoints.last, next <= point.index {
            self.changePoints.removeLast()
            self.lower(point.last)
        }
        if point.streak >= Scheduler.longestStreak { self.lower(point.last) }
        return ready.arrival(at: ready.count == 1 ? 0 : self.highest(among: ready))
    }

    // MARK: - Private helpers

    private mutating func lower(_ task: Int) {
        self.lowest -= 1
        self.priorities[task] = self.lowest
    }

    /// Returns the position of a job of the task with the highest priority, at random if it has several.
    ///
    /// The jobs of a task may be those of actors that it has woken, with other tasks' calls waiting for them: they need
    /// not run in the order in which they arrived.
    private mutating func highest(among ready: borrowing ReadyJobs) -> Int {
        var (highest, equals) = (0, 1)
        for position in 1..<ready.count {
            let (task, best) = (ready.task(at: position), ready.task(at: highest))
            if task == best {
                equals += 1
                if self.generator.next(below: equals) == 0 { highest = position }
            } else if self.priorities[task] > self.priorities[best] {
                (highest, equals) = (position, 1)
            }
        }
        return highest
    }
}
