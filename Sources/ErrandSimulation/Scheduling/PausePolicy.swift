/// Always runs the task with the highest priority, and lowers a number of tasks after a step of their own.
///
/// It differs from `PriorityPolicy` in how it draws the change points: first a task, each with the same probability,
/// and then one of its steps. A task of few steps next to one of many is therefore interrupted as often as the long
/// one, which change points drawn from all steps of the run seldom do.
///
/// A task that has run very often in a row while others were ready falls below them as well.
struct PausePolicy: SchedulingPolicy {
    private struct Pause {
        /// The task among those of the estimates.
        let task: Int
        let steps: Int
    }

    private var priorities: TaskPriorities
    private var tasks: EstimatedTasks
    private var pauses: [Pause]

    init(count: Int, estimates: TaskEstimates, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let total = estimates.count
        self.pauses = (0..<(total > 0 ? max(count, 0) : 0)).map { _ in
            let task = generator.next(below: total)
            return Pause(task: task, steps: generator.next(below: max(estimates.steps(of: task), 1)) + 1)
        }
        self.tasks = EstimatedTasks(estimates)
        self.priorities = TaskPriorities(generator: generator)
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        while self.tasks.matches.count < tree.count { self.tasks.append(from: tree.places) }
        self.priorities.draw(upTo: tree.count)
        if self.isDue(after: tree.places.steps(of: point.last), of: point.last) { self.priorities.lower(point.last) }
        if point.streak >= Scheduler.longestStreak { self.priorities.lower(point.last) }
        return ready.arrival(at: ready.count == 1 ? 0 : self.priorities.highest(among: ready))
    }

    /// Returns whether a task is to be lowered after the given number of its steps; each pause is used once.
    private mutating func isDue(after steps: Int, of task: Int) -> Bool {
        guard !self.pauses.isEmpty, let match = self.tasks.matches[task],
            let index = self.pauses.firstIndex(where: { $0.task == match && $0.steps == steps })
        else { return false }
        self.pauses.remove(at: index)
        return true
    }
}
