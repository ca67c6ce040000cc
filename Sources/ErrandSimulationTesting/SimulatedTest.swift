internal import ErrandLocks
internal import ErrandSimulation
internal import Testing

/// One case of a test that is run under schedules.
struct SimulatedTest: Sendable {
    typealias Body = @concurrent @Sendable () async throws -> Void

    /// How long a test that seems to be in a deadlock is waited for, in real time, to find out whether it is.
    private static let patience = Duration.milliseconds(300)

    private let plan: SimulationPlan
    private let test: Test
    private let testCase: Test.Case?
    private let body: Body

    init(plan: SimulationPlan, test: Test, testCase: Test.Case?, body: @escaping Body) {
        self.plan = plan
        self.test = test
        self.testCase = testCase
        self.body = body
    }

    /// Runs the body under the schedules, and records what fails.
    ///
    /// - Throws: `CancellationError` if the test is cancelled.
    @concurrent
    func perform() async throws {
        try await IssueSink.trait.provideScope(for: self.test, testCase: self.testCase) {
            do {
                switch self.plan.kind {
                case .explore(let schedules, let strategy, let seed):
                    try await self.explore(schedules, by: strategy, seed: seed)
                case .replay(let schedule): try await self.replay(schedule)
                }
            } catch let error as CancellationError {
                AbandonedTests.keep(self.testCase)
                throw error
            }
        }
    }

    // MARK: - Private helpers

    private func explore(_ schedules: Int, by strategy: Simulation.Strategy, seed: UInt64) async throws {
        guard schedules > 0 else {
            let message: Comment = "`schedules: \(schedules)` runs nothing: there must be one at least."
            Issue.record(message, sourceLocation: self.test.sourceLocation)
            return
        }
        let isFirst = FirstTime()
        do {
            _ = try await Simulation.explore(
                schedules: schedules, by: strategy, seed: seed, within: self.plan.limits
            ) { _ in
                try await IssueSink(showing: isFirst.take() ? .others : .nothing).collect(self.body)
            }
        } catch let failure as SimulationFailure {
            let (loud, leaves) = (IssueSink(showing: .failures), try await self.leaves(failure))
            if failure.isRepeatable, !leaves { _ = try await self.failure(replaying: failure.schedule, loud) }
            await self.record(failure, leaves: leaves, shown: loud.failures)
        }
    }

    private func replay(_ schedule: Simulation.Schedule) async throws {
        let loud = IssueSink(showing: .everything)
        do {
            guard let failure = try await self.failure(replaying: schedule, loud) else { return }
            await self.record(failure, leaves: try await self.leaves(failure), shown: loud.failures)
        } catch let error as SimulationError {
            Issue.record(Comment(rawValue: error.description), sourceLocation: self.test.sourceLocation)
        }
    }

    private func failure(
        replaying schedule: Simulation.Schedule, _ sink: IssueSink
    ) async throws -> SimulationFailure? {
        try await Simulation.failure(replaying: schedule, within: self.plan.limits) { _ in
            try await sink.collect(self.body)
        }
    }

    /// Whether a test that seems to be in a deadlock awaits something outside of the simulation: it goes on then when it
    /// is given real time.
    private func leaves(_ failure: SimulationFailure) async throws -> Bool {
        guard (failure.underlying as? SimulationError)?.code == .stuck else { return false }
        guard failure.escapedJobs == 0 else { return true }
        let sink = IssueSink(showing: .nothing)
        let again = try await Simulation.failure(
            replaying: failure.schedule, within: self.plan.limits.with(patience: Self.patience)
        ) { _ in
            try await sink.collect(self.body)
        }
        return again.map { $0.escapedJobs > 0 } ?? true
    }

    private func record(_ failure: SimulationFailure, leaves: Bool, shown: [Issue]) async {
        AbandonedTests.keep(self.testCase)
        FailureRecord(failure, of: self.test, leaves: leaves, shown: shown).record()
        // Whatever of the test waits for the main actor gets there before the test's scope ends.
        if (failure.underlying as? SimulationError)?.code == .stuck { await MainActor.run {} }
    }

    /// Whether something is asked for the first time.
    private final class FirstTime: Sendable {
        private let state = Locked(true)

        func take() -> Bool {
            self.state.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
        }
    }
}
