/// The intervals during which work was suspended, and the waiters for its resumption.
struct Suspension {
    /// An interval on the client's clock.
    ///
    /// The last one has no end while it lasts.
    struct Interval {
        let began: Duration
        var ended: Duration?
    }

    private(set) var intervals: [Interval] = []
    private var waiting: [Waiting] = []

    /// Weak: a waiter may hold the suspended work, and must not be kept alive by it.
    private struct Waiting {
        weak var waiter: (any Wakeable)?
    }

    var isSuspended: Bool { self.intervals.last.map { $0.ended == nil } ?? false }

    mutating func suspend(at now: Duration) {
        if !self.isSuspended { self.intervals.append(Interval(began: now)) }
    }

    /// Returns the waiters to be woken.
    mutating func resume(at now: Duration) -> [any Wakeable] {
        guard self.isSuspended else { return [] }
        self.intervals[self.intervals.count - 1].ended = now
        defer { self.waiting = [] }
        return self.waiting.compactMap(\.waiter)
    }

    /// Wakes a waiter on resumption if it still exists; returns false if the work is not suspended.
    mutating func wakeWhenResumed(_ waiter: any Wakeable) -> Bool {
        guard self.isSuspended else { return false }
        self.waiting.removeAll { $0.waiter == nil || $0.waiter === waiter }
        self.waiting.append(Waiting(waiter: waiter))
        return true
    }
}

extension Sequence<Suspension.Interval> {
    /// The part of a time span that the intervals cover.
    ///
    /// Overlaps count once.
    func covered(from start: Duration, to end: Duration) -> Duration {
        var covered = Duration.zero
        guard start < end else { return covered }
        var counted = start
        for spell in self.sorted(by: { $0.began < $1.began }) {
            let (began, ended) = (Swift.max(spell.began, counted), Swift.min(spell.ended ?? end, end))
            guard began < ended else { continue }
            covered += ended - began
            counted = ended
        }
        return covered
    }
}
