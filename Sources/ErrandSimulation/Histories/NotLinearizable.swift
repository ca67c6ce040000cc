/// The error of a history that no order of its operations explains.
///
/// The description shows the smallest part that proves it: the operations from the last moment at which no operation
/// was open and the state was known, up to the first impossible return.
public struct NotLinearizable: Error, Sendable, Hashable {
    /// The first operation with an impossible result, as text.
    public let operation: String

    /// The client of the operation.
    public let client: String

    /// The result of the operation, as text.
    public let result: String

    /// The lines of the diagram: one per operation, by client.
    public let history: [String]

    /// The state before the shown operations, and the result that would have been correct.
    let before: String
    let explanation: [String]
}

extension NotLinearizable: CustomStringConvertible {
    /// The operation, the history and the result that would have been correct.
    public var description: String {
        let head = "Not linearizable: `\(self.operation)` of client \(self.client) cannot have returned \(self.result)."
        return ([head, self.before] + self.history.map { "  \($0)" } + self.explanation).joined(separator: "\n")
    }
}
