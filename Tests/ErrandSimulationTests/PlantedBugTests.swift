import ErrandSimulation
import SimulationCatalogue
import TestEffort
import Testing

/// Whether the strategies find the bugs of the catalogue, and nothing where there is none.
@Suite("Planted bugs", .timeLimit(.minutes(60)), .paced)
struct PlantedBugTests {
    /// Within how many schedules a bug has to be found.
    private static let schedules = 2_000

    private static let series = TestEffort.isDeep ? 15 : 3

    @Test("There are bugs of every depth, each with a name of its own")
    func catalogue() {
        #expect(PlantedBug.all.count >= 24)
        #expect(Set(PlantedBug.all.map(\.name)).count == PlantedBug.all.count)
        #expect(Set(PlantedBug.all.map(\.depth)) == [1, 2, 3, 4])
    }

    @Test("The default order does not show a bug", arguments: PlantedBug.all)
    func defaultOrder(_ bug: PlantedBug) async throws {
        try await Simulation.run(replaying: .standard, bug.broken)
    }

    @Test("Mixed schedules find each bug in each series, and the minimal one replays", arguments: PlantedBug.all)
    func mixed(_ bug: PlantedBug) async throws {
        for series in 0..<Self.series {
            let found = try await bug.search(by: .mixed, schedules: Self.schedules, series: series)
            let failure = try #require(found, "missed in series \(series)")
            #expect(failure.isRepeatable && failure.escapedJobs == 0)
            #expect(failure.schedule.count <= bug.depth)
            let again = try await Simulation.report(replaying: failure.schedule, bug.broken)
            #expect(again.failure.map { "\($0)" } == "\(failure.underlying)")
            #expect(again.schedule == failure.schedule)
        }
    }

    @Test("A search bounded by the depth finds each bug", arguments: PlantedBug.all)
    func bounded(_ bug: PlantedBug) async throws {
        let strategy = Simulation.Strategy.bounded(switches: bug.depth)
        #expect(try await bug.search(by: strategy, schedules: Self.schedules, series: 0) != nil)
    }

    @Test("Mixed schedules pass each mended program", arguments: PlantedBug.all)
    func mended(_ bug: PlantedBug) async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count, bug.mended)
    }

    @Test("All schedules with up to two switches pass each mended program", arguments: PlantedBug.all)
    func mendedBounded(_ bug: PlantedBug) async throws {
        let switches = TestEffort.isDeep ? 2 : 1
        let exploration = try await Simulation.explore(
            schedules: 10_000, by: .bounded(switches: switches), bug.mended)
        #expect(exploration.isComplete)
    }

    @Test("The table has a row for each bug, and is the same when it is made again")
    func table() async throws {
        let bugs = Array(PlantedBug.all.prefix(2))
        let table = StrategyTable(bugs: bugs, strategies: [.mixed, .bounded(switches: 1)], series: 3, schedules: 200)
        let text = try await table.markdown()
        let lines = text.split(separator: "\n")
        #expect(lines.first == "| bug | depth | switches | `mixed` | `bounded(switches: 1)` |")
        #expect(lines.dropFirst(2).first?.hasPrefix("| \(bugs[0].name) | \(bugs[0].depth) | 1 | ") == true)
        #expect(lines.count == 2 + bugs.count + 1)
        #expect(try await table.markdown() == text)
    }
}
