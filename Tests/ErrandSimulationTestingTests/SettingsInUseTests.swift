import ErrandLocks
import ErrandSimulation
import Foundation
import TestEffort
import Testing

@testable import ErrandSimulationTesting

/// What the trait does with what the environment asks for.
@Suite("Settings in use", .timeLimit(.minutes(60)), .paced)
struct SettingsInUseTests {
    private static let folder = FileManager.default.temporaryDirectory.appending(path: "errand-simulation-results")

    /// Runs a body as the trait runs a test, and returns the issues that would have been shown.
    private func issues(
        _ trait: SimulationTrait, _ settings: SimulationSettings, time: ExplorationTime? = nil,
        in body: @escaping @concurrent @Sendable () async throws -> Void
    ) async throws -> [Issue] {
        try await recordedIssues { test, testCase in
            try await SimulatedTest(
                plan: trait.plan, settings: settings, time: time, test: test, testCase: testCase, body: body
            ).perform()
        }
    }

    /// Returns what is written to a fresh folder, as JSON, and the issues.
    private func results(
        _ trait: SimulationTrait, in body: @escaping @concurrent @Sendable () async throws -> Void
    ) async throws -> (results: [[String: Any]], issues: Int) {
        let folder = Self.folder.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = SimulationSettings()
        settings.results = folder.path
        let issues = try await self.issues(trait, settings, in: body)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let objects = try files.map { try JSONSerialization.jsonObject(with: Data(contentsOf: $0)) }
        return (objects.compactMap { $0 as? [String: Any] }, issues.count)
    }

    // MARK: - Schedules and time

    @Test("A larger number takes the place of a test's own, and a smaller does not", arguments: [(20, 20), (5, 10)])
    func schedules(_ number: Int, _ expected: Int) async throws {
        let runs = Counter()
        var settings = SimulationSettings()
        settings.schedules = number
        #expect(try await self.issues(.simulated(schedules: 10), settings) { runs.increment() }.isEmpty)
        #expect(runs.count == expected)
    }

    @Test("A test goes on with new schedules while there is time")
    func time() async throws {
        let runs = Counter()
        let seeds = Locked<Set<UInt64>>([])
        let time = ExplorationTime(.seconds(3_000))
        // Fails at last, since the time is long.
        let issues = try await self.issues(.simulated(schedules: 1), SimulationSettings(), time: time) {
            runs.increment()
            let seed = try #require(Simulation.current?.seed)
            seeds.withLock { _ = $0.insert(seed) }
            if runs.count >= 100 { throw PlantedError() }
        }
        #expect(issues.first?.error is PlantedError)
        #expect(seeds.withLock { $0.count } == 100)
    }

    @Test("A test whose time is over runs its number of schedules")
    func noTime() async throws {
        let runs = Counter()
        let time = ExplorationTime(.zero)
        let issues = try await self.issues(.simulated(schedules: 10), SimulationSettings(), time: time) {
            runs.increment()
        }
        #expect(issues.isEmpty)
        #expect(runs.count == 10)
    }

    @Test("A bounded search ends with its last schedule, whatever time there is")
    func bounded() async throws {
        let runs = Counter()
        let time = ExplorationTime(.seconds(3_000))
        let trait = SimulationTrait.simulated(schedules: 1, by: .bounded(switches: 1))
        let issues = try await self.issues(trait, SimulationSettings(), time: time) {
            runs.increment()
            await Account().spendSafely()
        }
        #expect(issues.isEmpty)
        #expect(runs.count > 1)
    }

    // MARK: - Results

    @Test("A test that passes leaves how many schedules it ran")
    func passing() async throws {
        let (results, issues) = try await self.results(.simulated(schedules: 7)) {}
        #expect(issues == 0)
        try #require(results.count == 1)
        #expect(results[0]["version"] as? Int == 1)
        #expect(results[0]["name"] as? String == "A test that passes leaves how many schedules it ran")
        #expect((results[0]["test"] as? String)?.contains("SettingsInUseTests/passing()/") == true)
        #expect(results[0]["schedules"] as? Int == 7)
        #expect(results[0]["failure"] == nil)
        let replayed = try await self.results(.simulated(replaying: "-")) {}.results
        #expect(replayed.first?["schedules"] as? Int == 1)
    }

    @Test("One that fails leaves its least schedule, which fails again")
    func failing() async throws {
        let (results, issues) = try await self.results(.simulated(by: .random)) {
            let account = Account()
            await account.spend()
            #expect(await account.balance >= 0)
        }
        #expect(issues == 2)
        try #require(results.count == 1)
        let failure = try #require(results[0]["failure"] as? [String: Any])
        let schedule = try #require(failure["schedule"] as? String)
        #expect(failure["replay"] as? String == "@Test(.simulated(replaying: \"\(schedule)\"))")
        #expect((failure["error"] as? String)?.contains("Expectation failed") == true)
        #expect((failure["explanation"] as? String)?.contains("Timeline") == true)
        #expect(failure["switches"] as? Int == Simulation.Schedule(schedule)?.count)
        let place = try #require(failure["place"] as? [String: Any])
        #expect(place["fileID"] as? String == "ErrandSimulationTestingTests/SettingsInUseTests.swift")
        #expect((failure["kind"] as? String)?.contains("SettingsInUseTests.swift") == true)
    }

    enum Either: Error { case one, other }

    @Test("One that throws or comes to no end leaves the kind of that")
    func otherKinds() async throws {
        let thrown = try await self.results(.simulated) { throw PlantedError() }.results.first?["failure"]
        let failure = try #require(thrown as? [String: Any])
        #expect(failure["kind"] as? String == "ErrandSimulationTestingTests.PlantedError")
        #expect(failure["place"] == nil)
        let either = try await self.results(.simulated) { throw Either.one }.results.first?["failure"]
        #expect(
            (either as? [String: Any])?["kind"] as? String
                == "ErrandSimulationTestingTests.SettingsInUseTests.Either.one")
        let livelock = try await self.results(.simulated(limits: .init(maxSteps: 100))) {
            while true { await Task.yield() }
        }
        let endless = try #require(livelock.results.first?["failure"] as? [String: Any])
        #expect(endless["kind"] as? String == "tooManySteps")
    }

    @Test("A folder that cannot be written is an issue which names it")
    func unwritable() async throws {
        var settings = SimulationSettings()
        settings.results = #filePath
        let issues = try await self.issues(.simulated(schedules: 1), settings) {}
        #expect(issues.count == 1)
        let text = try #require(issues.first?.comments.first?.rawValue)
        #expect(text.contains("ERRAND_SIMULATION_RESULTS is \"\(#filePath)\", where no result can be written"))
    }
}
