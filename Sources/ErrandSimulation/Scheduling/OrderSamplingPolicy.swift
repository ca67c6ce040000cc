/// Partial order sampling: gives each job a random priority when it becomes ready, and runs the job with the highest.
///
/// By Yuan, Yang and Gu (2018). The original also draws a new priority for each ready operation that conflicts with the
/// one that was run. The runtime does not report which actor a task will call, so conflicts are unknown here: a job
/// keeps its priority until it is run, as in the paper's basic variant. The priorities of a task's steps are
/// independent, because each step is a new job.
///
/// A job that has waited for very long gets a new priority: the others may be waiting for it in a loop.
struct OrderSamplingPolicy: SchedulingPolicy {
    private var generator: SplitMix64

    // By arrival.
    private var priorities: [Int] = []
    private var drawn: [Int] = []

    init(seed: UInt64) {
        self.generator = SplitMix64(seed: seed)
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        if ready.count == 1 { return ready.arrival(at: 0) }
        var (best, highest) = (0, Int.min)
        for position in 0..<ready.count {
            let arrival = ready.arrival(at: position)
            let priority = self.priority(of: arrival, at: point.index)
            if priority > highest { (best, highest) = (arrival, priority) }
        }
        return best
    }

    private mutating func priority(of arrival: Int, at index: Int) -> Int {
        while self.priorities.count <= arrival {
            self.priorities.append(self.draw())
            self.drawn.append(index)
        }
        if index - self.drawn[arrival] > Scheduler.longestStreak {
            self.priorities[arrival] = self.draw()
            self.drawn[arrival] = index
        }
        return self.priorities[arrival]
    }

    private mutating func draw() -> Int { Int(truncatingIfNeeded: self.generator.next() >> 2) }
}
