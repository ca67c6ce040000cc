/// The deadlines of connections, earliest first: a binary heap.
///
/// Only the last timer of a connection is valid; stale entries are skipped, and removed before they outnumber the
/// others.
struct LoopbackTimers {
    private struct Entry {
        let deadline: ContinuousClock.Instant
        let connection: LoopbackConnection
        let ticket: Int

        var counts: Bool { connection.timer == ticket }
    }

    private var heap: [Entry] = []
    private var lastTicket = 0
    private var sweepSize = 64

    /// The earliest deadline.
    var earliest: ContinuousClock.Instant? { heap.first?.deadline }

    /// Sets a connection's timer, which replaces its previous one.
    mutating func set(_ deadline: ContinuousClock.Instant, for connection: LoopbackConnection) {
        lastTicket += 1
        connection.timer = lastTicket
        heap.append(Entry(deadline: deadline, connection: connection, ticket: lastTicket))
        siftUp(heap.count - 1)
        if heap.count > sweepSize { sweep() }
    }

    /// Removes the earliest timer that is due, and returns its connection.
    mutating func removeDue(at now: ContinuousClock.Instant) -> LoopbackConnection? {
        while let first = heap.first, first.deadline <= now || !first.counts {
            removeFirst()
            guard first.counts else { continue }
            first.connection.timer = nil
            return first.connection
        }
        return nil
    }

    // MARK: - Private helpers

    private mutating func sweep() {
        heap = heap.filter(\.counts).sorted { $0.deadline < $1.deadline }
        sweepSize = max(64, heap.count * 2)
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0, heap[child].deadline < heap[(child - 1) / 2].deadline {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2]
            where child < heap.count && heap[child].deadline < heap[least].deadline {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
