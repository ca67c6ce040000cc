/// Records the steps of a run that will be reported, with their tasks and events.
struct TimelineRecorder: Sendable {
    /// The smallest number of steps to keep; at most twice as many are kept.
    private static let kept = 10_000

    private enum Event {
        case started(Int)
        case resumed(Int)
        case enteredActor
        case yielded
        case noted(String)
    }

    private struct Entry {
        let task: Int
        let number: Int
        let time: Duration
        let kind: JobKind
        /// The addresses at which the task resumes.
        let resumption: [UInt]
        let isSwitch: Bool
        var events: [Event] = []
    }

    private var entries: [Entry] = []
    /// The addresses at which tasks that called an actor resume, by the address of the actor's job.
    private var asked: [Int: [UInt]] = [:]

    // MARK: - Events

    /// Records that a job is about to run.
    mutating func begin(_ job: UnownedJob, by scheduler: borrowing Scheduler, at time: Duration) {
        if self.entries.count >= 2 * Self.kept { self.entries.removeFirst(Self.kept) }
        let (task, kind) = (scheduler.current, JobKind(of: JobIdentity(ExecutorJob(job))))
        self.entries.append(
            Entry(
                task: task, number: scheduler.tree.places.steps(of: task), time: time,
                kind: kind, resumption: self.resumption(of: job, kind), isSwitch: scheduler.hasDeparted))
    }

    /// Records that a job has become ready, during the running step or otherwise.
    mutating func noteArrival(_ identity: JobIdentity, of task: Int, isNew: Bool, isInStep: Bool) {
        guard isInStep, let running = self.entries.last?.task else { return }
        if isNew {
            self.append(.started(task))
            return
        }
        switch JobKind(of: identity) {
        case .task: if task != running { self.append(.resumed(task)) }
        case .actor:
            self.asked[identity.job.address] = RuntimeLayout.resumption(of: identity.job)
            self.append(.enteredActor)
        case .yield: self.append(.yielded)
        case .other: break
        }
    }

    /// Records a line that the scenario traces.
    mutating func note(_ line: String) {
        self.append(.noted(line))
    }

    /// Returns the addresses at which a task resumes; a new task has none.
    private mutating func resumption(of job: UnownedJob, _ kind: JobKind) -> [UInt] {
        switch kind {
        case .task: RuntimeLayout.resumption(of: job)
        case .actor: self.asked.removeValue(forKey: job.address) ?? []
        case .yield, .other: []
        }
    }

    private mutating func append(_ event: Event) {
        guard !self.entries.isEmpty else { return }
        self.entries[self.entries.count - 1].events.append(event)
    }

    // MARK: - Results

    /// The tasks of the run.
    func tasks(in places: TaskPlaces) -> [Simulation.ScheduledTask] {
        (0..<places.count).map { task in
            Simulation.ScheduledTask(
                id: places.path(of: task).description, name: places.name(of: task), steps: places.steps(of: task))
        }
    }

    /// The steps of the run.
    func timeline(in places: TaskPlaces) -> [Simulation.Step] {
        let ids = (0..<places.count).map { places.path(of: $0).description }
        return self.entries.map { entry in
            Simulation.Step(
                task: ids[entry.task], name: places.name(of: entry.task), number: entry.number, time: entry.time,
                kind: Self.kind(entry.kind), resumption: .init(addresses: entry.resumption),
                isSwitch: entry.isSwitch,
                events: entry.events.map { Self.event($0, ids) })
        }
    }

    private static func kind(_ kind: JobKind) -> Simulation.Step.Kind {
        switch kind {
        case .task: .task
        case .actor: .actor
        case .yield: .yield
        case .other: .other
        }
    }

    private static func event(_ event: Event, _ ids: [String]) -> Simulation.Step.Event {
        switch event {
        case .started(let task): .started(task: ids[task])
        case .resumed(let task): .resumed(task: ids[task])
        case .enteredActor: .enteredActor
        case .yielded: .yielded
        case .noted(let line): .noted(line)
        }
    }
}
