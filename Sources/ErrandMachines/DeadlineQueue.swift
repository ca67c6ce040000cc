/// Deadlines of many pieces of work, and the one moment their shared timer has to wake up for.
///
/// Setting and clearing a deadline take (amortised) constant time when deadlines are set in the order in which they
/// fall due, which is the rule; a cleared deadline stays in the heap until half of the heap is dead, then all dead
/// ones are dropped at once.
package struct DeadlineQueue<Payload>: ~Copyable {
    package typealias Key = SlotArena<Payload>.Key

    private struct Entry: Comparable {
        let due: Duration
        let key: Key

        static func < (one: Entry, other: Entry) -> Bool { one.due < other.due }
    }

    private var payloads = SlotArena<Payload>()
    private var heap = BinaryHeap<Entry>()

    package init() {}

    /// How many deadlines are set.
    package var count: Int { self.payloads.count }

    /// How many entries the heap holds, dead ones included.
    package var heapCount: Int { self.heap.count }

    /// Sets a deadline, in time since the owner's epoch.
    package mutating func set(due: Duration, _ payload: Payload) -> Key {
        let key = self.payloads.insert(payload)
        self.heap.insert(Entry(due: due, key: key))
        return key
    }

    /// Clears a deadline; late, when it fell due before, it does nothing.
    package mutating func clear(_ key: Key) {
        guard self.payloads.remove(key) != nil else { return }
        if self.heap.count > 2 * self.payloads.count + 32 {
            self.dropDeadEntries()
        }
    }

    private mutating func dropDeadEntries() {
        var live = BinaryHeap<Entry>()
        swap(&live, &self.heap)
        live.keep { self.payloads.contains($0.key) }
        swap(&live, &self.heap)
    }

    /// The moment of the earliest deadline that is set.
    package mutating func earliest() -> Duration? {
        while let first = self.heap.first {
            if self.payloads.contains(first.key) { return first.due }
            _ = self.heap.popFirst()
        }
        return nil
    }

    /// Removes and answers one deadline that has fallen due, earliest first.
    package mutating func popDue(now: Duration) -> Payload? {
        while let first = self.heap.first, first.due <= now {
            _ = self.heap.popFirst()
            if let payload = self.payloads.remove(first.key) { return payload }
        }
        return nil
    }
}

extension DeadlineQueue: Sendable where Payload: Sendable {}
