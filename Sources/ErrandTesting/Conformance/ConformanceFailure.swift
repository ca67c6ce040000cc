/// What a transport did that it should not have done, or did not do.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the case.
    public let caseID: String
    /// What should have come of it, in words.
    public let expected: String
    /// What came instead, in words.
    public let actual: String

    /// Creates a failure.
    public init(caseID: String, expected: String, actual: String) {
        self.caseID = caseID
        self.expected = expected
        self.actual = actual
    }

    /// One sentence with all of it.
    public var description: String {
        "\(self.caseID): expected \(self.expected), but what came was \(self.actual)"
    }
}
