internal import Dispatch
internal import ErrandLocks

/// A task executor whose one driving thread runs the ready jobs in the order that a scheduler decides.
///
/// Jobs are kept, not run, until `SimulationDriver` asks for them: it alone decides when and where one runs. Whatever
/// thread a job comes from, it is run by the driver, so no two jobs ever run at once.
final class SimulationExecutor: TaskExecutor {
    /// What the driver finds to do next.
    enum Next {
        case job(UnownedJob)
        case nothing
        case ended
        case limit
        case interrupted
        case misfit
    }

    /// How many of the tasks for which other threads brought jobs are kept to be named.
    private static let namedEscapes = 5

    private struct State: ~Copyable {
        var scheduler: Scheduler
        var recorder: TimelineRecorder?
        var escapes = Escapes()
        /// The thread that runs the jobs; `nil` until it starts, and whatever comes in before is no escape.
        var driver: Int?
        var isBusy = false
        var isInterrupted = false
        var hasEnded = false
        var isClosed = false
    }

    /// The jobs that came from other threads while the driver was at work.
    struct Escapes: Sendable {
        var count = 0
        /// The tasks of the first of them; an actor's job is no task's.
        var tasks: [TaskPath] = []
    }

    /// What has been decided, noted and counted up to some moment.
    struct Snapshot: Sendable {
        let places: TaskPlaces
        let log: DecisionLog
        let policy: any SchedulingPolicy
        let current: Int
        let recorder: TimelineRecorder?
        let escapes: Escapes
    }

    /// Whether a timeline of the run is kept.
    let isRecording: Bool
    /// What the run captures beyond what comes here by itself.
    let reach = RunReach()
    private let state: Locked<State>
    /// Counts what other threads have brought.
    ///
    /// Only the driver waits for it, on the queue of its simulation: no thread of the pool that tasks share.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Creates an executor whose order a policy chooses.
    init(policy: any SchedulingPolicy, isRecording: Bool, trail: Trail? = nil) {
        RuntimeLayout.prepare()
        self.isRecording = isRecording
        self.state = Locked(
            State(scheduler: Scheduler(policy: policy, trail: trail), recorder: isRecording ? TimelineRecorder() : nil))
    }

    // MARK: - What the runtime and the scenario tell

    /// Keeps a job until the driver picks it; a job that comes after `close()` is never run.
    func enqueue(_ job: consuming ExecutorJob) {
        let identity = JobIdentity(job)
        let thread = CurrentThread.id
        let isForeign = self.state.withLock { state in
            guard !state.isClosed else { return false }
            let isForeign = state.driver != nil && state.driver != thread
            let (task, isNew) = state.scheduler.append(identity, isForeign: isForeign)
            state.recorder?.noteArrival(identity, of: task, isNew: isNew, isInStep: state.isBusy && !isForeign)
            guard isForeign else { return false }
            Self.noteEscape(of: identity.taskID == 0 ? nil : task, in: &state)
            return true
        }
        if isForeign { self.arrivals.signal() }
    }

    /// Makes a line that the scenario notes part of the timeline.
    func note(_ line: String) {
        guard self.isRecording else { return }
        self.state.withLock { $0.recorder?.note(line) }
    }

    /// The body of the scenario has returned or thrown.
    func bodyEnded() {
        self.state.withLock { $0.hasEnded = true }
    }

    /// Nobody wants the outcome any more: the driver stops before its next job.
    func interrupt() {
        self.state.withLock { $0.isInterrupted = true }
        self.arrivals.signal()
    }

    // MARK: - What the driver asks

    /// The calling thread will run the jobs from now on.
    func start() {
        // Within a task, such as the one that has made this, jobs are run otherwise.
        if self.isRecording { RuntimeLayout.prepareForRecording() }
        let thread = CurrentThread.id
        self.state.withLock { $0.driver = thread }
    }

    /// Takes the ready job that goes next.
    ///
    /// - Parameters:
    ///   - isLimited: Whether no more jobs may be run: one that is taken must be run.
    ///   - now: The virtual time, for the timeline.
    /// - Returns: The job, or why there is none.
    func takeNext(isLimited: Bool, at now: Duration) -> Next {
        self.state.withLock { state in
            state.isBusy = false
            if state.hasEnded { return .ended }
            if isLimited { return .limit }
            if state.isInterrupted { return .interrupted }
            if state.scheduler.isIdle { return .nothing }
            guard let job = state.scheduler.next() else { return .misfit }
            state.isBusy = true
            state.recorder?.begin(job, by: state.scheduler, at: now)
            return .job(job)
        }
    }

    /// Waits in real time until another thread has brought something, and returns whether it has.
    func waitForArrival(until deadline: DispatchTime) -> Bool {
        self.arrivals.wait(timeout: deadline) == .success
    }

    /// Makes the instant to which the clock has jumped part of the fingerprint.
    func note(jumpTo instant: TestClock.Instant) {
        let (seconds, attoseconds) = instant.offset.components
        self.state.withLock { state in
            state.scheduler.note(UInt64(bitPattern: seconds))
            state.scheduler.note(UInt64(bitPattern: attoseconds))
        }
    }

    /// Takes the oldest ready job, even after an interruption, to let abandoned tasks end.
    func takeRemaining() -> UnownedJob? {
        self.state.withLock { state in
            state.isBusy = !state.scheduler.isIdle
            return state.isBusy ? state.scheduler.nextRemaining() : nil
        }
    }

    /// Forgets the ready jobs and takes no more.
    func close() {
        self.state.withLock { state in
            state.isClosed = true
            state.scheduler.removeAll()
        }
    }

    // MARK: - What a report asks

    /// What has been decided, noted and counted so far.
    var snapshot: Snapshot {
        self.state.withLock { state in
            Snapshot(
                places: state.scheduler.tree.places, log: state.scheduler.log, policy: state.scheduler.policy,
                current: state.scheduler.current, recorder: state.recorder, escapes: state.escapes)
        }
    }

    /// How many jobs have been taken, or `nil` while none is run: a job during which this stays is a long one.
    var progress: Int? {
        self.state.withLock { $0.isBusy ? $0.scheduler.log.count : nil }
    }

    // MARK: - Private helpers

    private static func noteEscape(of task: Int?, in state: inout State) {
        state.escapes.count += 1
        guard let task, state.escapes.tasks.count < Self.namedEscapes else { return }
        let path = state.scheduler.tree.places.path(of: task)
        if !state.escapes.tasks.contains(path) { state.escapes.tasks.append(path) }
    }
}

extension SimulationExecutor: SleepObserver {
    var sleepingTask: Int { self.state.withLock { $0.scheduler.current } }

    func willWake(_ task: Int?) {
        self.state.withLock { $0.scheduler.wake(task) }
    }
}
