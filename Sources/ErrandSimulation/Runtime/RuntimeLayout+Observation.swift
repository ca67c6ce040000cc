internal import CErrandSimulation

/// The flags of a task that other tasks can observe.
struct TaskStatus: Hashable, Sendable {
    let bits: UInt32

    /// True once the task has ended.
    var isComplete: Bool { self.bits & Self.complete != 0 }

    static let complete: UInt32 = 0x2000
    static let cancelled: UInt32 = 0x100
    /// The priority, the cancellation and the completion.
    static let mask: UInt32 = 0xFF | cancelled | complete
}

/// The properties of a task that do not change.
struct TaskTraits: Hashable, Sendable {
    let bits: UInt32

    /// True for a task of a group and for an `async let`.
    var isChild: Bool { self.bits & 1 << 24 != 0 }
    /// True for an `async let`, whose memory belongs to its parent.
    var isAsyncLet: Bool { self.bits & 1 << 28 != 0 }
}

#if os(Linux) && (arch(x86_64) || arch(arm64)) && compiler(>=6.3) && compiler(<6.4)
    extension RuntimeLayout {
        private static let nextOffset = 16
        private static let flagsOffset = 32
        private static let statusOffset = 96
        private static let queueOffset = 40
        private static let drainedActorOffset = 64
        /// The longest valid queue of an actor.
        private static let mostQueued = 10_000

        /// Returns the observable flags of a living task.
        static func status(ofTask task: UInt) -> TaskStatus {
            TaskStatus(bits: UInt32(truncatingIfNeeded: self.word(self.statusOffset, of: task)) & TaskStatus.mask)
        }

        /// Returns the properties of a living task.
        static func traits(ofTask task: UInt) -> TaskTraits {
            TaskTraits(bits: UInt32(truncatingIfNeeded: self.word(self.flagsOffset, of: task)))
        }

        /// Returns the address of the actor that a job drains.
        ///
        /// - Parameter job: A job of the kind `actor`.
        /// - Returns: The actor's address, or `nil` if the job is part of its actor.
        static func actor(drainedBy job: UnownedJob) -> UInt? {
            let address = UInt(bitPattern: job.address)
            guard UInt8(truncatingIfNeeded: self.word(self.flagsOffset, of: address)) == 193 else { return nil }
            return self.word(self.drainedActorOffset, of: address)
        }

        /// Returns the addresses of the jobs that wait for a living actor, the last that came first.
        static func queue(ofActor actor: UInt) -> [UInt] {
            var (jobs, next) = ([UInt](), self.word(self.queueOffset, of: actor) & ~7)
            while next != 0, jobs.count < self.mostQueued {
                jobs.append(next)
                next = self.word(self.nextOffset, of: next) & ~7
            }
            return jobs
        }

        private static func word(_ offset: Int, of address: UInt) -> UInt {
            guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return 0 }
            return unsafe pointer.load(fromByteOffset: offset, as: UInt.self)
        }

        // MARK: - Self-test

        /// True if queues, flags and the observation of new tasks and actors are as expected.
        static let knowsSharing: Bool = isKnown && ObservationProbe().passes()
    }

    /// Tests on two tasks, an actor and children whether the runtime's records are where they should be.
    private final class ObservationProbe {
        private actor Target {
            private var calls = 0

            func call() { self.calls += 1 }
        }

        private let executor = HoldingExecutor()
        private var held: [UnownedJob] = []
        private var createdTasks = 0
        private var createdActors = 0
        private var usedHandles: [UInt] = []

        func passes() -> Bool {
            var observer = unsafe errand_observer()
            unsafe observer.recorder = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
            unsafe observer.task_created = { recorder, _, _, _ in
                unsafe ObservationProbe.of(recorder)?.createdTasks += 1
            }
            unsafe observer.actor_created = { recorder, _ in unsafe ObservationProbe.of(recorder)?.createdActors += 1 }
            unsafe observer.handle_used = { recorder, task in
                unsafe ObservationProbe.of(recorder)?.usedHandles.append(UInt(bitPattern: task))
            }
            return unsafe withUnsafePointer(to: observer) { observer in
                let previous = unsafe errand_observe(observer)
                defer { _ = unsafe errand_observe(previous) }
                return self.testQueue() && self.testChildren() && self.testHandles()
            }
        }

        /// Queues two tasks at an actor, cancels one, and lets both end.
        private func testQueue() -> Bool {
            let target = Target()
            let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque())
            // Both end with the jobs that are run here.
            let first = Task(executorPreference: self.executor) { await target.call() }
            let second = Task(executorPreference: self.executor) { await target.call() }
            self.take()
            let tasks = self.addresses
            guard tasks.count == 2, self.createdTasks == 2, self.createdActors == 1,
                tasks.allSatisfy({ !RuntimeLayout.traits(ofTask: $0).isChild })
            else { return self.finish(false) }
            self.run()
            self.run()
            self.take()
            guard self.held.count == 1, let job = self.held.first, JobKind(of: JobIdentity(ExecutorJob(job))) == .actor,
                RuntimeLayout.actor(drainedBy: job) == address,
                RuntimeLayout.queue(ofActor: address) == tasks.reversed()
            else { return self.finish(false) }
            let before = tasks.map { RuntimeLayout.status(ofTask: $0).bits }
            first.cancel()
            let cancelled = tasks.map { RuntimeLayout.status(ofTask: $0).bits }
            guard cancelled == [before[0] | TaskStatus.cancelled, before[1]],
                before.allSatisfy({ $0 & ~0xFF == 0 && $0 != 0 })
            else { return self.finish(false) }
            let hasEnded = self.finish(true) && tasks.allSatisfy { RuntimeLayout.status(ofTask: $0).isComplete }
            // Until here both are alive.
            return withExtendedLifetime((first, second)) { hasEnded }
        }

        /// Starts a child of each sort.
        private func testChildren() -> Bool {
            // Ends with the jobs that are run here.
            _ = Task(executorPreference: self.executor) {
                async let one: Void = Task.yield()
                await withTaskGroup { group in group.addTask { await Task.yield() } }
                await one
            }
            self.take()
            self.run()
            self.take()
            let traits = self.addresses.map { RuntimeLayout.traits(ofTask: $0) }
            return self.finish(
                traits.count == 2 && traits.allSatisfy(\.isChild) && traits.map(\.isAsyncLet) == [true, false])
        }

        /// Uses the handle of a task in each way.
        private func testHandles() -> Bool {
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return false }
            self.usedHandles = []
            // Both end with the jobs that are run here.
            let task = Task(executorPreference: self.executor) {}
            let failing = Task(executorPreference: self.executor) { try Task.checkCancellation() }
            self.take()
            let tasks = self.addresses
            // The observer is that of this thread: the tasks run here.
            _ = Task(executorPreference: self.executor) {
                await task.value
                try? await failing.value
                _ = await task.result
                if !task.isCancelled { task.escalatePriority(to: .high) }
                task.cancel()
            }
            guard tasks.count == 2, self.finish(true) else { return false }
            return self.usedHandles == [tasks[0], tasks[1], tasks[0], tasks[0], tasks[0], tasks[0]]
        }

        private var addresses: [UInt] { self.held.map { UInt(bitPattern: $0.address) } }

        private func take() {
            self.held += self.executor.takeAll()
        }

        private func run() {
            guard !self.held.isEmpty else { return }
            let job = self.held.removeFirst()
            unsafe ExecutorJob(job).runSynchronously(on: self.executor.asUnownedTaskExecutor())
        }

        /// Runs the remaining jobs, and returns the result of the test.
        private func finish(_ result: Bool) -> Bool {
            self.take()
            while !self.held.isEmpty {
                self.run()
                self.take()
            }
            return result
        }

        private static func of(_ recorder: UnsafeRawPointer?) -> ObservationProbe? {
            unsafe recorder.map { unsafe Unmanaged<ObservationProbe>.fromOpaque($0).takeUnretainedValue() }
        }
    }
#else
    extension RuntimeLayout {
        static func status(ofTask task: UInt) -> TaskStatus { TaskStatus(bits: 0) }

        static func traits(ofTask task: UInt) -> TaskTraits { TaskTraits(bits: 0) }

        static func actor(drainedBy job: UnownedJob) -> UInt? { nil }

        static func queue(ofActor actor: UInt) -> [UInt] { [] }

        static var knowsSharing: Bool { false }
    }
#endif
