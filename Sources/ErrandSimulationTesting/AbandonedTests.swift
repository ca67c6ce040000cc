internal import ErrandLocks
internal import Testing

/// Retains the cases of tests with abandoned runs, including their arguments, since another executor, such as the main
/// actor, may still be running a part of them.
enum AbandonedTests {
    private static let cases = Locked<[Test.Case]>(unobserved: [])

    /// Retains a case until the process ends.
    static func keep(_ testCase: Test.Case?) {
        guard let testCase else { return }
        self.cases.withLock { $0.append(testCase) }
    }
}
