/// The decisions of a scheduler: a hash of all of them, the departures from the default order, and the last steps.
struct DecisionLog: Sendable {
    /// The number of last steps that are kept.
    static let recentSteps = 256

    private(set) var fingerprint: UInt64 = 0
    /// The number of decisions.
    private(set) var count = 0
    /// The number of departures.
    private(set) var departureCount = 0

    /// Four numbers for each departure: the source task, its step, the target task, and the ordinal of the target's
    /// job.
    private var departures: [Int] = []
    private var recent = [Int](repeating: 0, count: Self.recentSteps)

    /// Adds a value to the fingerprint.
    mutating func note(_ value: UInt64) {
        self.fingerprint = SplitMix64.mix(self.fingerprint &* 31 &+ value)
    }

    /// Records that the job at a position among a number of ready jobs is run for a task.
    mutating func noteDecision(for task: Int, position: Int, of count: Int) {
        self.note(UInt64(truncatingIfNeeded: count) << 32 | UInt64(truncatingIfNeeded: position))
        self.recent[self.count % Self.recentSteps] = task
        self.count += 1
    }

    /// Records that the next decision is a departure.
    mutating func noteDeparture(after steps: Int, of source: Int, to target: Int, ordinal: Int) {
        self.departures.append(source)
        self.departures.append(steps)
        self.departures.append(target)
        self.departures.append(ordinal)
        self.departureCount += 1
    }

    // MARK: - Results

    /// The departures from the default order, in the order in which they were made.
    func departures(in places: TaskPlaces) -> [Departure] {
        stride(from: 0, to: self.departures.count, by: 4).map { index in
            Departure(
                source: places.path(of: self.departures[index]), steps: self.departures[index + 1],
                target: places.path(of: self.departures[index + 2]), ordinal: self.departures[index + 3])
        }
    }

    /// The tasks that made the last steps, with their numbers of steps, largest first.
    func recentTasks(in places: TaskPlaces) -> [(title: String, steps: Int)] {
        let tasks = self.recent.prefix(self.count)
        let counts = Dictionary(tasks.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (places.title(of: $0.key), $0.value) }
    }
}
