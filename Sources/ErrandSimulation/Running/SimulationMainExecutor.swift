/// Replaces the main actor's executor in one run: its jobs become jobs of the run.
///
/// The runtime keeps unowned references to it. Only tasks of the run have them; those retain the executor of the run by
/// their preference, and that retains this one.
final class SimulationMainExecutor: SerialExecutor {
    private unowned let executor: SimulationExecutor

    init(_ executor: SimulationExecutor) {
        self.executor = executor
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.executor.reach.noteMain(job)
        self.executor.enqueue(ExecutorJob(job))
    }
}
