/// The deadlines of many pieces of work, and the moment for which their shared timer must be set.
///
/// Setting and clearing a deadline takes amortized constant time if deadlines are set in the order in which they
/// expire, which is the common case. A cleared deadline stays in the heap until half of the heap is dead; then all dead
/// entries are dropped at once.
package struct DeadlineQueue: ~Copyable, Sendable {
    package typealias Key = SlotKey

    private struct Entry: Comparable {
        let due: Duration
        let key: Key

        static func < (one: Entry, other: Entry) -> Bool { one.due < other.due }
    }

    /// The deadlines that are set.
    ///
    /// Heap entries without a key in here are dead.
    private var live = SlotArena<Void>()
    private var heap = BinaryHeap<Entry>()

    package init() {}

    /// The number of deadlines that are set.
    package var count: Int { self.live.count }

    /// The number of heap entries, including dead ones.
    package var heapCount: Int { self.heap.count }

    /// Sets a deadline, as the time since the owner's epoch.
    package mutating func set(due: Duration) -> Key {
        let key = self.live.insert(())
        self.heap.insert(Entry(due: due, key: key))
        return key
    }

    /// Clears a deadline; returns false without an effect if it has expired or was cleared before.
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

    /// The time of the earliest deadline that is set.
    package mutating func earliest() -> Duration? {
        while let first = self.heap.first {
            if self.live.contains(first.key) { return first.due }
            _ = self.heap.popFirst()
        }
        return nil
    }

    /// Removes and returns one expired deadline, earliest first.
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
