import ErrandSimulation
import SimulationCatalogue
import TestEffort
import Testing

/// The bugs of other projects: the default strategy finds those that are broken, and passes those that are mended.
@Suite("Reported bugs", .timeLimit(.minutes(60)), .paced)
struct ReportedBugTests {
    private static let series = TestEffort.isFull ? 15 : 5

    /// The origins of bugs that the default strategy does not find in each series of 2 000 schedules.
    private static let missed: Set<String> = []

    @Test("There are at least 60, of every kind, each with an origin and a summary of its own")
    func catalogue() {
        #expect(ReportedBug.all.count >= 60)
        #expect(Set(ReportedBug.all.map(\.origin)).count == ReportedBug.all.count)
        #expect(Set(ReportedBug.all.map(\.summary)).count == ReportedBug.all.count)
        #expect(Set(ReportedBug.all.map(\.kind)) == Set(ReportedBug.Kind.allCases))
    }

    @Test("Mixed schedules find each bug in each series, and the minimal one replays", arguments: ReportedBug.all)
    func broken(_ bug: ReportedBug) async throws {
        var isMissed = false
        for series in 0..<Self.series {
            guard let failure = try await bug.search(by: .mixed, schedules: 2_000, series: series) else {
                isMissed = true
                continue
            }
            #expect(failure.isRepeatable && failure.escapedJobs == 0)
            let again = try await Simulation.report(replaying: failure.schedule, bug.broken)
            #expect(again.failure.map { "\($0)" } == "\(failure.underlying)")
        }
        #expect(isMissed == Self.missed.contains(bug.origin))
    }

    @Test("Mixed schedules pass each mended program", arguments: ReportedBug.all)
    func mended(_ bug: ReportedBug) async throws {
        let exploration = try await Simulation.explore(
            schedules: TestEffort.rounds(of: 1_200), limits: .init(maxSteps: 10_000), bug.mended)
        #expect(exploration.escapedSchedules == 0)
    }

    @Test("The table has a row for each bug and each kind")
    func table() async throws {
        let bugs = Array(ReportedBug.all.prefix(2))
        let table = ReportedTable(bugs: bugs, strategies: [.mixed, .random], series: 3, schedules: 200)
        let (rows, kinds) = try await table.markdown()
        #expect(rows.split(separator: "\n").count == 2 + bugs.count)
        let kindCount = Set(bugs.map(\.kind)).count
        #expect(kinds.split(separator: "\n").count == kindCount + 3)
    }
}
