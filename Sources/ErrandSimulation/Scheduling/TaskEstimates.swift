/// The tasks and numbers of steps of the longest run so far, from which some strategies estimate the next run.
///
/// Tasks are matched by their position in the tree of tasks, which is the same in each run of a scenario as long as its
/// tasks start their children in the same order.
struct TaskEstimates: Sendable {
    /// The number of steps of the longest run.
    private(set) var runSteps = 0
    /// The number of tasks of that run.
    var count: Int { self.steps.count }

    // By task of that run.
    private var steps: [Int] = []
    private var totals: [Int] = []

    /// The tasks by parent and ordinal.
    private var children: [Int: Int] = [:]

    /// Records a run; only the longest is kept.
    mutating func note(_ places: TaskPlaces, steps: Int) {
        guard steps > self.runSteps else { return }
        self.runSteps = steps
        self.steps = (0..<places.count).map { places.steps(of: $0) }
        self.totals = self.steps
        self.children.removeAll(keepingCapacity: true)
        // A child comes after its parent.
        for task in (1..<max(places.count, 1)).reversed() {
            self.totals[places.parent(of: task)] += self.totals[task]
            self.children[Self.key(places.parent(of: task), places.ordinal(of: task))] = task
        }
    }

    /// Returns the number of steps of a task.
    func steps(of task: Int) -> Int { self.steps[task] }

    /// Returns the number of steps of a task and its descendants.
    func total(of task: Int) -> Int { self.totals[task] }

    /// Returns the child of a task by its ordinal, or `nil` if the run had none.
    func child(_ ordinal: Int, of parent: Int) -> Int? { self.children[Self.key(parent, ordinal)] }

    private static func key(_ parent: Int, _ ordinal: Int) -> Int { parent << 32 | ordinal }
}

/// The tasks of the current run, matched with those of the estimates.
struct EstimatedTasks: Sendable {
    let estimates: TaskEstimates
    /// For each task seen so far, its match in the estimates, or `nil`.
    private(set) var matches: [Int?] = []

    init(_ estimates: TaskEstimates) {
        self.estimates = estimates
    }

    /// Matches the next unseen task of a tree.
    mutating func append(from places: TaskPlaces) {
        let task = self.matches.count
        if task == TaskTree.root {
            self.matches.append(self.estimates.count > 0 ? TaskTree.root : nil)
        } else {
            let parent = self.matches[places.parent(of: task)]
            self.matches.append(parent.flatMap { self.estimates.child(places.ordinal(of: task), of: $0) })
        }
    }
}
