extension History {
    /// Creates a history from text, such as the log of a test of a distributed system.
    ///
    /// Each line is an event of a process: its name, the type of the event, the name of the operation, and a value, which
    /// is the rest of the line. They are separated by spaces or tabs. Empty lines, and lines that begin with `#`, are
    /// ignored.
    ///
    /// ```
    /// # process, type, operation, value
    /// 0 invoke write 4
    /// 1 invoke read
    /// 0 ok write
    /// 1 ok read 4
    /// ```
    ///
    /// | type | meaning |
    /// |---|---|
    /// | `invoke` | the call of an operation |
    /// | `ok` | its return |
    /// | `fail` | its return, with the result of a failure; without one, the operation did not take effect |
    /// | `info` | it may or may not have taken effect, at any time after its call |
    ///
    /// The types are those of Jepsen. An operation without an end counts as one with `info`. A process has one operation
    /// at a time; after `info` it may call another one.
    ///
    /// - Parameters:
    ///   - text: The lines.
    ///   - limit: The largest number of operations.
    ///   - operation: Returns the operation of a name and a value, or `nil` if they are not valid.
    ///   - result: Returns the result of an operation that ended with `ok` and a value, or `nil` if it is not valid.
    ///   - failure: Returns the result of an operation that ended with `fail`, or `nil` if the operation did not take
    ///     effect: it is left out of the history. By default, no failure has a result.
    /// - Throws: `HistoryTextError` for the first line that is not valid.
    /// - Complexity: O(*n*), for *n* characters.
    public convenience init(
        parsing text: some StringProtocol, limit: Int = 1_000_000,
        operation: (_ name: String, _ value: String?) -> Operation?,
        result: (_ operation: Operation, _ value: String?) -> Result?,
        failure: (_ operation: Operation, _ value: String?) -> Result? = { _, _ in nil }
    ) throws(HistoryTextError) {
        var reader = HistoryReader<Operation, Result>(limit: limit)
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            guard let event = try HistoryEvent(parsing: line, number: number) else { continue }
            switch event.type {
            case .invoke: try reader.invoke(event, operation(event.name, event.value))
            case .ok: try reader.end(event) { result($0, event.value) }
            case .fail: try reader.fail(event) { failure($0, event.value) }
            case .info: try reader.leaveOpen(event)
            }
        }
        self.init(entries: reader.history, count: reader.count)
    }
}

/// The error of a history in text form, with the number of its line.
public struct HistoryTextError: Error, Sendable, Hashable {
    /// The number of the line, from 1.
    public let line: Int

    /// A description of the problem.
    public let message: String
}

extension HistoryTextError: CustomStringConvertible {
    /// The number of the line and the message.
    public var description: String { "line \(self.line): \(self.message)" }
}
