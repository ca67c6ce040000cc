internal import CErrandSimulation

/// The state of a recorder: the steps of its run, and the tasks and actors that they use.
///
/// Two steps depend on each other if one writes what the other uses. A step uses:
///
/// - its own task, each task whose job becomes ready in it, and each task that it creates;
/// - the actor that it drains, each actor whose job becomes ready in it, and each at which it queues a task. A task that
///   is queued at a scheduled actor has no job, so the queues are read after each step;
/// - the tasks that were in the queue of the actor that it drains, and those that were suspended within it when it was
///   drained last: the drain may run them unseen. A continuation usually makes its task a job, but need not;
/// - a task that ends in it, and its parent if it is a child;
/// - a task whose cancellation or priority changes, also after its end;
/// - a task that it waits for, cancels, or reads the cancellation of, through a handle, also where that has no effect;
/// - the scopes of each parent, direct or not, of an `async let` to which its task belongs: a cancellation of the parent
///   also cancels what is within the `async let`;
/// - locks, the clock and the context, as they report it, and what the scenario declares.
///
/// The step that ends the body, a jump of the clock, and a job of an unknown kind depend on all others.
///
/// The footprint of a step may only depend on steps with which it conflicts. Otherwise, two steps could depend on each
/// other in one order and not in the other, and the search would not be sound. For example, a task stays among those
/// suspended within an actor until the next drain of that actor.
///
/// Labels name jobs, tasks, actors and locks by the step that created them, so that they are the same in all runs of a
/// class. An actor from outside the run is named by its address, and a lock from outside by a number of the process.
struct RunState: Sendable {
    /// The ordinals within the running step, from which labels are made.
    private struct Ordinals {
        var arrivals: UInt64 = 0
        var tasks: UInt64 = 0
        var actors: UInt64 = 0
        var locks: UInt64 = 0
    }

    private struct Arrival {
        let label: UInt64
        let creator: Int
        /// The index of the task, or -1 for the job of an actor or of a yield.
        let task: Int
        /// The address of the actor, or zero.
        let actor: UInt
        let isMain: Bool
        let isKnown: Bool
    }

    /// The label of the beginning of the run.
    private static let origin = Resource.mix(0x0121_6119, 0)

    let rules: SharingRules
    /// True if tasks are retained as long as others reference them, so that their flags can be read.
    private let retainsTasks: Bool
    /// The address of the executor of the run.
    var executor: UInt = 0
    private(set) var run = RecordedRun()
    private(set) var isInStep = false
    private(set) var isClosed = false
    /// True once other threads take part: what they change is not read any more.
    private(set) var isSpoiled = false
    private var ordinals = Ordinals()
    private var arrivals: [Arrival] = []
    private var tasks: [ObservedTask] = []
    /// The indices of tasks by the runtime's ids.
    private var indices: [UInt64: Int] = [:]
    /// The labels of actors by their addresses.
    private var actors: [UInt: UInt64] = [:]
    /// The addresses of actors with a job that has not been run.
    private var scheduled: [UInt] = []
    /// For each actor by label, the tasks that were suspended within it when it last ended.
    private var suspended: [UInt64: [Int]] = [:]
    /// The address of the actor that the running step drains; zero if it does not.
    private var drained: UInt = 0
    /// The tasks that the running step runs or may run.
    private var running: [Int] = []

    init(rules: SharingRules, retainsTasks: Bool) {
        (self.rules, self.retainsTasks) = (rules, retainsTasks)
    }

    // MARK: - Steps

    /// Records that the job with the given number among all arrivals is about to run.
    mutating func begin(_ number: Int) {
        // The tasks that a jump has resumed may be queued at actors; the jump depends on all other steps anyway.
        if self.run.steps.last?.isJump == true, !self.isSpoiled { self.noteQueues() }
        let arrival = self.arrivals[number]
        self.start(RecordedStep(arrival: number, label: arrival.label, creator: arrival.creator))
        self.isInStep = true
        if !arrival.isKnown { self.setBarrier() }
        if arrival.isMain { self.write(.mainActor) }
        if arrival.task >= 0 {
            self.tasks[arrival.task].readyJobs -= 1
            self.run(arrival.task)
        } else if arrival.actor != 0 {
            self.drain(arrival.actor)
        }
    }

    /// Returns a task to release now: one that has ended and that only the recorder still references.
    ///
    /// Otherwise, its result would be deallocated in another step than in a run that is not recorded.
    mutating func takeUnusedTask() -> UInt? {
        guard self.isInStep, !self.isSpoiled else { return nil }
        for index in self.tasks.indices where self.tasks[index].isRetained {
            let address = self.tasks[index].address
            guard let task = unsafe UnsafeRawPointer(bitPattern: address), unsafe errand_is_unique(task),
                RuntimeLayout.status(ofTask: address).isComplete
            else { continue }
            self.noteFlags(of: index)
            self.tasks[index].isRetained = false
            return address
        }
        return nil
    }

    /// Completes the footprint of the step that has been run, if there is one.
    mutating func end() {
        guard self.isInStep else { return }
        if !self.isSpoiled {
            self.noteQueues()
            self.noteFlags()
            self.noteAsyncLets()
            self.noteSuspended()
        }
        self.isInStep = false
        self.drained = 0
        self.running = []
    }

    /// Records that the clock is about to jump.
    mutating func jump() {
        self.end()
        self.start(
            RecordedStep(arrival: -1, label: Resource.mix(Self.origin, UInt64(self.run.steps.count)), creator: -1))
        self.setBarrier()
    }

    /// Records that the body has ended, in the running step.
    mutating func bodyEnded() {
        if self.isInStep, self.rules.contains(.ending) { self.setBarrier() }
    }

    /// Ends the recording, and returns the tasks to release.
    mutating func close() -> [UInt] {
        self.end()
        self.isClosed = true
        defer { self.tasks = [] }
        return self.tasks.filter(\.isRetained).map(\.address)
    }

    /// The tasks that have not ended and are not ready, by their indices in the tree of tasks.
    var waiting: [Int] { self.isSpoiled ? [] : self.tasks.filter(\.isSuspended).compactMap(\.place) }

    // MARK: - Events

    /// Records a job that has become ready.
    ///
    /// - Parameters:
    ///   - identity: The job.
    ///   - place: The index of its task in the tree of tasks.
    ///   - isMain: True if it runs on the main actor.
    ///   - isForeign: True if it comes from another thread.
    mutating func arrive(_ identity: JobIdentity, of place: Int, isMain: Bool, isForeign: Bool) {
        if isForeign { self.isSpoiled = true }
        let kind = JobKind(of: identity)
        let (creator, label) = (self.run.steps.count - 1, self.nextLabel(1, \.arrivals))
        var (task, actor, isKnown) = (-1, UInt(0), true)
        switch kind {
        case .task:
            task = self.index(ofTask: UInt(bitPattern: identity.job.address))
            self.tasks[task].readyJobs += 1
            self.tasks[task].queuedAt = 0
            self.tasks[task].place = place
            self.tasks[task].mayBeGone = false
            self.write(.task(self.tasks[task].label))
        case .actor:
            if let address = RuntimeLayout.actor(drainedBy: identity.job) {
                actor = address
                self.scheduled.append(actor)
                self.write(.actor(self.label(ofActor: actor)))
            } else {
                isKnown = false
            }
        case .yield: break
        case .other: isKnown = false
        }
        self.noteCurrentTask()
        self.arrivals.append(
            Arrival(label: label, creator: creator, task: task, actor: actor, isMain: isMain, isKnown: isKnown))
    }

    /// Records a task that the scenario has created.
    ///
    /// - Parameters:
    ///   - address: The task.
    ///   - executor: The executor that the task prefers, or zero.
    ///   - isChild: True if it is a child, which has its parent's executor if it prefers none itself.
    mutating func create(task address: UInt, on executor: UInt, isChild: Bool) {
        guard self.isInStep else { return }
        let task = self.index(ofTask: address)
        self.running.append(task)
        if executor == 0 ? isChild : executor == self.executor { return }
        // An executor that passes its jobs on has done so with the first.
        if executor != 0, self.tasks[task].readyJobs > 0 { return }
        self.isSpoiled = true
        self.run.strays += 1
        if let creator = self.currentTask { self.run.strayCreators.append(creator) }
    }

    /// Records an actor that the scenario has created.
    mutating func create(actor address: UInt) {
        guard self.isInStep else { return }
        self.actors[address] = self.nextLabel(3, \.actors)
    }

    /// Returns the identity of a lock that the scenario creates; one for all that are created outside of a step.
    mutating func createLock() -> UInt64 {
        self.isInStep ? self.nextLabel(4, \.locks) >> 1 : 1
    }

    /// Records that the running step uses a handle of a task.
    mutating func use(task address: UInt) {
        guard self.isInStep, self.rules.contains(.handles),
            let pointer = unsafe UnsafeRawPointer(bitPattern: address)
        else { return }
        // A task from outside the run may end at any moment.
        if let index = unsafe self.indices[errand_job_task_id(pointer)] {
            self.write(.task(self.tasks[index].label))
        } else {
            self.setBarrier()
        }
        self.noteCurrentTask()
    }

    /// Records that the running step uses a resource.
    mutating func use(_ resource: Resource, isWrite: Bool) {
        guard self.isInStep else { return }
        if isWrite { self.write(resource) } else { self.read(resource) }
        self.noteCurrentTask()
    }

    // MARK: - The end of a step

    /// Notes the tasks that wait for their turn at an actor and did not before.
    private mutating func noteQueues() {
        for actor in self.scheduled {
            for job in RuntimeLayout.queue(ofActor: actor) {
                guard Self.isTask(job) else {
                    self.run.hasDeinitializer = true
                    self.isSpoiled = true
                    return
                }
                let task = self.index(ofTask: job)
                guard self.tasks[task].queuedAt != actor else { continue }
                self.tasks[task].queuedAt = actor
                self.tasks[task].mayBeGone = false
                guard self.rules.contains(.queues) else { continue }
                self.write(.actor(self.label(ofActor: actor)))
                self.write(.task(self.tasks[task].label))
            }
        }
    }

    /// Notes the tasks that have ended or were cancelled, which may be after their end.
    private mutating func noteFlags() {
        for index in self.tasks.indices where self.tasks[index].isRetained { self.noteFlags(of: index) }
    }

    private mutating func noteFlags(of index: Int) {
        let task = self.tasks[index]
        if task.status.isComplete, task.traits.isChild { return }
        let status = RuntimeLayout.status(ofTask: task.address)
        guard status != task.status else { return }
        self.tasks[index].status = status
        if status.isComplete, !task.status.isComplete {
            self.tasks[index].queuedAt = 0
            self.noteCompletion(of: index)
        }
        let hasFlag = status.bits | TaskStatus.complete != task.status.bits | TaskStatus.complete
        guard hasFlag, self.rules.contains(.flags) else { return }
        self.write(.task(task.label))
        if task.hasScope { self.write(.scope(task.label)) }
    }

    private mutating func noteCompletion(of index: Int) {
        guard self.rules.contains(.completion) else { return }
        let task = self.tasks[index]
        self.write(.task(task.label))
        if let parent = task.parent { self.write(.task(self.tasks[parent].label)) }
    }

    /// Notes the end of each `async let` that has run and is not ready.
    ///
    /// If its parent has run as well, its memory may be the parent's again: then it is taken as ended.
    private mutating func noteAsyncLets() {
        for index in self.running where self.tasks[index].traits.isAsyncLet && self.tasks[index].isSuspended {
            let task = self.tasks[index]
            if let parent = task.parent, !self.running.contains(parent), !task.mayBeGone {
                self.tasks[index].status = RuntimeLayout.status(ofTask: task.address)
                if !self.tasks[index].status.isComplete { continue }
            } else {
                self.tasks[index].mayBeGone = true
            }
            self.noteCompletion(of: index)
        }
    }

    /// Notes the tasks that are now suspended within the drained actor.
    private mutating func noteSuspended() {
        guard self.drained != 0 else { return }
        self.suspended[self.label(ofActor: self.drained)] = self.running.filter { self.tasks[$0].isSuspended }
    }

    // MARK: - Private helpers

    private mutating func start(_ step: RecordedStep) {
        self.run.steps.append(step)
        self.ordinals = Ordinals()
    }

    private mutating func drain(_ actor: UInt) {
        self.drained = actor
        if let index = self.scheduled.firstIndex(of: actor) { self.scheduled.remove(at: index) }
        let label = self.label(ofActor: actor)
        self.write(.actor(label))
        for task in self.tasks.indices where self.tasks[task].queuedAt == actor {
            self.tasks[task].queuedAt = 0
            self.run(task)
        }
        for task in self.suspended[label] ?? [] where !self.running.contains(task) {
            if self.rules.contains(.suspended) { self.run(task) } else { self.running.append(task) }
        }
    }

    /// Notes that the step runs a task, or may do so.
    private mutating func run(_ index: Int) {
        self.running.append(index)
        let task = self.tasks[index]
        self.write(.task(task.label))
        if task.hasScope { self.write(.scope(task.label)) }
        guard self.rules.contains(.scopes) else { return }
        var child = task
        while let parent = child.parent {
            if child.traits.isAsyncLet { self.read(.scope(self.tasks[parent].label)) }
            child = self.tasks[parent]
        }
    }

    private var currentTask: Int? {
        guard let address = unsafe errand_current_task() else { return nil }
        return unsafe self.indices[errand_job_task_id(address)]
    }

    private mutating func noteCurrentTask() {
        if self.isInStep, let task = self.currentTask { self.write(.task(self.tasks[task].label)) }
    }

    private mutating func index(ofTask address: UInt) -> Int {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return 0 }
        let id = unsafe errand_job_task_id(pointer)
        if let index = self.indices[id] { return index }
        let (index, traits) = (self.tasks.count, RuntimeLayout.traits(ofTask: address))
        let parent = traits.isChild ? self.currentTask : nil
        if traits.isAsyncLet, let parent { self.noteScope(of: parent) }
        let task = ObservedTask(
            label: self.nextLabel(2, \.tasks), address: address, traits: traits, parent: parent,
            isRetained: self.retainsTasks && !traits.isAsyncLet, status: RuntimeLayout.status(ofTask: address))
        if task.isRetained { unsafe errand_retain(pointer) }
        self.indices[id] = index
        self.tasks.append(task)
        return index
    }

    private static func isTask(_ job: UInt) -> Bool {
        unsafe UnsafeRawPointer(bitPattern: job).map { unsafe errand_job_task_id($0) != 0 } ?? false
    }

    private mutating func noteScope(of parent: Int) {
        self.tasks[parent].hasScope = true
        self.write(.scope(self.tasks[parent].label))
    }

    private func label(ofActor address: UInt) -> UInt64 {
        // An actor from outside the run has the same address in all runs.
        self.actors[address] ?? Resource.mix(5, UInt64(address))
    }

    private mutating func nextLabel(_ kind: UInt64, _ ordinal: WritableKeyPath<Ordinals, UInt64>) -> UInt64 {
        self.ordinals[keyPath: ordinal] += 1
        let step = self.run.steps.last?.label ?? Self.origin
        return Resource.mix(Resource.mix(step, kind), self.ordinals[keyPath: ordinal])
    }

    private mutating func read(_ resource: Resource) {
        self.run.steps[self.run.steps.count - 1].footprint.read(resource)
    }

    private mutating func write(_ resource: Resource) {
        guard self.isInStep else { return }
        self.run.steps[self.run.steps.count - 1].footprint.write(resource)
    }

    private mutating func setBarrier() {
        self.run.steps[self.run.steps.count - 1].footprint.isBarrier = true
    }
}
