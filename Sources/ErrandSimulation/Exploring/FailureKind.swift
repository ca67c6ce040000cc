/// The kind of a failure, equal for runs that probably fail for the same reason.
///
/// It consists of the type of the error and its code, if it is the simulation's own, its case, if it is an enumeration,
/// or else its description.
package struct FailureKind: Hashable, Sendable {
    private let type: String
    private let detail: String?

    /// Creates the kind of a run's failure; `nil` if the run did not fail.
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
        // A case with associated values has a single child, labeled with the case's name.
        if let child = mirror.children.first { return child.label }
        // The description of an error may differ each time.
        let value = error as Any
        let describesItself = value is any CustomStringConvertible || value is any CustomDebugStringConvertible
        return describesItself ? nil : String(describing: value)
    }
}

extension FailureKind: CustomStringConvertible {
    package var description: String { self.detail.map { "\(self.type).\($0)" } ?? self.type }
}

/// An error whose type alone does not identify its reason.
package protocol DistinguishedError: Error {
    /// The kind of the error, equal for errors with the same reason.
    var kind: String { get }
}
