/// A report of the thread sanitizer.
struct RaceReport: Hashable, Sendable {
    /// One call of a stack.
    struct Frame: Hashable, Sendable, Encodable {
        /// The function, mangled or not, as reported.
        var function: String
        /// The path of its source; `nil` if the sanitizer does not know it.
        var file: String?
        /// The line, from 1; `nil` if the compiler has none for the access.
        var line: Int?
        /// The column, from 1.
        var column: Int?
        /// The library or program that contains it.
        var module: String?
    }

    /// An operation of a thread, with its call stack.
    struct Stack: Hashable, Sendable, Encodable {
        /// The operation, without the address, the thread and its number.
        let title: String
        var frames: [Frame]
    }

    /// The kind of the report, such as `data race`.
    let kind: String
    /// The operations, at most two of them: the access and the previous one.
    var stacks: [Stack]
    /// The memory location, such as a global's name; `nil` if it is not known.
    let location: String?
}
