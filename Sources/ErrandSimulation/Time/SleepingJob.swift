internal import CErrandSimulation

/// A job of the runtime that ends the sleep of a task, and the sleeping task.
///
/// The job must be run exactly once. It ends the sleep if that has not been cancelled, and releases its resources.
final class SleepingJob: Sendable {
    private let job: UnownedJob
    /// The task's address, retained; zero if no task runs, which does not happen.
    private let task: Int

    /// Creates the sleep of the running task.
    init(_ job: UnownedJob) {
        self.job = job
        self.task = Int(bitPattern: unsafe errand_reach_retain_current_task())
    }

    deinit {
        if let task = unsafe self.pointer { unsafe errand_reach_release_task(task) }
    }

    /// True if the sleep was cancelled.
    ///
    /// A task that was cancelled before it went to sleep has no such job, so a task that is cancelled now has been
    /// woken.
    var hasEnded: Bool {
        guard let task = unsafe self.pointer else { return false }
        return unsafe errand_reach_task_is_cancelled(task)
    }

    /// Ends the sleep as if its time had come.
    ///
    /// The job is run at once, even within a step, for which the runtime sets the running task aside. It only makes the
    /// sleeping task ready, which is the first that the run sees of it. It runs on no executor, since it prefers none:
    /// on the run's executor it would escape to the global one.
    func wake() {
        unsafe self.job.runSynchronously(on: Self.noExecutor)
    }

    /// Cancels the task, so that its sleep throws.
    func cancel() {
        if let task = unsafe self.pointer { unsafe errand_reach_cancel_task(task) }
        self.wake()
    }

    /// The runtime's reference to no particular serial executor: two words that are zero.
    private static var noExecutor: UnownedSerialExecutor {
        unsafe unsafeBitCast((0, 0) as (Int, Int), to: UnownedSerialExecutor.self)
    }

    private var pointer: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: self.task) }
}
