/// Where the tasks of a run stand in the tree of tasks, what they are called, and how many steps they have made.
///
/// Each task has an index in the order of first sight; the body's is zero.
struct TaskPlaces: Sendable {
    private(set) var count = 0
    private var parents: [Int] = []
    private var ordinals: [Int] = []
    private var childCounts: [Int] = []
    private var stepCounts: [Int] = []
    private var names: [Int: String] = [:]

    /// Adds a task as the youngest child of another; the first one is the root.
    mutating func append(childOf parent: Int) {
        if self.count == TaskTree.root {
            self.parents.append(-1)
            self.ordinals.append(0)
        } else {
            self.parents.append(parent)
            self.ordinals.append(self.childCounts[parent])
            self.childCounts[parent] += 1
        }
        self.childCounts.append(0)
        self.stepCounts.append(0)
        self.count += 1
    }

    /// Gives a task its name.
    mutating func setName(_ name: String, of task: Int) {
        self.names[task] = name
    }

    /// Returns the name of a task that has one.
    func name(of task: Int) -> String? { self.names[task] }

    /// Returns the place of a task, and its name where it has one.
    func title(of task: Int) -> String {
        self.names[task].map { "\(self.path(of: task)) \"\($0)\"" } ?? self.path(of: task).description
    }

    /// Returns how many jobs have been run for a task.
    func steps(of task: Int) -> Int {
        task < self.count ? self.stepCounts[task] : 0
    }

    /// Counts one more job run for a task.
    mutating func countStep(of task: Int) {
        self.stepCounts[task] += 1
    }

    /// Returns the place of a task.
    ///
    /// - Complexity: O(*depth*).
    func path(of task: Int) -> TaskPath {
        var (ordinals, task) = ([] as [Int], task)
        while task > TaskTree.root {
            ordinals.append(self.ordinals[task])
            task = self.parents[task]
        }
        return TaskPath(ordinals: ordinals.reversed())
    }

    /// Returns the task at a place, or `nil` if there is none yet.
    ///
    /// - Complexity: O(*tasks*).
    func task(at path: TaskPath) -> Int? {
        guard self.count > 0 else { return nil }
        var task = TaskTree.root
        for ordinal in path.ordinals {
            guard let child = self.child(ordinal, of: task) else { return nil }
            task = child
        }
        return task
    }

    // MARK: - Private helpers

    /// A child comes after its parent, and its older siblings.
    private func child(_ ordinal: Int, of parent: Int) -> Int? {
        guard ordinal < self.childCounts[parent] else { return nil }
        return (parent + 1..<self.count).first { self.parents[$0] == parent && self.ordinals[$0] == ordinal }
    }
}
