public import ErrandSimulation
public import Testing

/// Checks that a history is linearizable, and records an issue if it is not, or if the check is undecided.
///
/// ```swift
/// @Test(.simulated) func nothingIsLostInTheQueue() async {
///     let (queue, history) = (Queue(), History<QueueModel<Int>.Operation, Int?>())
///     …
///     expectLinearizable(history, model: QueueModel())
/// }
/// ```
///
/// - Parameters:
///   - history: The recorded operations and their results.
///   - model: The specification that the operations must obey.
///   - limit: The largest number of configurations to search; at least the number of operations is needed.
///   - sourceLocation: The source location of the issue.
public func expectLinearizable<Operation, Result>(
    _ history: History<Operation, Result>, model: some LinearizableModel<Operation, Result>, limit: Int = 100_000,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    do {
        try history.checkLinearizable(model: model, limit: limit)
    } catch {
        Issue.record(Comment(rawValue: "\(error)"), sourceLocation: sourceLocation)
    }
}
