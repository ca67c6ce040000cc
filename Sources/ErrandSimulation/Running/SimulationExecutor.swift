internal import Dispatch
internal import ErrandLocks

/// A task executor whose single driving thread runs the ready jobs in the order that a scheduler decides.
///
/// Jobs are queued until `SimulationDriver` takes them: it alone decides when and where one runs. Jobs from any thread
/// are run by the driver, so no two jobs ever run at once.
final class SimulationExecutor: TaskExecutor {
    /// The driver's next action.
    enum Next {
        case job(UnownedJob)
        case nothing
        case ended
        case limit
        case interrupted
        case misfit
    }

    /// The largest number of escaped tasks that are recorded by name.
    private static let namedEscapes = 5

    private struct State: ~Copyable {
        var scheduler: Scheduler
        var recorder: TimelineRecorder?
        var escapes = Escapes()
        /// The thread that runs the jobs, or `nil` until it starts, when arriving jobs are not escapes.
        var driver: Int?
        var isBusy = false
        var isInterrupted = false
        var hasEnded = false
        var isClosed = false
    }

    /// The jobs that came from other threads while the driver was running.
    struct Escapes: Sendable {
        var count = 0
        /// The tasks of the first of these jobs, without the jobs of actors.
        var tasks: [TaskPath] = []
    }

    /// The decisions, events and counts up to some moment.
    struct Snapshot: Sendable {
        let places: TaskPlaces
        let log: DecisionLog
        let policy: any SchedulingPolicy
        let current: Int
        let recorder: TimelineRecorder?
        let escapes: Escapes
    }

    /// True if a timeline of the run is recorded.
    let isRecording: Bool
    /// Records what each step uses, for a verification.
    let observer: StepRecorder?
    /// The abilities that the run captures in addition to `structured`.
    let reach = RunReach()
    private let state: Locked<State>
    /// Counts the arrivals from other threads.
    ///
    /// Only the driver waits for it, on the queue of its simulation, never on a thread of the cooperative pool.
    private let arrivals = DispatchSemaphore(value: 0)

    /// Creates an executor whose order a policy chooses.
    init(
        policy: any SchedulingPolicy, isRecording: Bool, trail: Trail? = nil, observer: StepRecorder? = nil
    ) {
        RuntimeLayout.prepare()
        self.observer = observer
        self.isRecording = isRecording
        self.state = Locked(
            unobserved: State(
                scheduler: Scheduler(policy: policy, trail: trail),
                recorder: isRecording ? TimelineRecorder() : nil))
    }

    // MARK: - Calls from the runtime and the scenario

    /// Queues a job until the driver picks it; a job that arrives after `close()` is never run.
    func enqueue(_ job: consuming ExecutorJob) {
        let identity = JobIdentity(job)
        let job = identity.job
        // Before the driver can run the task, which may go to sleep again.
        if identity.taskID != 0 { self.reach.sleepClock?.noteReady(identity.taskID) }
        let thread = CurrentThread.id
        let isForeign = self.state.withLock { state in
            guard !state.isClosed else { return false }
            let isForeign = state.driver != nil && state.driver != thread
            let (task, isNew) = state.scheduler.append(identity, isForeign: isForeign)
            if let observer = self.observer {
                observer.arrive(identity, of: task, isMain: self.reach.isMain(job), isForeign: isForeign)
            }
            state.recorder?.noteArrival(identity, of: task, isNew: isNew, isInStep: state.isBusy && !isForeign)
            guard isForeign else { return false }
            Self.noteEscape(of: identity.taskID == 0 ? nil : task, in: &state)
            return true
        }
        if isForeign { self.arrivals.signal() }
    }

    /// Adds a line of the scenario to the timeline.
    func note(_ line: String) {
        guard self.isRecording else { return }
        self.state.withLock { $0.recorder?.note(line) }
    }

    /// Records that the body of the scenario has returned or thrown.
    func bodyEnded() {
        self.observer?.bodyEnded()
        self.state.withLock { $0.hasEnded = true }
    }

    /// Stops the driver before its next job, since the outcome is not needed any more.
    func interrupt() {
        self.state.withLock { $0.isInterrupted = true }
        self.arrivals.signal()
    }

    // MARK: - Calls from the driver

    /// Makes the calling thread the driver.
    func start() {
        // Within a task, such as the one that created this executor, jobs would be run differently.
        if self.isRecording { RuntimeLayout.prepareForRecording() }
        let thread = CurrentThread.id
        self.state.withLock { $0.driver = thread }
    }

    /// Takes the ready job that goes next.
    ///
    /// - Parameters:
    ///   - isLimited: True if no more jobs may be run: a job that is taken must be run.
    ///   - now: The virtual time, for the timeline.
    /// - Returns: The job, or the reason why there is none.
    func takeNext(isLimited: Bool, at now: Duration) -> Next {
        self.state.withLock { state in
            state.isBusy = false
            if state.hasEnded { return .ended }
            if isLimited { return .limit }
            if state.isInterrupted { return .interrupted }
            if state.scheduler.isIdle { return .nothing }
            guard let job = state.scheduler.next() else { return .misfit }
            state.isBusy = true
            self.observer?.begin(state.scheduler.arrival)
            state.recorder?.begin(job, by: state.scheduler, at: now)
            return .job(job)
        }
    }

    /// Waits in real time for an arrival from another thread; returns `true` if there was one.
    func waitForArrival(until deadline: DispatchTime) -> Bool {
        self.arrivals.wait(timeout: deadline) == .success
    }

    /// Adds the instant to which the clock has jumped to the fingerprint.
    func note(jumpTo instant: TestClock.Instant) {
        let (seconds, attoseconds) = instant.offset.components
        self.state.withLock { state in
            state.scheduler.note(UInt64(bitPattern: seconds))
            state.scheduler.note(UInt64(bitPattern: attoseconds))
        }
    }

    /// Takes the oldest ready job, even after an interruption, so that abandoned tasks can end.
    func takeRemaining() -> UnownedJob? {
        self.state.withLock { state in
            state.isBusy = !state.scheduler.isIdle
            return state.isBusy ? state.scheduler.nextRemaining() : nil
        }
    }

    /// Discards the ready jobs, and rejects further ones.
    func close() {
        self.state.withLock { state in
            state.isClosed = true
            state.scheduler.removeAll()
        }
    }

    // MARK: - Reports

    /// The decisions, events and counts so far.
    var snapshot: Snapshot {
        self.state.withLock { state in
            Snapshot(
                places: state.scheduler.tree.places, log: state.scheduler.log, policy: state.scheduler.policy,
                current: state.scheduler.current, recorder: state.recorder, escapes: state.escapes)
        }
    }

    /// The number of jobs taken, or `nil` while no job runs; if it does not change, a job has been running for long.
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
