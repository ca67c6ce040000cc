import ErrandLocks
import ErrandSimulation
import TestEffort
import Testing

@testable import ErrandSimulationTesting

/// Checks what tests with the trait `verified` record.
@Suite("Verified tests", .timeLimit(.minutes(60)), .paced)
struct VerifiedTraitTests {
    /// Runs a body as the trait runs a test, and returns the issues that would have been shown.
    private func issues(
        _ trait: SimulationTrait, in body: @concurrent @Sendable () async throws -> Void
    ) async throws -> [Issue] {
        try await recordedIssues { test, testCase in
            try await trait.provideScope(for: test, testCase: testCase, performing: body)
        }
    }

    @Test("A test that no schedule fails passes", .verified)
    func passes() async {
        let account = Account()
        await account.spendSafely()
        #expect(await account.balance >= 0)
    }

    @Test("A test that no class fails passes", .verified(sharing: .seen))
    func passesSeen() async {
        let account = Account()
        await account.spendSafely()
        #expect(await account.balance >= 0)
    }

    @Test("A failure is shown once, in its line, with its schedule", arguments: [Simulation.Sharing.unseen, .seen])
    func fails(_ sharing: Simulation.Sharing) async throws {
        let issues = try await self.issues(.verified(sharing: sharing)) {
            let account = Account()
            await account.spend()
            #expect(await account.balance >= 0)
        }
        try #require(issues.count == 2)
        #expect(issues[0].description.contains("Expectation failed"))
        #expect(issues[1].comments.first?.rawValue.contains("@Test(.simulated(replaying: \"") == true)
    }

    @Test("A bound that is reached is an issue with advice", arguments: [Simulation.Sharing.unseen, .seen])
    func bound(_ sharing: Simulation.Sharing) async throws {
        let issues = try await self.issues(.verified(schedules: 2, sharing: sharing)) { await Account().spendSafely() }
        let text = issues.first?.comments.first?.rawValue ?? ""
        #expect(issues.count == 1 && issues.first?.isFailure == true)
        #expect(text.contains("The test is not verified: it has explored 2 "))
        #expect(text.contains("ended at the bound of 2 schedules"))
        #expect(text.contains("see `sharing: .seen`") == (sharing == .unseen))
    }

    @Test("A task outside of the simulation is an issue")
    func stray() async throws {
        let issues = try await self.issues(.verified) { await MainActor.run {} }
        #expect(issues.count >= 1 && issues.allSatisfy(\.isFailure))
    }

    @Test("A point that is not reached is a warning")
    func points() async throws {
        let issues = try await self.issues(.verified(points: ["here", "there"])) { Simulation.current?.reached("here") }
        #expect(issues.count == 1 && issues.first?.isFailure == false)
        #expect(issues.first?.comments.first?.rawValue.hasSuffix("never reached: there.") == true)
    }

    @Test("A verification without schedules is an issue")
    func none() async throws {
        let issues = try await self.issues(.verified(schedules: 0)) {}
        #expect(issues.count == 1 && issues.first?.isFailure == true)
    }
}
