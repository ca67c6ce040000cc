import ErrandSimulation
import TestEffort
import Testing

@testable import ErrandSimulationTesting

/// What a test with the trait records when it fails.
@Suite("Failing tests with the trait", .timeLimit(.minutes(60)), .paced)
struct FailingTests {
    /// A trait that waits, however busy the machine is, for what truly comes from outside.
    private static let patient: SimulationTrait = {
        var trait = SimulationTrait.simulated
        trait.plan.deadlockPatience = .seconds(3_600)
        return trait
    }()

    /// Runs a body as the trait runs a test, and returns the issues that would have been shown.
    private func issues(
        _ trait: SimulationTrait = .simulated, in body: @concurrent @Sendable () async throws -> Void
    ) async throws -> [Issue] {
        try await recordedIssues { test, testCase in
            try await trait.provideScope(for: test, testCase: testCase, performing: body)
        }
    }

    private static let overdraw: @concurrent @Sendable () async throws -> Void = {
        let account = Account()
        await account.spend()
        #expect(await account.balance >= 0)
    }

    // MARK: - What is shown

    @Test("A failed expectation is shown once, in its line, with an explanation")
    func expectation() async throws {
        let issues = try await self.issues { try await Self.overdraw() }
        try #require(issues.count == 2)
        #expect(issues[0].description.contains("Expectation failed"))
        let location = try #require(issues[0].sourceLocation)
        #expect(location.fileName == "FailingTests.swift")
        let text = try #require(issues[1].comments.first?.rawValue)
        #expect(text.contains("Expectation failed"))
        #expect(text.contains("at FailingTests.swift:\(location.line):\(location.column)"))
        #expect(text.contains("@Test(.simulated(replaying: \""))
        #expect(text.contains("Switches:"))
        #expect(text.contains("Timeline"))
        #expect(issues[1].sourceLocation == Test.current?.sourceLocation)
    }

    @Test("The schedule that is told fails again")
    func replay() async throws {
        let text = try #require(try await self.issues { try await Self.overdraw() }.last?.comments.first?.rawValue)
        let schedule = try #require(text.firstMatch(of: #/replaying: "([^"]+)"/#)?.1)
        let trait = SimulationTrait.simulated(replaying: try Simulation.Schedule(parsing: String(schedule)))
        let issues = try await self.issues(trait) { try await Self.overdraw() }
        #expect(issues.count == 2)
        #expect(issues.last?.comments.first?.rawValue.contains("replaying: \"\(schedule)\"") == true)
    }

    @Test("A failed requirement fails a schedule too")
    func requirement() async throws {
        let issues = try await self.issues {
            let account = Account()
            await account.spend()
            let balance = await account.balance
            try #require(balance >= 0)
        }
        #expect(issues.count == 2)
    }

    @Test("A thrown error is recorded")
    func thrown() async throws {
        let issues = try await self.issues {
            let account = Account()
            await account.spend()
            if await account.balance < 0 { throw PlantedError() }
        }
        #expect(issues.count == 2)
        #expect(issues.first?.error is PlantedError)
    }

    @Test("A confirmation without its event fails, and so does a known issue that does not come up")
    func otherIssues() async throws {
        let unconfirmed = try await self.issues { await confirmation { _ in } }
        #expect(unconfirmed.count == 2)
        let unknown = try await self.issues { withKnownIssue {} }
        #expect(unknown.count == 2)
    }

    @Test("Known issues and warnings of a passing test are shown once")
    func others() async throws {
        let issues = try await self.issues {
            withKnownIssue { #expect(Bool(false)) }
            Issue.record("careful", severity: .warning)
        }
        #expect(issues.count == 2)
        #expect(!issues.contains { $0.isFailure })
    }

    @Test("Failures in different lines are not taken for one another")
    func lines() async throws {
        let issues = try await self.issues(.simulated(by: .random)) {
            let (account, other) = (Account(), Account())
            await account.spend()
            await other.spend()
            #expect(await other.balance >= 0, "other")
            #expect(await account.balance >= 0, "account")
        }
        let texts = issues.map(\.description)
        #expect(issues.count == 2)
        #expect(texts.first?.contains("other") == texts.last?.contains("other"))
    }

    @Test("A failure that does not come up again is told with its place all the same")
    func unrepeatable() async throws {
        let runs = Counter()
        let issues = try await self.issues {
            runs.increment()
            #expect(runs.count != 3)
        }
        try #require(issues.count == 2)
        #expect(issues[0].description.contains("could not be shown"))
        #expect(issues[0].sourceLocation?.fileName == "FailingTests.swift")
        #expect(issues[1].comments.first?.rawValue.contains("was not seen again") == true)
    }

    // MARK: - What comes to no end

    @Test("A deadlock is told, and the process goes on")
    func deadlock() async throws {
        let issues = try await self.issues {
            await withTaskGroup { group in
                group.addTask { for await _ in AsyncStream<Void>.makeStream().stream {} }
                group.addTask { unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            }
        }
        #expect(issues.count == 1)
        #expect(issues.first?.comments.first?.rawValue.contains("stuck: ") == true)
        #expect(issues.first?.comments.first?.rawValue.contains("left the simulation") == false)
    }

    @Test("A livelock ends with the limit on steps, and a long sleep with that on virtual time")
    func limits() async throws {
        let livelock = try await self.issues(.simulated(limits: .init(maxSteps: 500))) {
            while true { await Task.yield() }
        }
        #expect(livelock.first?.comments.first?.rawValue.contains("tooManySteps: ") == true)
        let late = try await self.issues(.simulated(limits: .init(timeLimit: .seconds(60)))) {
            try await Simulation.current?.clock.sleep(for: .seconds(61))
        }
        #expect(late.first?.comments.first?.rawValue.contains("tooLate: ") == true)
        let early = try await self.issues(.simulated(limits: .init(timeLimit: .seconds(60)))) {
            try await Simulation.current?.clock.sleep(for: .seconds(60))
        }
        #expect(early.isEmpty)
    }

    @MainActor
    private static func work() { MainActor.assertIsolated() }

    @Test("A test on the main actor is told that it leaves the simulation")
    func mainActor() async throws {
        let issues = try await self.issues(Self.patient) { await Self.work() }
        #expect(issues.count == 1)
        #expect(issues.first?.comments.first?.rawValue.contains("main actor") == true)
        #expect(issues.first?.comments.first?.rawValue.contains("left the simulation") == true)
    }

    @Test("So is one that awaits a plain task or sleeps in real time")
    func plainTask() async throws {
        let task = try await self.issues(Self.patient) {
            // Ends at once.
            await Task {}.value
        }
        let sleep = try await self.issues(Self.patient) {
            await Account().spendSafely()
            try await Task.sleep(for: .milliseconds(1))
        }
        for issues in [task, sleep] {
            #expect(issues.count == 1)
            #expect(issues.first?.comments.first?.rawValue.contains("left the simulation") == true)
        }
    }

    // MARK: - Bad input

    @Test("A schedule that is none, or does not fit, is an issue that names the entry")
    func badSchedules() async throws {
        let none = try await self.issues(.simulated(replaying: "nonsense")) {}
        #expect(none.count == 1)
        #expect(none.first?.comments.first?.rawValue.contains("nonsense") == true)
        let misfit = try await self.issues(.simulated(replaying: "b6>f")) { try await Self.overdraw() }
        #expect(misfit.last?.comments.first?.rawValue.contains("b6>f") == true)
        #expect(misfit.last?.comments.first?.rawValue.contains("scheduleDoesNotFit") == true)
        #expect(!misfit.contains { $0.comments.first?.rawValue.contains("Run it again") == true })
    }

    @Test("What fails in a task that outlives the test is shown")
    func leftover() async throws {
        let issues = try await self.issues(.simulated(schedules: 3)) {
            // Unstructured on purpose; the schedule's end lets it end.
            Task(executorPreference: Simulation.current?.executor) {
                for _ in 0..<20 { await Task.yield() }
                #expect(Bool(false))
            }
        }
        #expect(!issues.isEmpty)
    }

    @Test("Running no schedule is an issue")
    func noSchedules() async throws {
        let issues = try await self.issues(.simulated(schedules: 0)) {}
        #expect(issues.count == 1)
    }

    @Test("A bounded search that is cut short is a warning")
    func cutShort() async throws {
        let issues = try await self.issues(.simulated(schedules: 3, by: .bounded(switches: 3))) {
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { await Task.yield() } }
            }
        }
        #expect(issues.map(\.severity) == [.warning])
        #expect(issues.first?.comments.first?.rawValue.contains("more than the 3 schedules") == true)
    }

    @Test("A cancelled test stops exploring")
    func cancelled() async throws {
        // Ends with the exploration, which ends with the cancellation.
        let task = Task {
            try await self.issues { try await Simulation.current?.clock.sleep(for: .seconds(1)) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
