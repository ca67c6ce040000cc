internal import CErrandSimulation

/// A job of the runtime that ends the sleep of a task, and the sleeping task.
///
/// The job must be run exactly once. It ends the sleep if that has not been cancelled, and releases its resources.
struct SleepingJob: Sendable {
    private let job: UnownedJob
    /// The task's address, or zero if no task runs, which does not happen.
    ///
    /// It is only used until the task is ready again: before that, the task cannot end, unless another thread cancels
    /// it just as it goes to sleep. It is not retained, which would not keep the memory of an `async let`.
    private let task: Int
    /// The runtime's id of the task.
    let taskID: UInt64

    /// Creates the sleep of the running task.
    init(_ job: UnownedJob) {
        self.job = job
        let task = unsafe errand_current_task()
        self.task = Int(bitPattern: task)
        self.taskID = unsafe errand_job_task_id(task)
    }

    /// Ends the sleep as if its time had come; only releases its resources if it was cancelled.
    ///
    /// The job is run at once, even within a step, for which the runtime sets the running task aside. It only makes the
    /// sleeping task ready, which is the first that the run sees of it. It runs on no executor, since it prefers none:
    /// on the run's executor it would escape to the global one.
    func wake() {
        unsafe self.job.runSynchronously(on: Self.noExecutor)
    }

    /// Cancels the task, so that its sleep throws.
    func cancel() {
        if let task = unsafe UnsafeMutableRawPointer(bitPattern: self.task) { unsafe errand_reach_cancel_task(task) }
        self.wake()
    }

    /// The runtime's reference to no particular serial executor: two words that are zero.
    private static var noExecutor: UnownedSerialExecutor {
        unsafe unsafeBitCast((0, 0) as (Int, Int), to: UnownedSerialExecutor.self)
    }
}
