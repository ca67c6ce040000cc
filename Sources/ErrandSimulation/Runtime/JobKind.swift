/// The kind of a job.
enum JobKind: Sendable {
    /// Resumes a task.
    case task
    /// Runs the work that waits for an actor.
    case actor
    /// Ends a `Task.yield()`.
    case yield
    /// A job of a kind that the runtime does not report.
    case other
}

extension JobKind {
    /// Determines the kind of a job that has not been run yet.
    init(of identity: JobIdentity) {
        if identity.taskID != 0 {
            self = .task
        } else {
            self = RuntimeLayout.kind(of: identity.job) ?? .other
        }
    }
}
