internal import CErrandSimulation

/// A job and the task to which it belongs, as far as the runtime reports it.
struct JobIdentity {
    let job: UnownedJob

    /// The runtime's id of the task; zero for a job without a task, such as an actor's.
    let taskID: UInt64

    init(_ job: consuming ExecutorJob) {
        self.job = UnownedJob(job)
        self.taskID = Self.taskID(of: self.job)
    }
}

extension JobIdentity {
    /// Asks the runtime if its function is available, and otherwise parses the job's description, which is
    /// `UnownedJob(id: 7)`: that is slower, but public.
    private static func taskID(of job: UnownedJob) -> UInt64 {
        let id = unsafe errand_job_task_id(UnsafeRawPointer(bitPattern: job.address))
        return id != errand_unknown_task_id ? id : UInt64(job.description.filter(\.isNumber)) ?? 0
    }
}

extension UnownedJob {
    /// The address of the runtime's record of the job.
    var address: Int { unsafe unsafeBitCast(self, to: Int.self) }
}
