/// A job and the task to which it belongs, as far as the runtime tells.
struct JobIdentity {
    let job: UnownedJob

    /// The runtime's number of the task; zero for a job that is no task's, such as an actor's.
    let taskID: UInt64

    init(_ job: consuming ExecutorJob) {
        self.job = UnownedJob(job)
        self.taskID = Self.taskID(of: self.job)
    }
}

#if os(Linux)
    extension JobIdentity {
        private static func taskID(of job: UnownedJob) -> UInt64 { runtimeTaskID(job) }
    }

    /// The runtime's own function behind the description of a job; there is no other way to it but that text.
    @_silgen_name("swift_task_getJobTaskId")
    private func runtimeTaskID(_ job: UnownedJob) -> UInt64
#else
    extension JobIdentity {
        /// Reads the number in the description, which is `UnownedJob(id: 7)`: slower, but public.
        private static func taskID(of job: UnownedJob) -> UInt64 {
            UInt64(job.description.filter(\.isNumber)) ?? 0
        }
    }
#endif
