public import ErrandSimulation
public import Testing

/// Checks that a history is linearizable, and records an issue if it is not, or if that could not be decided.
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
///   - history: What was done, and what it returned.
///   - model: What the operations must obey.
///   - limit: The largest number of configurations to search; a history needs at least as many as it has operations.
///   - sourceLocation: Where the issue is shown.
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
