/// Departs from the default order where a schedule asks for it.
struct ReplayPolicy: SchedulingPolicy {
    /// The departures after steps of one task, in the order of the steps, and the index of the next one.
    private struct Entries {
        var indices: [Int] = []
        var next = 0
    }

    private let departures: [Departure]
    private let isStrict: Bool
    private let bySource: [TaskPath: [Int]]
    private var isUsed: [Bool]
    /// The departures of the tasks seen so far.
    private var entries: [Entries] = []
    /// The first departure whose target was not ready.
    private(set) var misfit: Departure?

    /// Creates the policy of a schedule.
    ///
    /// - Parameters:
    ///   - departures: The schedule.
    ///   - isStrict: If true, a target that is not ready ends the run; otherwise the departure is ignored.
    init(_ departures: [Departure], isStrict: Bool) {
        self.departures = departures
        self.isStrict = isStrict
        self.isUsed = [Bool](repeating: false, count: departures.count)
        self.bySource = Dictionary(grouping: departures.indices) { departures[$0].source }
            .mapValues { indices in indices.sorted { departures[$0].steps < departures[$1].steps } }
    }

    /// The first departure that was never reached.
    ///
    /// Always `nil` for a lenient policy.
    var unreached: Departure? {
        self.isStrict ? self.isUsed.firstIndex(of: false).map { self.departures[$0] } : nil
    }

    mutating func choose(
        at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree
    ) -> Int? {
        while self.entries.count < tree.count {
            let path = tree.places.path(of: self.entries.count)
            self.entries.append(Entries(indices: self.bySource[path] ?? []))
        }
        guard let index = self.entry(after: tree.places.steps(of: point.last), of: point.last) else {
            return point.standard
        }
        self.isUsed[index] = true
        let departure = self.departures[index]
        if let target = tree.places.task(at: departure.target),
            let arrival = ready.arrival(of: target, ordinal: departure.ordinal)
        {
            return arrival
        }
        guard self.isStrict else { return point.standard }
        self.misfit = departure
        return nil
    }

    // MARK: - Private helpers

    /// Returns the departure after a step of a task, or `nil`; steps are looked up in order.
    private mutating func entry(after steps: Int, of task: Int) -> Int? {
        let (indices, next) = (self.entries[task].indices, self.entries[task].next)
        guard let found = indices[next...].firstIndex(where: { self.departures[$0].steps >= steps }) else { return nil }
        self.entries[task].next = found
        return self.departures[indices[found]].steps == steps ? indices[found] : nil
    }
}
