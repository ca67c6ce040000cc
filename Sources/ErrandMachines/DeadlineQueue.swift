/// Deadlines of many pieces of work, and the one moment their shared timer has to wake up for.
///
/// Setting and clearing a deadline take (amortised) constant time when deadlines are set in the order in which they
/// fall due, which is the rule; a cleared deadline stays in the heap until half of the heap is dead, then all dead
/// ones are dropped at once. One that is postponed keeps its place in the heap, and moves when it gets to the top.
package struct DeadlineQueue: ~Copyable, Sendable {
    package typealias Key = SlotKey

    private struct Entry: Comparable {
        let due: Duration
        let key: Key

        static func < (one: Entry, other: Entry) -> Bool { one.due < other.due }
    }

    /// When each deadline falls due; its entry in the heap may say an earlier moment, but never a later one.
    private var moments = SlotArena<Duration>()
    private var heap = BinaryHeap<Entry>()

    package init() {}

    /// How many deadlines are set.
    package var count: Int { self.moments.count }

    /// How many entries the heap holds, dead ones included.
    package var heapCount: Int { self.heap.count }

    /// Sets a deadline, in time since the owner's epoch.
    package mutating func set(due: Duration) -> Key {
        let key = self.moments.insert(due)
        self.heap.insert(Entry(due: due, key: key))
        return key
    }

    /// Clears a deadline, and tells whether it was set; late, when it fell due before, it does nothing.
    @discardableResult
    package mutating func clear(_ key: Key) -> Bool {
        guard self.moments.remove(key) != nil else { return false }
        self.dropDeadEntriesIfMany()
        return true
    }

    /// Moves a deadline to a later moment; does nothing for an earlier one, or when it was cleared or fell due before.
    package mutating func postpone(_ key: Key, to due: Duration) {
        guard let present = self.moments[key], present < due else { return }
        self.moments[key] = due
    }

    private mutating func dropDeadEntriesIfMany() {
        guard self.heap.count > 2 * self.moments.count + 32 else { return }
        var live = BinaryHeap<Entry>()
        swap(&live, &self.heap)
        live.keep { self.moments.contains($0.key) }
        swap(&live, &self.heap)
    }

    /// The moment of the earliest deadline that is set.
    package mutating func earliest() -> Duration? {
        while let first = self.heap.first {
            let due = self.moments[first.key]
            if due == first.due { return due }
            self.replaceFirst(by: due)
        }
        return nil
    }

    /// Removes and answers one deadline that has fallen due, earliest first.
    package mutating func popDue(now: Duration) -> Key? {
        while let first = self.heap.first, first.due <= now {
            let due = self.moments[first.key]
            guard due == first.due else {
                self.replaceFirst(by: due)
                continue
            }
            _ = self.heap.popFirst()
            _ = self.moments.remove(first.key)
            self.dropDeadEntriesIfMany()
            return first.key
        }
        return nil
    }

    /// Moves the first entry to where it belongs by now, or drops it if its deadline is gone.
    private mutating func replaceFirst(by due: Duration?) {
        guard let first = self.heap.popFirst(), let due else { return }
        self.heap.insert(Entry(due: due, key: first.key))
    }
}
