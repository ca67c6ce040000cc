/// What two runs have in common that fail for the same reason, as far as can be told: the type of the error, and the
/// code if it is the simulation's own, or what the error says of itself.
struct FailureKind: Equatable, Sendable {
    private let type: ObjectIdentifier
    private let code: SimulationError.Code?
    private let kind: String?

    /// Returns the kind of a run's failure, or `nil` if it did not fail.
    init?(_ record: RunRecord) {
        guard let error = record.failure else { return nil }
        self.type = ObjectIdentifier(Swift.type(of: error as Any))
        self.code = (error as? SimulationError)?.code
        self.kind = (error as? any DistinguishedError)?.kind
    }
}

/// An error whose type alone does not say whether two of it have the same reason.
package protocol DistinguishedError: Error {
    /// What two errors have in common that have the same reason.
    var kind: String { get }
}
