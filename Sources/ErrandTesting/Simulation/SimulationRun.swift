internal import Dispatch

/// One run of one scenario with one seed.
struct SimulationRun: Sendable {
    private let context: Simulation.Context
    private let driver: SimulationDriver

    init(seed: UInt64, maxSteps: Int, patience: Duration) {
        let executor = SimulationExecutor(seed: seed)
        self.context = Simulation.Context(seed: seed, executor: executor)
        self.driver = SimulationDriver(
            executor: executor, clock: self.context.clock, maxSteps: maxSteps, patience: patience)
    }

    /// Runs the body, driven by a thread of the queue, and returns its outcome and the run's report.
    ///
    /// The body's task is made here, by the caller's task, and so sees the caller's task-local values. A cancelled
    /// caller ends the run before its next job, with `CancellationError`.
    func perform<Value: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable (Simulation.Context) async throws -> Value
    ) async -> (outcome: Result<Value, any Error>, report: SimulationReport) {
        let (context, executor) = (self.context, self.driver.executor)
        // The scenario itself. It ends with the body, or is cancelled and left behind by `drive` if the body cannot
        // end.
        let task = Task(executorPreference: executor, priority: .medium) {
            defer { executor.bodyEnded() }
            return try await body(context)
        }
        let (ending, driven) = await self.drive(task, on: queue)
        var report = driven
        let outcome: Result<Value, any Error> =
            switch ending {
            case .ended: await task.result
            case .stuck: .failure(SimulationError.stuck(steps: report.steps, escapedJobs: report.escapedJobs))
            case .tooManySteps: .failure(SimulationError.tooManySteps(report.steps))
            case .interrupted: .failure(CancellationError())
            }
        if case .failure(let error) = outcome { report.failure = error }
        return (outcome, report)
    }

    // MARK: - Private helpers

    private func drive<Value: Sendable>(
        _ task: Task<Value, any Error>, on queue: DispatchQueue
    ) async -> (SimulationDriver.Ending, SimulationReport) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    let (ending, steps) = self.driver.drive()
                    let report = self.report(steps: steps)
                    task.cancel()
                    self.driver.windDown()
                    continuation.resume(returning: (ending, report))
                }
            }
        } onCancel: {
            self.driver.executor.interrupt()
        }
    }

    private func report(steps: Int) -> SimulationReport {
        SimulationReport(
            seed: self.context.seed, steps: steps, fingerprint: self.driver.executor.fingerprint,
            escapedJobs: self.driver.executor.escapedJobs, elapsed: self.context.clock.now.offset,
            trace: self.context.lines, failure: nil)
    }
}
