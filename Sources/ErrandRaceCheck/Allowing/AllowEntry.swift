/// What the allow list lets be, and why.
struct AllowEntry: Hashable, Sendable {
    let place: Place
    /// How many findings of the place it is about.
    let count: Int
    /// Why that is no race; empty where nobody has written it yet.
    let reason: String
    /// The line that the entry begins at, from 1.
    let line: Int

    /// Writes an entry for findings of one place, whose reason is still to be written.
    static func draft(for place: Place, count: Int) -> String {
        var text = "rule: \(place.rule.rawValue)\nfile: \(place.file)\nin: \(place.declaration)\n"
        if count > 1 { text += "count: \(count)\n" }
        return text + "reason:\n"
    }
}

/// What is wrong with an allow list.
struct AllowProblem: Hashable, Sendable, Encodable {
    /// The sorts of problems.
    enum Kind: String, Sendable, Encodable {
        /// The entry cannot be understood, or says nothing of why.
        case malformed
        /// The entry is about nothing that is there, or about more than is there.
        case stale
    }

    let kind: Kind
    /// The line in the list, from 1.
    let line: Int
    /// What is wrong, for a person.
    let message: String
}
