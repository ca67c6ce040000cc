/// Stands for the main actor's executor in one run: its jobs become jobs of the run.
///
/// The runtime keeps references to it that it does not own. Only tasks of the run have them; those own the executor of
/// the run by their preference, and that owns this one.
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
