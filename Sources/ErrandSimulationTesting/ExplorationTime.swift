internal import ErrandLocks
internal import Testing

/// The real time that the tests of a process share to continue with new schedules; see `SharedTime`.
final class ExplorationTime: Sendable {
    /// The time of this process; `nil` if tests only run their own number of schedules.
    static let current = (try? SimulationSettings.current.get().time).map(ExplorationTime.init)

    private let start = ContinuousClock.now
    private let state: Locked<SharedTime<Test.ID>>

    /// Creates a time budget that starts now.
    init(_ total: Duration) {
        self.state = Locked(unobserved: SharedTime(total))
    }

    private var elapsed: Duration { ContinuousClock.now - self.start }

    /// Records that a test is going to run.
    func expect(_ test: Test) {
        self.state.withLock { $0.expects(test.id) }
    }

    /// Runs a case of a test.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - body: Runs the case, given a function that returns whether there is time for one more schedule.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body.
    func share<Value: Sendable>(
        with test: Test, _ body: (@escaping @Sendable () -> Bool) async throws -> Value
    ) async throws -> Value {
        let begin = self.elapsed
        self.state.withLock { $0.begins(test.id) }
        defer { self.state.withLock { $0.ends() } }
        return try await body {
            let now = self.elapsed
            return self.state.withLock { $0.mayGoOn(from: begin, now: now) }
        }
    }
}
