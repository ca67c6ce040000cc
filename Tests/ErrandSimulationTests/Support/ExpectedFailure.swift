import Testing

@testable import ErrandSimulation

/// Returns the failure of a simulation; records an issue if there is none.
///
/// Unlike `#expect(throws:)`, it does not describe the failure, for which the debug information of all tests would have
/// to be read: that takes about a second.
///
/// It is also an issue if a verification has found the failure only by the random schedules after all classes, unless
/// that is expected.
///
/// - Throws: Other errors of the body.
@discardableResult
func expectFailure<Value>(
    _ comment: Comment? = nil, afterAllClasses: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async throws -> SimulationFailure? {
    do {
        _ = try await body()
    } catch let failure as SimulationFailure {
        #expect(failure.contradictsProof == afterAllClasses, sourceLocation: sourceLocation)
        return failure
    }
    Issue.record(comment ?? "no schedule has failed", sourceLocation: sourceLocation)
    return nil
}
