/// The tree of tasks of a run, with their names and numbers of steps.
///
/// Tasks have indices in the order in which they were first seen; the body's is zero.
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

    mutating func setName(_ name: String, of task: Int) {
        self.names[task] = name
    }

    /// Returns the name of a task, if it has one.
    func name(of task: Int) -> String? { self.names[task] }

    /// Returns the position of a task, with its name if it has one.
    func title(of task: Int) -> String {
        self.names[task].map { "\(self.path(of: task)) \"\($0)\"" } ?? self.path(of: task).description
    }

    /// Returns the task that started a task other than the root.
    func parent(of task: Int) -> Int { self.parents[task] }

    /// Returns the number of a task among its siblings, from 0.
    func ordinal(of task: Int) -> Int { self.ordinals[task] }

    /// Returns the number of jobs that have been run for a task.
    func steps(of task: Int) -> Int {
        task < self.count ? self.stepCounts[task] : 0
    }

    /// Counts one more job run for a task.
    mutating func countStep(of task: Int) {
        self.stepCounts[task] += 1
    }

    /// Returns the position of a task.
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

    /// Returns the task at a position, or `nil` if there is none yet.
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

    /// Searches forward, since a child comes after its parent and its older siblings.
    private func child(_ ordinal: Int, of parent: Int) -> Int? {
        guard ordinal < self.childCounts[parent] else { return nil }
        return (parent + 1..<self.count).first { self.parents[$0] == parent && self.ordinals[$0] == ordinal }
    }
}
