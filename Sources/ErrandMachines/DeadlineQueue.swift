/// Deadlines of many pieces of work, and the one moment their shared timer has to wake up for.
///
/// Setting and clearing a deadline take (amortised) constant time when deadlines are set in the order in which they
/// fall due, which is the rule; a cleared deadline stays in the heap until half of the heap is dead, then all dead
/// ones are dropped at once.
package struct DeadlineQueue: ~Copyable, Sendable {
    package typealias Key = SlotKey

    private struct Entry: Comparable {
        let due: Duration
        let key: Key

        static func < (one: Entry, other: Entry) -> Bool { one.due < other.due }
    }

    /// Those that are set: what is in the heap and not here is dead.
    private var live = SlotArena<Void>()
    private var heap = BinaryHeap<Entry>()

    package init() {}

    /// How many deadlines are set.
    package var count: Int { self.live.count }

    /// How many entries the heap holds, dead ones included.
    package var heapCount: Int { self.heap.count }

    /// Sets a deadline, in time since the owner's epoch.
    package mutating func set(due: Duration) -> Key {
        let key = self.live.insert(())
        self.heap.insert(Entry(due: due, key: key))
        return key
    }

    /// Clears a deadline, and tells whether it was set; late, when it fell due before, it does nothing.
    @discardableResult
    package mutating func clear(_ key: Key) -> Bool {
        guard self.live.remove(key) != nil else { return false }
        self.dropDeadEntriesIfMany()
        return true
    }

    private mutating func dropDeadEntriesIfMany() {
        guard self.heap.count > 2 * self.live.count + 32 else { return }
        var heap = BinaryHeap<Entry>()
        swap(&heap, &self.heap)
        heap.keep { self.live.contains($0.key) }
        swap(&heap, &self.heap)
    }

    /// The moment of the earliest deadline that is set.
    package mutating func earliest() -> Duration? {
        while let first = self.heap.first {
            if self.live.contains(first.key) { return first.due }
            _ = self.heap.popFirst()
        }
        return nil
    }

    /// Removes and answers one deadline that has fallen due, earliest first.
    package mutating func popDue(now: Duration) -> Key? {
        while let first = self.heap.first, first.due <= now {
            _ = self.heap.popFirst()
            guard self.live.remove(first.key) != nil else { continue }
            self.dropDeadEntriesIfMany()
            return first.key
        }
        return nil
    }
}
