/// A violation of the requirements by a transport or a cache.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the case.
    public let caseID: String
    /// A description of the expected behavior.
    public let expected: String
    /// A description of the actual behavior.
    public let actual: String

    /// Creates a failure.
    public init(caseID: String, expected: String, actual: String) {
        self.caseID = caseID
        self.expected = expected
        self.actual = actual
    }

    /// A sentence with the id, the expected and the actual behavior.
    public var description: String {
        "\(self.caseID): expected \(self.expected), but got \(self.actual)"
    }
}
