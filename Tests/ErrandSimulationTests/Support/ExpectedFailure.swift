import ErrandSimulation
import Testing

/// Returns the failure of a simulation; records an issue if there is none.
///
/// Unlike `#expect(throws:)`, it does not describe the failure, for which the debug information of all tests would have
/// to be read: that takes about a second.
///
/// - Throws: Other errors of the body.
@discardableResult
func expectFailure<Value>(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async throws -> SimulationFailure? {
    do {
        _ = try await body()
    } catch let failure as SimulationFailure {
        return failure
    }
    Issue.record(comment ?? "no schedule has failed", sourceLocation: sourceLocation)
    return nil
}
