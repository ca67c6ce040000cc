/// A report of the thread sanitizer.
struct RaceReport: Hashable, Sendable {
    /// One call of a stack.
    struct Frame: Hashable, Sendable, Encodable {
        /// The function, mangled or not, as it was reported.
        var function: String
        /// The path of its source; `nil` where the sanitizer knows none.
        var file: String?
        /// The line, from 1; `nil` where the compiler has none for the access.
        var line: Int?
        /// The column, from 1.
        var column: Int?
        /// The library or program it is in.
        var module: String?
    }

    /// What a thread did, and how it came there.
    struct Stack: Hashable, Sendable, Encodable {
        /// What it did, without the address, the thread and its number.
        let title: String
        var frames: [Frame]
    }

    /// What it is about, such as `data race`.
    let kind: String
    /// What was done, at most two of them: the access and the one before it.
    var stacks: [Stack]
    /// What it was done to, such as a global's name; `nil` where that is not known.
    let location: String?
}
