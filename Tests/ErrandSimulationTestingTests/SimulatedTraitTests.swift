import ErrandLocks
import ErrandSimulation
import ErrandSimulationTesting
import TestEffort
import Testing

/// Tests of every kind that pass under the trait.
@Suite("Tests with the trait", .paced, .simulated(schedules: 50), .timeLimit(.minutes(60)))
struct SimulatedTraitTests {
    private static let runs = Locked<[String: Int]>([:])

    private static func count(_ name: String) -> Int {
        self.runs.withLock { runs in
            runs[name, default: 0] += 1
            return runs[name, default: 0]
        }
    }

    private let account = Account()

    @Test("A suite's trait goes for its tests, with a new suite for each schedule")
    func suite() async throws {
        #expect(await self.account.balance == 100)
        await self.account.spendSafely()
        #expect(await self.account.balance >= 0)
        #expect(Self.count("suite") <= 50)
    }

    @Test("A test's own trait goes before its suite's", .simulated(schedules: 3))
    func closest() {
        #expect(Self.count("closest") <= 3)
    }

    @Test("Every argument is explored by itself", arguments: [1, 2, 3])
    func arguments(_ amount: Int) async {
        await self.account.withdraw(amount)
        #expect(await self.account.balance == 100 - amount)
        #expect(Self.count("argument \(amount)") <= 50)
    }

    @Test("The body finds its context, and time is virtual")
    func context() async throws {
        let simulation = try #require(Simulation.current)
        try await simulation.clock.sleep(for: .seconds(86_400))
        #expect(simulation.clock.now.offset == .seconds(86_400))
        #expect(simulation.random.int(in: 0..<10) < 10)
    }

    @Test("Known issues are no failures")
    func knownIssue() async {
        withKnownIssue { #expect(Bool(false)) }
        await withKnownIssue(isIntermittent: true) {
            await self.account.spend()
            #expect(await self.account.balance >= 0)
        }
    }

    @Test("Confirmations are counted for each schedule")
    func confirmations() async {
        await confirmation(expectedCount: 2) { confirm in
            await withTaskGroup { group in
                for _ in 0..<2 { group.addTask { confirm() } }
            }
        }
    }

    @Test("A schedule is replayed", .simulated(replaying: "-"))
    func replay() async {
        await self.account.spendSafely()
        #expect(Self.count("replay") == 1)
    }

    @Test("A bounded search comes to its end", .simulated(schedules: 10_000, by: .bounded(switches: 1)))
    func bounded() async {
        await self.account.spendSafely()
        #expect(await self.account.balance >= 0)
    }

    @Test("A nested suite inherits the trait")
    func isSimulated() {
        #expect(Simulation.current != nil)
    }

    @Suite("Nested")
    struct Nested {
        @Test("A test of a nested suite is simulated")
        func isSimulated() {
            #expect(Simulation.current != nil)
        }
    }
}

/// Counts how often its scope is entered.
private struct ScopeCounter: TestTrait, TestScoping {
    let entries = Counter()

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        self.entries.increment()
        try await function()
    }
}

/// Traits beside the simulation's.
@Suite("Other traits with a scope", .timeLimit(.minutes(60)), .paced)
struct OtherTraitsTests {
    private static let (outer, inner, runs) = (ScopeCounter(), ScopeCounter(), Counter())

    @Test("One before the trait is outside of the schedules, one after it within each", outer, .simulated, inner)
    func scopes() {
        Self.runs.increment()
        #expect(Self.outer.entries.count == 1)
        #expect(Self.inner.entries.count == Self.runs.count)
    }
}

/// A trait without a suite of it.
@Test("The trait needs no arguments", .simulated)
func simulatedWithoutArguments() async {
    let account = Account()
    await account.spendSafely()
    #expect(await account.balance >= 0)
}
