/// What is looked for in sources: the places where the compiler's proof of race freedom ends, or where a thread is held.
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
        }
    }
}

/// A place in a source that a rule is about.
struct Finding: Hashable, Sendable, Encodable {
    let rule: Rule
    /// The path of the file from the folder of the package, with slashes.
    let file: String
    /// The line, from 1.
    let line: Int
    /// The column in bytes of UTF-8, from 1.
    let column: Int
    /// The declaration that it is in, such as `Counter.value`; ``Outline/topLevel`` where it is in none.
    let declaration: String
    /// The line of the source, without the white space around it.
    let source: String
    /// What else there is to say, such as where the lock is held.
    let note: String?

    /// What is wrong, with the note.
    var message: String {
        self.note.map { "\(self.rule.message) (\($0))" } ?? self.rule.message
    }

    /// What an entry of the allow list names.
    var place: Place {
        Place(rule: self.rule, file: self.file, declaration: self.declaration)
    }
}

/// A declaration of a file, and what is found there: stays the same when lines move.
struct Place: Hashable, Sendable {
    let rule: Rule
    let file: String
    let declaration: String
}
