import ErrandLocks
import Testing

/// Runs a body within the test that runs, and returns the issues that would have been shown.
func recordedIssues(in body: @Sendable (Test, Test.Case?) async throws -> Void) async throws -> [Issue] {
    let (test, testCase) = (try #require(Test.current), Test.Case.current)
    let issues = Locked<[Issue]>([])
    let recorder: IssueHandlingTrait = .compactMapIssues { issue in
        issues.withLock { $0.append(issue) }
        return nil
    }
    try await recorder.provideScope(for: test, testCase: testCase) { try await body(test, testCase) }
    return issues.withLock { $0 }
}
