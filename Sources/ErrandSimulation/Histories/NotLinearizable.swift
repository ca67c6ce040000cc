/// The error of a history that no order of its operations explains.
///
/// The description shows the least that is needed to see it: the operations from the last moment at which none was open
/// and the state was known, up to the first return that cannot be.
public struct NotLinearizable: Error, Sendable, Hashable {
    /// The operation that first returned what it cannot have, as text.
    public let operation: String

    /// Its client.
    public let client: String

    /// What it returned, as text.
    public let result: String

    /// The operations that are shown, a line for each, by client.
    public let history: [String]

    /// What was the case before them, and what would have been right.
    let before: String
    let explanation: [String]
}

extension NotLinearizable: CustomStringConvertible {
    /// The operation, the history and what would have been right.
    public var description: String {
        let head = "Not linearizable: `\(self.operation)` of client \(self.client) cannot have returned \(self.result)."
        return ([head, self.before] + self.history.map { "  \($0)" } + self.explanation).joined(separator: "\n")
    }
}
