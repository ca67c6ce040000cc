/// Decides which of the ready jobs goes next, and records what is needed to repeat the decisions.
///
/// Its default order continues the task that ran last while that has a ready job, its oldest first, and otherwise runs
/// the task whose oldest job has waited longest. A task that has run so often in a row that it may be waiting for
/// another in a loop stands back once. Every other choice of the policy is a departure, and the departures are the
/// schedule of the run.
struct Scheduler: ~Copyable {
    /// The number of times that the default order runs a task in a row while others are ready.
    static let longestStreak = 256

    /// The task that runs, or ran last.
    private(set) var current = TaskTree.root
    /// True if the last choice was a departure from the default order.
    private(set) var hasDeparted = false
    /// The number of the last chosen job among all that have become ready.
    private(set) var arrival = 0
    private(set) var tree = TaskTree()
    private(set) var log = DecisionLog()
    private(set) var policy: any SchedulingPolicy
    /// Weak, since the exploration owns it, and its file is deleted when the exploration ends.
    private weak var trail: Trail?
    private var ready = ReadyJobs()
    /// The task that a clock is resuming.
    private var waking: Int?
    private var streak = 0

    /// Creates a scheduler with a policy, which records its choices in the trail, if there is one.
    init(policy: any SchedulingPolicy, trail: Trail?) {
        self.policy = policy
        self.trail = trail
    }

    /// True if no job is ready.
    var isIdle: Bool { self.ready.count == 0 }

    // MARK: - Events

    /// Adds a job; a job without a task, like an actor's, belongs to the task that runs now or is being woken.
    ///
    /// - Parameters:
    ///   - identity: The job and its task.
    ///   - isForeign: True if it comes from another thread: its origin is unknown then, and it is attributed to the
    ///     body.
    /// - Returns: The task, and whether it is new.
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
    /// - Returns: The job, or `nil` if the job that the policy wants is not ready; at least one job must be ready.
    mutating func next() -> UnownedJob? {
        let standard = self.standardArrival()
        let point = DecisionPoint(
            index: self.log.count, last: self.current, streak: self.streak, standard: standard)
        guard let chosen = self.policy.choose(at: point, among: self.ready, of: self.tree) else { return nil }
        self.hasDeparted = chosen != standard
        if self.hasDeparted { self.noteDeparture(to: chosen) }
        return self.take(chosen)
    }

    /// Takes the oldest job of any task, to finish the remaining work after the end.
    mutating func nextRemaining() -> UnownedJob {
        self.take(self.ready.first())
    }

    /// Records that a clock is about to resume a task, or, with `nil`, that it has resumed all that were due.
    mutating func wake(_ task: Int?) {
        self.waking = task
    }

    /// Adds a value to the fingerprint.
    mutating func note(_ value: UInt64) {
        self.log.note(value)
    }

    /// Discards the ready jobs.
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
        self.arrival = arrival
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
