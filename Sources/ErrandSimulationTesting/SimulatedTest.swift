internal import ErrandLocks
internal import ErrandSimulation
internal import Testing

/// One case of a test that runs under schedules.
struct SimulatedTest: Sendable {
    typealias Body = @concurrent @Sendable () async throws -> Void

    let plan: SimulationPlan
    let settings: SimulationSettings
    let time: ExplorationTime?
    let test: Test
    private let testCase: Test.Case?
    let body: Body

    /// Creates a case.
    ///
    /// - Parameters:
    ///   - plan: The plan of the trait.
    ///   - settings: The settings of the environment.
    ///   - time: The time budget for further schedules after the number has been run; `nil` for none.
    ///   - test: The test.
    ///   - testCase: The case of the test.
    ///   - body: The body of the test.
    init(
        plan: SimulationPlan, settings: SimulationSettings = SimulationSettings(), time: ExplorationTime? = nil,
        test: Test, testCase: Test.Case?, body: @escaping Body
    ) {
        self.plan = plan
        self.settings = settings
        self.time = time
        self.test = test
        self.testCase = testCase
        self.body = body
    }

    /// Runs the body under the schedules, and records a failure.
    ///
    /// - Throws: `CancellationError` if the test is cancelled.
    @concurrent
    func perform() async throws {
        try await IssueSink.trait.provideScope(for: self.test, testCase: self.testCase) {
            do {
                try await Trail.$title.withValue(self.test.id.description) { try await self.performPlan() }
            } catch let error as CancellationError {
                AbandonedTests.keep(self.testCase)
                throw error
            }
        }
    }

    // MARK: - Private helpers

    private func performPlan() async throws {
        switch self.plan.kind {
        case .explore(let schedules, let strategy, let seed):
            try await self.explore(schedules, by: strategy, seed: seed)
        case .verify: try await self.verify()
        case .replay(let schedule): try await self.replay(schedule)
        }
    }

    private func explore(_ schedules: Int, by strategy: Simulation.Strategy, seed: UInt64) async throws {
        guard schedules > 0 else {
            self.complain("`schedules: \(schedules)` runs no schedule: there must be at least one.")
            return
        }
        try await self.recordingFailure {
            let count = max(schedules, self.settings.schedules ?? 0)
            self.report(CaseResult(of: self.test, schedules: try await self.trial(count, by: strategy, seed: seed)))
        }
    }

    /// Runs schedules, and shows and records the one that fails.
    func recordingFailure(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as SimulationFailure {
            let (loud, leaves) = (IssueSink(showing: .failures), try await self.leaves(failure))
            if failure.isRepeatable, !leaves { _ = try await self.failure(replaying: failure.schedule, loud) }
            await self.record(failure, leaves: leaves, shown: loud.failures)
        }
    }

    /// Runs the given number of schedules, and more while there is time; returns the number that were run.
    private func trial(_ schedules: Int, by strategy: Simulation.Strategy, seed: UInt64) async throws -> Int {
        let isFirst = FirstTime()
        let explore = { (goesOn: @escaping @Sendable () -> Bool) in
            let exploration = try await Simulation.explore(
                schedules: schedules, by: strategy, seed: seed, reach: self.plan.reach, limits: self.plan.limits,
                whileTrue: goesOn
            ) { _ in
                try await IssueSink(showing: isFirst.take() ? .others : .nothing).collect(self.body)
            }
            if strategy.isSearch, !exploration.isComplete {
                self.complain(
                    "`\(strategy)` has more than the \(exploration.schedules) schedules that were run: "
                        + "use a larger number for `schedules:` to run all of them.", .warning)
            }
            // A test with `patience` is meant to wait for other threads.
            if exploration.escapedSchedules > 0, self.plan.limits.patience <= .zero {
                self.complain(
                    "In \(exploration.escapedSchedules) of \(exploration.schedules) schedules the test left the simulation "
                        + "and came back from another thread: those were not run in a controlled order. "
                        + "`reach:` may capture what it awaits.", .warning)
            }
            return exploration.schedules
        }
        guard let time = self.time else { return try await explore { false } }
        return try await time.share(with: self.test, explore)
    }

    private func replay(_ schedule: Simulation.Schedule) async throws {
        let loud = IssueSink(showing: .everything)
        do {
            guard let failure = try await self.failure(replaying: schedule, loud) else {
                self.report(CaseResult(of: self.test, schedules: 1))
                return
            }
            // A schedule that does not belong to this test cannot be replayed.
            if let error = failure.underlying as? SimulationError, error.code == .scheduleDoesNotFit { throw error }
            await self.record(failure, leaves: try await self.leaves(failure), shown: loud.failures)
        } catch let error as SimulationError {
            self.complain(error.description)
        }
    }

    private func failure(
        replaying schedule: Simulation.Schedule, _ sink: IssueSink
    ) async throws -> SimulationFailure? {
        try await Simulation.failure(replaying: schedule, reach: self.plan.reach, limits: self.plan.limits) { _ in
            try await sink.collect(self.body)
        }
    }

    /// Returns whether a test that seems deadlocked awaits something outside of the simulation: it then proceeds when
    /// given real time.
    private func leaves(_ failure: SimulationFailure) async throws -> Bool {
        guard (failure.underlying as? SimulationError)?.code == .stuck else { return false }
        guard failure.escapedJobs == 0 else { return true }
        let sink = IssueSink(showing: .nothing)
        let again = try await Simulation.failure(
            replaying: failure.schedule, reach: self.plan.reach, limits: self.plan.patientLimits
        ) { _ in
            try await sink.collect(self.body)
        }
        return again.map { $0.escapedJobs > 0 } ?? true
    }

    private func record(_ failure: SimulationFailure, leaves: Bool, shown: [Issue]) async {
        AbandonedTests.keep(self.testCase)
        let record = FailureRecord(failure, of: self.test, leaves: leaves, shown: shown)
        record.record()
        self.report(CaseResult(of: self.test, schedules: failure.scheduleNumber ?? 1, failing: record))
        // Work of the test that waits for the main actor runs before the test's scope ends.
        if (failure.underlying as? SimulationError)?.code == .stuck { await MainActor.run {} }
    }

    /// Writes a result if the settings name a folder.
    func report(_ result: CaseResult) {
        guard let path = self.settings.results else { return }
        do {
            try ResultFolder(path).write(result)
        } catch {
            self.complain("ERRAND_SIMULATION_RESULTS is \"\(path)\", where no result can be written: \(error)")
        }
    }

    func complain(_ message: String, _ severity: Issue.Severity = .error) {
        Issue.record(Comment(rawValue: message), severity: severity, sourceLocation: self.test.sourceLocation)
    }

    /// Returns true only for the first call.
    final class FirstTime: Sendable {
        private let state = Locked(unobserved: true)

        func take() -> Bool {
            self.state.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
        }
    }
}
