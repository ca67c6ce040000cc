/// What two runs have in common that fail for the same reason, as far as can be told: the type of the error, and its
/// code if it is the simulation's own, its case if it is an enumeration, or what it says of itself.
package struct FailureKind: Hashable, Sendable {
    private let type: String
    private let detail: String?

    /// Returns the kind of a run's failure, or `nil` if it did not fail.
    init?(_ record: RunRecord) {
        guard let error = record.failure else { return nil }
        self.init(of: error)
    }

    /// Creates the kind of an error.
    package init(of error: any Error) {
        self.type = String(reflecting: Swift.type(of: error as Any))
        switch error {
        case let error as SimulationError: self.detail = error.code.description
        case let error as any DistinguishedError: self.detail = error.kind
        default: self.detail = Self.enumerationCase(of: error)
        }
    }

    private static func enumerationCase(of error: any Error) -> String? {
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return nil }
        // A case with values has these as its only child, which has its name.
        if let child = mirror.children.first { return child.label }
        // What an error says of itself need not be the same twice.
        let value = error as Any
        let describesItself = value is any CustomStringConvertible || value is any CustomDebugStringConvertible
        return describesItself ? nil : String(describing: value)
    }
}

extension FailureKind: CustomStringConvertible {
    package var description: String { self.detail.map { "\(self.type).\($0)" } ?? self.type }
}

/// An error whose type alone does not say whether two of it have the same reason.
package protocol DistinguishedError: Error {
    /// What two errors have in common that have the same reason.
    var kind: String { get }
}
