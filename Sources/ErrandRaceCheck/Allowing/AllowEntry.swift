/// An entry of the allow list: findings that are allowed, with the reason.
struct AllowEntry: Hashable, Sendable {
    let place: Place
    /// The number of findings in the place that are allowed.
    let count: Int
    /// The reason; empty if it is still to be written.
    let reason: String
    /// The first line of the entry, from 1.
    let line: Int

    /// Formats an entry for findings of one place, whose reason is still to be written.
    static func draft(for place: Place, count: Int) -> String {
        var text = "rule: \(place.rule.rawValue)\nfile: \(place.file)\nin: \(place.declaration)\n"
        if count > 1 { text += "count: \(count)\n" }
        return text + "reason:\n"
    }
}

/// A problem in an allow list.
struct AllowProblem: Hashable, Sendable, Encodable {
    /// The kinds of problems.
    enum Kind: String, Sendable, Encodable {
        /// The entry cannot be parsed, or has no reason.
        case malformed
        /// The entry matches no findings, or fewer than it allows.
        case stale
    }

    let kind: Kind
    /// The line in the list, from 1.
    let line: Int
    /// A description of the problem.
    let message: String
}
