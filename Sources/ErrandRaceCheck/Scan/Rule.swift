/// The rules for sources.
///
/// They find the places where the compiler's proof of race freedom ends, or where a thread is blocked, and members that
/// almost match a requirement of Errand and are ignored.
enum Rule: String, CaseIterable, Sendable, Encodable {
    /// A conformance that the compiler does not check.
    case uncheckedSendable = "unchecked-sendable"
    /// A variable that can be used from anywhere, without a check.
    case nonisolatedUnsafe = "nonisolated-unsafe"
    /// Declarations from before concurrency, which are not checked.
    case preconcurrency
    /// A continuation for which exactly one resumption is not checked.
    case unsafeContinuation = "unsafe-continuation"
    /// A task that inherits no actor, priority or cancellation, and is not awaited.
    case detachedTask = "detached-task"
    /// A primitive that blocks a thread until another one signals.
    case semaphore
    /// A lock that is held while the task is suspended.
    case lockAcrossAwait = "lock-across-await"
    /// A lock that is held while a continuation is resumed, a stream is fed, or a task is started.
    case resumeUnderLock = "resume-under-lock"
    /// A member with almost the name or the type of a requirement of Errand, which therefore keeps its default.
    case nearMiss = "near-miss"

    /// A description of the problem.
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
