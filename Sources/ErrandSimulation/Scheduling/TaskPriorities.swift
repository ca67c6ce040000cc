/// Random priorities of tasks, which can be lowered.
struct TaskPriorities {
    var generator: SplitMix64
    private var priorities: [Int] = []
    /// The lowest priority so far; initial priorities are not negative.
    private var lowest = 0

    init(generator: SplitMix64) {
        self.generator = generator
    }

    /// Draws the priorities of the tasks that have none.
    mutating func draw(upTo count: Int) {
        while self.priorities.count < count {
            self.priorities.append(Int(truncatingIfNeeded: self.generator.next() >> 2))
        }
    }

    /// Puts a task below all others.
    mutating func lower(_ task: Int) {
        self.lowest -= 1
        self.priorities[task] = self.lowest
    }

    /// Returns the position of a job of the task with the highest priority, at random if it has several.
    ///
    /// The jobs of a task may be those of actors that it has woken, with other tasks' calls waiting for them: they need
    /// not run in the order in which they arrived.
    mutating func highest(among ready: borrowing ReadyJobs) -> Int {
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
