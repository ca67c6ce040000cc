internal import ErrandSimulation
internal import Testing

/// The error of a run in which a test recorded failures, and may also have thrown.
struct RecordedIssues: DistinguishedError {
    /// The failures; there is at least one.
    let issues: [Issue]

    /// The location of the first failure: runs that fail in different lines fail for different reasons.
    var kind: String {
        self.issues.first?.sourceLocation.map(String.init(describing:)) ?? ""
    }

    /// Creates the error; `nil` if there are no failures.
    init?(_ issues: [Issue]) {
        guard !issues.isEmpty else { return nil }
        self.issues = issues
    }
}

extension RecordedIssues: CustomStringConvertible {
    var description: String {
        let first = self.issues.first.map(Self.text) ?? ""
        return self.issues.count == 1 ? first : "\(first) (and \(self.issues.count - 1) more)"
    }

    /// Returns the text of an issue, with its location.
    static func text(_ issue: Issue) -> String {
        let text = issue.description.replacing(" (error)", with: "", maxReplacements: 1)
        return issue.sourceLocation.map { "\(text), at \($0)" } ?? text
    }
}
