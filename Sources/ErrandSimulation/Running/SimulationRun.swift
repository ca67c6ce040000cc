internal import Dispatch
internal import ErrandLocks

/// One run of one scenario.
struct SimulationRun: Sendable {
    private let context: Simulation.Context
    private let driver: SimulationDriver

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - policy: Chooses the order of its jobs.
    ///   - seed: The seed of its context's chance.
    ///   - reach: The abilities to capture, all of which must be available.
    ///   - limits: The limits of the run.
    ///   - isRecording: True to record a timeline.
    ///   - trail: The file that records the schedule during the run.
    ///   - observer: Records what each step uses.
    init(
        policy: any SchedulingPolicy, seed: UInt64, reach: Simulation.Reach, limits: Simulation.Limits,
        isRecording: Bool = false, trail: Trail? = nil, observer: StepRecorder? = nil
    ) {
        let executor = SimulationExecutor(policy: policy, isRecording: isRecording, trail: trail, observer: observer)
        self.context = Simulation.Context(seed: seed, executor: executor)
        self.driver = SimulationDriver(executor: executor, clock: self.context.clock, reach: reach, limits: limits)
        executor.reach.prepare(reach, clock: self.context.clock, executor: executor)
    }

    /// Runs the body, driven by a thread, and returns its outcome and the record of the run.
    ///
    /// The body's task is created here, in the caller's task, so it sees the caller's task-local values. If the caller
    /// is cancelled, the run ends before its next job with `CancellationError`.
    func perform<Value: Sendable>(
        on thread: SimulationThread, _ body: @escaping @Sendable (Simulation.Context) async throws -> Value
    ) async -> (outcome: Result<Value, any Error>, record: RunRecord) {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            var record = self.record(.ended, steps: 0)
            record.failure = SimulationError.unavailable
            return (.failure(SimulationError.unavailable), record)
        }
        let (context, executor) = (self.context, self.driver.executor)
        // The scenario itself. It ends with the body, or is cancelled and abandoned by `drive` if the body cannot end.
        let task = Task(executorPreference: executor, priority: .medium) {
            defer { executor.bodyEnded() }
            return try await Simulation.$taskContext.withValue(context) { try await body(context) }
        }
        var record = await self.drive(task, on: thread)
        let outcome = await self.outcome(of: task, record)
        if case .failure(let error) = outcome { record.failure = error }
        return (outcome, record)
    }

    // MARK: - Private helpers

    /// Drives the run until it ends, or until one of its jobs has taken too long: that job's thread is then abandoned,
    /// and stops when the job ends.
    private func drive<Value: Sendable>(
        _ task: Task<Value, any Error>, on thread: SimulationThread
    ) async -> RunRecord {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = Answer(continuation)
                thread.drive(self.driver.executor, timeout: self.driver.limits.stepTimeout) {
                    answer.give(self.record(.blocked, steps: self.driver.executor.snapshot.log.count))
                    self.driver.executor.interrupt()
                } _: {
                    self.driver.executor.reach.withRoute(to: self.driver.executor) {
                        let (ending, steps) = self.driveObserved()
                        let record = self.record(ending, steps: steps)
                        self.driver.executor.observer?.close()
                        task.cancel()
                        self.driver.windDown()
                        answer.give(record)
                    }
                }
            }
        } onCancel: {
            self.driver.executor.interrupt()
        }
    }

    private func driveObserved() -> (ending: SimulationDriver.Ending, steps: Int) {
        guard let observer = self.driver.executor.observer else { return self.driver.drive() }
        var result = (ending: SimulationDriver.Ending.ended, steps: 0)
        observer.observe(on: self.driver.executor) { result = self.driver.drive() }
        return result
    }

    private func record(_ ending: SimulationDriver.Ending, steps: Int) -> RunRecord {
        let decided = self.driver.executor.snapshot
        let waiting = ending == .stuck ? self.driver.executor.observer?.waiting ?? [] : []
        return RunRecord(
            contextSeed: self.context.chanceSeed, usedChance: self.context.random.hasBeenUsed, ending: ending,
            steps: steps, decided: decided, waiting: waiting, elapsed: self.context.clock.now.offset,
            trace: self.context.lines, faults: self.context.faults.struck,
            points: self.context.points.names, reach: self.driver.reach)
    }

    private func outcome<Value: Sendable>(
        of task: Task<Value, any Error>, _ record: RunRecord
    ) async -> Result<Value, any Error> {
        switch record.ending {
        case .ended:
            let result = await task.result
            if case .success = result, let error = SimulationError.unreached(record) { return .failure(error) }
            return result
        case .stuck: return .failure(SimulationError.stuck(record))
        case .tooManySteps: return .failure(SimulationError.tooManySteps(record))
        case .tooLate:
            let limit = self.driver.limits.timeLimit ?? .zero
            return .failure(SimulationError.tooLate(record, limit: limit))
        case .interrupted: return .failure(CancellationError())
        case .misfit: return .failure(SimulationError.misfit(record))
        case .blocked: return .failure(SimulationError.blocked(record, limit: self.driver.limits.stepTimeout))
        }
    }

    /// A continuation that only the first caller resumes.
    private final class Answer: Sendable {
        private let continuation: Locked<CheckedContinuation<RunRecord, Never>?>

        init(_ continuation: CheckedContinuation<RunRecord, Never>) {
            self.continuation = Locked(unobserved: continuation)
        }

        func give(_ record: RunRecord) {
            let continuation = self.continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume(returning: record)
        }
    }
}
