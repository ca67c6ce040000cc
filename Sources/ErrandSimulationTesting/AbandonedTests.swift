internal import ErrandLocks
internal import Testing

/// Keeps the cases of tests of which runs were left behind, with their arguments: another executor than the
/// simulation's, such as the main actor, may still be running a part of them.
enum AbandonedTests {
    private static let cases = Locked<[Test.Case]>([])

    /// Keeps a case until the process ends.
    static func keep(_ testCase: Test.Case?) {
        guard let testCase else { return }
        self.cases.withLock { $0.append(testCase) }
    }
}
