/// The rules for sources: the places where the compiler's proof of race freedom ends, or where a thread is held; and
/// members that are nearly what Errand asks for, and are ignored.
enum Rule: String, CaseIterable, Sendable, Encodable {
    /// A conformance that nobody has checked.
    case uncheckedSendable = "unchecked-sendable"
    /// A variable that anyone may use from anywhere.
    case nonisolatedUnsafe = "nonisolated-unsafe"
    /// What was declared before concurrency is taken on trust.
    case preconcurrency
    /// A continuation that is not seen to be resumed exactly once.
    case unsafeContinuation = "unsafe-continuation"
    /// A task that inherits nothing and that nobody waits for.
    case detachedTask = "detached-task"
    /// What holds a thread until another signals.
    case semaphore
    /// A lock that is held while the task is suspended.
    case lockAcrossAwait = "lock-across-await"
    /// A lock that is held while others are let loose: a continuation is resumed, a stream is fed, a task is started.
    case resumeUnderLock = "resume-under-lock"
    /// A member with nearly the name or the type of a requirement of Errand's, which therefore keeps its default.
    case nearMiss = "near-miss"

    /// What is wrong with it, for a person.
    var message: String {
        switch self {
        case .uncheckedSendable: "@unchecked Sendable: the compiler does not check this conformance"
        case .nonisolatedUnsafe: "nonisolated(unsafe): the compiler does not check who uses this"
        case .preconcurrency: "@preconcurrency: errors about data races are silenced here"
        case .unsafeContinuation: "an unsafe continuation: resuming it twice, or never, is not noticed"
        case .detachedTask: "a detached task: it inherits no actor, priority or cancellation"
        case .semaphore: "a semaphore, condition or group: waiting for it holds a thread"
        case .lockAcrossAwait: "a lock is held across an await"
        case .resumeUnderLock: "a continuation is resumed, a stream fed or a task started while a lock is held"
        case .nearMiss: "nearly a requirement of Errand's, and ignored"
        }
    }
}
