internal import ErrandLocks

/// An executor that holds its jobs and does not run them.
final class HoldingExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>(unobserved: [])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.jobs.withLock { $0.append(job) }
    }

    /// Removes and returns all jobs.
    func takeAll() -> [UnownedJob] {
        self.jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
    }
}
