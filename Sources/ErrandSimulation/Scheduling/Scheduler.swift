/// Decides which of the ready jobs goes next and keeps what is needed to decide the same again.
///
/// It has an order of its own, the default: it goes on with the task that ran last while that has a ready job, its
/// oldest first, and otherwise with the task whose oldest job has waited longest. A task that has run so often in a row
/// that it may be waiting for another in a loop stands back once. Whatever the policy chooses otherwise is a departure,
/// and the departures are the schedule of the run.
struct Scheduler: ~Copyable {
    /// How often a task runs in a row, by the default order, while others are ready.
    static let longestStreak = 256

    /// The task that runs, or ran last.
    private(set) var current = TaskTree.root
    /// Whether the last choice was a departure from the default order.
    private(set) var hasDeparted = false
    private(set) var tree = TaskTree()
    private(set) var log = DecisionLog()
    private(set) var policy: any SchedulingPolicy
    /// It belongs to the exploration, whose end is the end of its file.
    private weak var trail: Trail?
    private var ready = ReadyJobs()
    /// The task that a clock is resuming.
    private var waking: Int?
    private var streak = 0

    /// Creates a scheduler whose choices a policy makes, and that writes them down if there is a trail.
    init(policy: any SchedulingPolicy, trail: Trail?) {
        self.policy = policy
        self.trail = trail
    }

    /// Whether no job is ready.
    var isIdle: Bool { self.ready.count == 0 }

    // MARK: - What happens

    /// Takes in a job, which is a task's or, like an actor's, the task's that runs now or is being woken.
    ///
    /// - Parameters:
    ///   - identity: The job and its task.
    ///   - isForeign: Whether it comes from another thread: then nobody knows which task has to do with it, and it is
    ///     put down to the body.
    /// - Returns: The task, and whether it has been seen for the first time.
    mutating func append(_ identity: JobIdentity, isForeign: Bool) -> (task: Int, isNew: Bool) {
        let current = isForeign ? TaskTree.root : self.waking ?? self.current
        var (task, isNew) = (current, false)
        if identity.taskID != 0 || self.tree.count == 0 {
            (task, isNew) = self.tree.index(ofTask: max(identity.taskID, 1), orChildOf: current)
        }
        if isNew, let name = RuntimeLayout.name(ofNewTask: identity.job) { self.tree.setName(name, of: task) }
        self.ready.append(identity.job, of: task)
        return (task, isNew)
    }

    /// Picks the job to run next and counts it as a step of its task.
    ///
    /// - Returns: The job, or `nil` if the policy has none that fits; some job must be ready.
    mutating func next() -> UnownedJob? {
        let standard = self.standardArrival()
        let point = DecisionPoint(
            index: self.log.count, last: self.current, streak: self.streak, standard: standard)
        guard let chosen = self.policy.choose(at: point, among: self.ready, of: self.tree) else { return nil }
        self.hasDeparted = chosen != standard
        if self.hasDeparted { self.noteDeparture(to: chosen) }
        return self.take(chosen)
    }

    /// Takes the oldest job, whoever's it is, for what is left over after the end.
    mutating func nextRemaining() -> UnownedJob {
        self.take(self.ready.first())
    }

    /// A clock is about to resume a task, or, with `nil`, has resumed all that were due.
    mutating func wake(_ task: Int?) {
        self.waking = task
    }

    /// Makes a value part of the fingerprint.
    mutating func note(_ value: UInt64) {
        self.log.note(value)
    }

    /// Forgets the ready jobs.
    mutating func removeAll() {
        self.ready = ReadyJobs()
    }

    // MARK: - Private helpers

    private mutating func standardArrival() -> Int {
        let own = self.ready.oldest(of: self.current)
        guard own >= 0 else { return self.ready.first() }
        guard self.streak >= Self.longestStreak else { return own }
        return self.ready.first(except: self.current) ?? own
    }

    private mutating func take(_ arrival: Int) -> UnownedJob {
        let (count, position) = (self.ready.count, self.ready.position(of: arrival))
        let task = self.ready.task(at: position)
        self.log.noteDecision(for: task, position: position, of: count)
        self.streak = task != self.current || count == 1 ? 0 : self.streak + 1
        self.current = task
        self.tree.countStep(of: task)
        return self.ready.remove(arrival)
    }

    private mutating func noteDeparture(to arrival: Int) {
        let (steps, target) = (self.tree.places.steps(of: self.current), self.ready.task(of: arrival))
        let ordinal = self.ready.ordinal(of: arrival)
        self.log.noteDeparture(after: steps, of: self.current, to: target, ordinal: ordinal)
        guard let trail = self.trail else { return }
        let places = self.tree.places
        trail.note(
            Departure(
                source: places.path(of: self.current), steps: steps, target: places.path(of: target), ordinal: ordinal))
    }
}
