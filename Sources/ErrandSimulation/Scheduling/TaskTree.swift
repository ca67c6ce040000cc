/// The tasks of a run by the runtime's ids and by their position in the tree of tasks, with the body at its root.
///
/// It is a hash table with open addressing, in arrays of numbers that are never copied: those are fast in a debug
/// build, and the tree is used at every step.
struct TaskTree: ~Copyable {
    /// The index of the body.
    static let root = 0

    /// The positions of the tasks.
    private(set) var places = TaskPlaces()

    // The runtime's ids, which are never zero, and the indices of their tasks.
    private var keys = [Int](repeating: 0, count: 64)
    private var values = [Int](repeating: 0, count: 64)
    private var mask = 63

    /// The number of tasks.
    var count: Int { self.places.count }

    /// Returns the index of a task; a new task becomes a child of the given parent.
    mutating func index(ofTask id: UInt64, orChildOf parent: Int) -> (index: Int, isNew: Bool) {
        let key = Int(truncatingIfNeeded: id)
        let slot = self.slot(of: key)
        if self.keys[slot] == key { return (self.values[slot], false) }
        let index = self.count
        self.keys[slot] = key
        self.values[slot] = index
        if index * 2 > self.mask { self.grow() }
        self.places.append(childOf: parent)
        return (index, true)
    }

    mutating func setName(_ name: String, of task: Int) {
        self.places.setName(name, of: task)
    }

    /// Counts one more job run for a task.
    mutating func countStep(of task: Int) {
        self.places.countStep(of: task)
    }

    // MARK: - Private helpers

    /// The slot that holds the key, or the empty one where it belongs; the runtime numbers its tasks sequentially, so
    /// collisions are rare.
    private func slot(of key: Int) -> Int {
        var slot = key & self.mask
        while true {
            let found = self.keys[slot]
            if found == key || found == 0 { return slot }
            slot = (slot + 1) & self.mask
        }
    }

    private mutating func grow() {
        let (oldKeys, oldValues) = (self.keys, self.values)
        self.keys = [Int](repeating: 0, count: oldKeys.count * 2)
        self.values = [Int](repeating: 0, count: oldKeys.count * 2)
        self.mask = self.keys.count - 1
        for (key, value) in zip(oldKeys, oldValues) where key != 0 {
            let slot = self.slot(of: key)
            self.keys[slot] = key
            self.values[slot] = value
        }
    }
}
