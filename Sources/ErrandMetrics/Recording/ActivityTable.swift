internal import Errand
internal import ErrandLocks

/// The notes on all activities in flight, sharded with a lock per shard, so that requests seldom contend.
struct ActivityTable: Sendable {
    private struct Content {
        var notes: [RequestID: ActivityNotes] = [:]
        /// The rows of recently seen origins, so that most requests need not look them up elsewhere.
        var rows: [OriginKey: Int] = [:]
    }

    private final class Part: Sendable {
        let content = Locked(Content())
    }

    private static let partCount = 16
    private static let rowLimit = 128
    private let parts: [Part]

    init() {
        self.parts = (0..<Self.partCount).map { _ in Part() }
    }

    /// Starts notes on a request, unless it has some already.
    ///
    /// - Returns: `false` if the row of its origin has to be looked up.
    func insertRequest(_ id: RequestID, from key: OriginKey) -> Bool {
        self.part(of: id).content.withLock { content in
            guard let row = content.rows[key] else { return false }
            content.notes.insert(ActivityNotes(.request, origin: row), for: id)
            return true
        }
    }

    /// Starts notes on a request whose origin has a row, unless it has some already.
    func insertRequest(_ id: RequestID, from key: OriginKey, row: Int) {
        self.part(of: id).content.withLock { content in
            // Entries that are still in use are added again.
            if content.rows.count >= Self.rowLimit { content.rows.removeAll(keepingCapacity: true) }
            content.rows[key] = row
            content.notes.insert(ActivityNotes(.request, origin: row), for: id)
        }
    }

    /// Starts notes on a batch or a chain, unless it has some already.
    func insertCoordinator(_ id: RequestID, _ kind: RequestActivity.Kind) {
        self.part(of: id).content.withLock {
            $0.notes.insert(ActivityNotes(kind, origin: overflowRow), for: id)
        }
    }

    /// Removes and returns the notes on an activity; returns `nil` if it has none.
    func remove(_ id: RequestID) -> ActivityNotes? {
        self.part(of: id).content.withLock { content in
            let notes = content.notes.removeValue(forKey: id)
            // A dictionary does not shrink by itself.
            if content.notes.isEmpty, content.notes.capacity > 1024 { content.notes = [:] }
            return notes
        }
    }

    /// Changes the notes; ignored for an activity that has ended or was never noted, since a transport may report late.
    func change<Answer: Sendable>(_ id: RequestID, _ change: (inout ActivityNotes) -> Answer?) -> (Int, Answer)? {
        self.part(of: id).content.withLock { content -> (Int, Answer)? in
            guard let index = content.notes.index(forKey: id) else { return nil }
            guard let answer = change(&content.notes.values[index]) else { return nil }
            return (content.notes.values[index].origin, answer)
        }
    }

    /// The number of activities with notes.
    var count: Int {
        self.parts.reduce(0) { $0 + $1.content.withLock { $0.notes.count } }
    }

    /// The number of activities in flight.
    var inFlight: InFlight {
        var inFlight = InFlight()
        for part in self.parts {
            part.content.withLock { content in
                for notes in content.notes.values { inFlight.count(notes) }
            }
        }
        return inFlight
    }

    private func part(of id: RequestID) -> Part {
        // Ids are sequential.
        self.parts[Int(truncatingIfNeeded: id.rawValue) & (Self.partCount - 1)]
    }
}

/// The numbers of activities in flight.
struct InFlight: Sendable {
    /// Requests by the row of their origin.
    private(set) var requests: [Int: Int] = [:]
    /// Waiting requests by row.
    private(set) var waiting: [Int: Int] = [:]
    /// Suspended requests by row.
    private(set) var suspended: [Int: Int] = [:]
    private(set) var batches = 0
    private(set) var chains = 0

    fileprivate mutating func count(_ notes: ActivityNotes) {
        switch notes.kind {
        case .batch: self.batches += 1
        case .chain: self.chains += 1
        case .request:
            self.requests[notes.origin, default: 0] += 1
            if notes.isWaiting { self.waiting[notes.origin, default: 0] += 1 }
            if notes.isSuspended { self.suspended[notes.origin, default: 0] += 1 }
        }
    }
}

extension [RequestID: ActivityNotes] {
    /// Inserts notes, unless there are some already.
    fileprivate mutating func insert(_ notes: ActivityNotes, for id: RequestID) {
        if let earlier = self.updateValue(notes, forKey: id) { self[id] = earlier }
    }
}
