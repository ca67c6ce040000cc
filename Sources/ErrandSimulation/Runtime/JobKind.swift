/// What a job is for.
enum JobKind: Sendable {
    /// Goes on with a task.
    case task
    /// Lets an actor run what waits for it.
    case actor
    /// Ends a `Task.yield()`.
    case yield
    /// Something that the runtime does not tell.
    case other
}

extension JobKind {
    /// Finds out the kind of a job that has not been run yet.
    init(of identity: JobIdentity) {
        if identity.taskID != 0 {
            self = .task
        } else {
            self = RuntimeLayout.kind(of: identity.job) ?? .other
        }
    }
}
