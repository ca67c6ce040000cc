internal import ErrandLocks

/// An executor that keeps its jobs and does not run them.
final class HoldingExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.jobs.withLock { $0.append(job) }
    }

    /// Gives the jobs away.
    func takeAll() -> [UnownedJob] {
        self.jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
    }
}
