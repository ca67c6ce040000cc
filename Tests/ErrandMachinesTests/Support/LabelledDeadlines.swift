import ErrandMachines

/// A deadline queue whose keys stand for values, so that tests can speak of those.
struct LabelledDeadlines<Label>: ~Copyable {
    typealias Key = DeadlineQueue.Key

    private var queue = DeadlineQueue()
    private var labels: [Key: Label] = [:]

    var count: Int { self.queue.count }
    var heapCount: Int { self.queue.heapCount }

    mutating func set(due: Duration, _ label: Label) -> Key {
        let key = self.queue.set(due: due)
        self.labels[key] = label
        return key
    }

    mutating func clear(_ key: Key) {
        if self.queue.clear(key) { self.labels[key] = nil }
    }

    mutating func earliest() -> Duration? {
        self.queue.earliest()
    }

    mutating func popDue(now: Duration) -> Label? {
        self.queue.popDue(now: now).flatMap { self.labels.removeValue(forKey: $0) }
    }
}
