/// Repeats the choices of a path, departs at its end, and then follows the default order among the jobs that are not
/// asleep.
///
/// A job is asleep as long as all runs in which it comes next are equivalent to some that were run before.
struct VerificationPolicy: SchedulingPolicy {
    /// A job that is asleep, and its footprint when it was run from an equivalent state.
    struct Sleeper: Sendable {
        let arrival: Int
        let footprint: Footprint
    }

    /// A choice that was made after the path.
    struct Choice: Sendable {
        let arrival: Int
        let ready: [Int]
        let sleepers: [Sleeper]
    }

    /// A choice to repeat.
    struct Repetition: Sendable {
        let arrival: Int
        /// The number of jobs that were ready; another number means that the scenario does not repeat itself.
        let readyJobs: Int
    }

    private let path: [Repetition]
    /// The jobs that are asleep before the last choice of the path, or at the beginning.
    private var sleepers: [Sleeper]
    private let recorder: StepRecorder?
    /// The choices after the path.
    private(set) var choices: [Choice] = []
    /// True once all ready jobs were asleep: the rest is as in a run before, and follows the default order.
    ///
    /// The run is not ended instead, because the scenario would notice that it is cancelled.
    private(set) var isCut = false

    init(path: [Repetition], sleepers: [Sleeper], recorder: StepRecorder?) {
        self.path = path
        self.sleepers = sleepers
        self.recorder = recorder
    }

    mutating func choose(at point: DecisionPoint, among ready: borrowing ReadyJobs, of tree: borrowing TaskTree) -> Int?
    {
        if point.index < self.path.count {
            let wanted = self.path[point.index]
            return ready.count == wanted.readyJobs && ready.contains(wanted.arrival) ? wanted.arrival : nil
        }
        if self.isCut { return point.standard }
        let arrivals = (0..<ready.count).map { ready.arrival(at: $0) }.sorted()
        if !self.sleepers.isEmpty, point.index > 0, let recorder = self.recorder {
            let last = recorder.lastFootprint
            self.sleepers.removeAll { $0.footprint.conflicts(with: last) }
        }
        let awake = arrivals.filter { arrival in !self.sleepers.contains { $0.arrival == arrival } }
        guard let first = awake.first else {
            self.isCut = true
            return point.standard
        }
        let chosen = awake.contains(point.standard) ? point.standard : first
        self.choices.append(Choice(arrival: chosen, ready: arrivals, sleepers: self.sleepers))
        return chosen
    }
}
