/// The resources that a step has used.
struct Footprint: Sendable {
    private(set) var reads: [UInt64] = []
    private(set) var writes: [UInt64] = []
    /// True if the step depends on all others.
    var isBarrier = false

    /// The footprint of an unknown step, which depends on all others.
    static let barrier: Footprint = {
        var footprint = Footprint()
        footprint.isBarrier = true
        return footprint
    }()

    mutating func read(_ resource: Resource) {
        if !self.writes.contains(resource.key), !self.reads.contains(resource.key) { self.reads.append(resource.key) }
    }

    mutating func write(_ resource: Resource) {
        if !self.writes.contains(resource.key) { self.writes.append(resource.key) }
    }

    /// Returns whether two footprints have the same resources.
    func isSame(as other: Footprint) -> Bool {
        guard self.isBarrier == other.isBarrier else { return false }
        // Almost always in the same order.
        return (self.reads == other.reads || Set(self.reads) == Set(other.reads))
            && (self.writes == other.writes || Set(self.writes) == Set(other.writes))
    }

    /// Returns whether the order of two steps with these footprints may matter.
    func conflicts(with other: Footprint) -> Bool {
        if self.isBarrier || other.isBarrier { return true }
        for key in self.writes where other.writes.contains(key) || other.reads.contains(key) { return true }
        for key in self.reads where other.writes.contains(key) { return true }
        return false
    }
}
