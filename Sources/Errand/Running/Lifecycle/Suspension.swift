/// When work was suspended, and who waits until it goes on.
struct Suspension {
    /// From one moment on the client's clock to another; the last one has no end while it lasts.
    struct Spell {
        let began: Duration
        var ended: Duration?
    }

    private(set) var spells: [Spell] = []
    private var waiting: [Waiting] = []

    /// Who waits may hold on to what is suspended: that must not keep it.
    private struct Waiting {
        weak var waiter: (any Wakeable)?
    }

    var isSuspended: Bool { self.spells.last.map { $0.ended == nil } ?? false }

    mutating func suspend(at now: Duration) {
        if !self.isSuspended { self.spells.append(Spell(began: now)) }
    }

    /// Returns who waited for that.
    mutating func resume(at now: Duration) -> [any Wakeable] {
        guard self.isSuspended else { return [] }
        self.spells[self.spells.count - 1].ended = now
        defer { self.waiting = [] }
        return self.waiting.compactMap(\.waiter)
    }

    /// Wakes someone when it goes on, if there is someone still; returns false when it does go on.
    mutating func wakeWhenResumed(_ waiter: any Wakeable) -> Bool {
        guard self.isSuspended else { return false }
        self.waiting.removeAll { $0.waiter == nil || $0.waiter === waiter }
        self.waiting.append(Waiting(waiter: waiter))
        return true
    }
}

extension Sequence<Suspension.Spell> {
    /// How much of the time between two moments they cover; where several do it counts once.
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
