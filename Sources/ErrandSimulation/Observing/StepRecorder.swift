internal import CErrandSimulation
internal import ErrandLocks

/// Records what each step of a run uses, as far as a simulation sees it.
///
/// Only the driver's thread uses it during a run, on which the runtime and locks report to it.
final class StepRecorder: Sendable {
    private let state: Locked<RunState>
    private let namesLocks: Bool

    /// Creates a recorder; recording must be available.
    ///
    /// - Parameters:
    ///   - rules: The parts of the dependence between steps.
    ///   - retainsTasks: True to retain tasks as long as others reference them; otherwise, footprints lack their flags.
    ///   - namesLocks: False to leave locks the identities that they get outside of a run.
    init(rules: SharingRules = .all, retainsTasks: Bool = true, namesLocks: Bool = true) {
        _ = Self.installation
        self.state = Locked(unobserved: RunState(rules: rules, retainsTasks: retainsTasks))
        self.namesLocks = namesLocks
    }

    /// True if this process can record the steps of a run and the tasks that they create.
    static var isAvailable: Bool {
        RuntimeLayout.knowsSharing
    }

    /// True if this process can also record which steps use the locks of the package: only debug builds report it.
    static var seesLocks: Bool {
        #if DEBUG && !canImport(Darwin)
            true
        #else
            false
        #endif
    }

    /// The recorder of the calling thread.
    private static var current: StepRecorder? {
        guard let recorder = unsafe errand_observing_recorder() else { return nil }
        return unsafe Unmanaged<StepRecorder>.fromOpaque(recorder).takeUnretainedValue()
    }

    private static let installation: Void = {
        #if DEBUG && !canImport(Darwin)
            LockObserver.install(
                creation: { StepRecorder.current?.createLock() ?? 0 },
                access: { identity, isWrite in StepRecorder.current?.useLock(identity, isWrite: isWrite) })
        #endif
    }()

    /// Records that the calling step uses a resource, if it is part of a recorded run.
    static func note(_ resource: @autoclosure () -> Resource, isWrite: Bool = true) {
        self.current?.use(resource(), isWrite: isWrite)
    }

    // MARK: - Calls from the driver

    /// Runs a function on whose thread the runtime reports to the recorder.
    ///
    /// - Parameters:
    ///   - executor: The executor of the run.
    ///   - body: The function.
    func observe(on executor: AnyObject, _ body: () -> Void) {
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(executor).toOpaque())
        self.change { $0.executor = address }
        var observer = unsafe errand_observer()
        unsafe observer.recorder = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        unsafe observer.task_created = { _, task, executor, isChild in
            StepRecorder.current?.create(task: UInt(bitPattern: task), on: executor, isChild: isChild)
        }
        unsafe observer.actor_created = { _, actor in
            StepRecorder.current?.create(actor: UInt(bitPattern: actor))
        }
        unsafe observer.handle_used = { _, task in
            StepRecorder.current?.use(task: UInt(bitPattern: task))
        }
        unsafe withUnsafePointer(to: observer) { observer in
            let previous = unsafe errand_observe(observer)
            body()
            _ = unsafe errand_observe(previous)
        }
    }

    /// Records a job that has become ready.
    func arrive(_ identity: JobIdentity, of place: Int, isMain: Bool, isForeign: Bool) {
        self.change { $0.arrive(identity, of: place, isMain: isMain, isForeign: isForeign) }
    }

    /// Records that a job is about to run.
    func begin(_ arrival: Int) {
        self.change { $0.begin(arrival) }
    }

    /// Records that the running job has returned.
    func end() {
        while let task = self.state.withLock({ $0.isClosed ? nil : $0.takeUnusedTask() }) { Self.release(task) }
        self.change { $0.end() }
    }

    /// Records that the clock is about to jump.
    func jump() {
        self.change { $0.jump() }
    }

    /// Records that the body has ended.
    func bodyEnded() {
        self.change { $0.bodyEnded() }
    }

    /// Ends the recording, and releases the tasks of the run.
    func close() {
        let tasks = self.state.withLock { $0.close() }
        for task in tasks { Self.release(task) }
    }

    /// Releases a task, outside of the lock, since the deinitializer of its result may be code of the scenario.
    private static func release(_ task: UInt) {
        if let task = unsafe UnsafeRawPointer(bitPattern: task) { unsafe errand_release(task) }
    }

    /// The steps so far.
    var run: RecordedRun { self.state.withLock { $0.run } }

    /// The tasks that have not ended and are not ready, by their indices in the tree of tasks.
    var waiting: [Int] { self.state.withLock { $0.waiting } }

    /// The footprint of the last step.
    var lastFootprint: Footprint { self.state.withLock { $0.run.steps.last?.footprint ?? Footprint() } }

    // MARK: - Calls from the scenario

    private func use(_ resource: Resource, isWrite: Bool) {
        self.change { if $0.rules.contains(.context) { $0.use(resource, isWrite: isWrite) } }
    }

    private func useLock(_ identity: UInt64, isWrite: Bool) {
        self.change { if $0.rules.contains(.locks) { $0.use(.lock(identity), isWrite: isWrite) } }
    }

    private func createLock() -> UInt64 {
        self.namesLocks ? self.state.withLock { $0.isClosed ? 1 : $0.createLock() } : 0
    }

    private func create(task: UInt, on executor: UInt, isChild: Bool) {
        self.change { $0.create(task: task, on: executor, isChild: isChild) }
    }

    private func create(actor: UInt) {
        self.change { $0.create(actor: actor) }
    }

    private func use(task: UInt) {
        self.change { $0.use(task: task) }
    }

    private func change(_ change: (inout RunState) -> Void) {
        self.state.withLock { state in
            if !state.isClosed { change(&state) }
        }
    }
}
