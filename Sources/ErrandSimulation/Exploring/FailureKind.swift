/// What two runs have in common that fail for the same reason, as far as can be told: the type of the error, and its
/// code if it is the simulation's own, its case if it is an enumeration, or what it says of itself.
struct FailureKind: Equatable, Sendable {
    private let type: ObjectIdentifier
    private let code: SimulationError.Code?
    private let kind: String?

    /// Returns the kind of a run's failure, or `nil` if it did not fail.
    init?(_ record: RunRecord) {
        guard let error = record.failure else { return nil }
        self.type = ObjectIdentifier(Swift.type(of: error as Any))
        self.code = (error as? SimulationError)?.code
        self.kind = (error as? any DistinguishedError)?.kind ?? Self.enumerationCase(of: error)
    }

    private static func enumerationCase(of error: any Error) -> String? {
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return nil }
        // A case with values has these as its only child, which has its name.
        return mirror.children.first.map { $0.label ?? "" } ?? String(reflecting: error)
    }
}

/// An error whose type alone does not say whether two of it have the same reason.
package protocol DistinguishedError: Error {
    /// What two errors have in common that have the same reason.
    var kind: String { get }
}
