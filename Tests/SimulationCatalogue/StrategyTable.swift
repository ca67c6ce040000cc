package import ErrandSimulation

/// How many schedules each strategy needs to find each planted bug, as a table in Markdown.
///
/// The numbers follow from the seeds, and so are the same wherever the table is made.
package struct StrategyTable: Sendable {
    /// The strategies that are compared unless others are named.
    package static let strategies: [Simulation.Strategy] = [
        .random, .sticky(percent: 75), .pct(depth: 2), .pct(depth: 3), .pct(depth: 5), .pos, .urw, .pausing(tasks: 1),
        .pausing(tasks: 2), .bounded(switches: 2), .mixed,
    ]

    private let bugs: [PlantedBug]
    private let strategies: [Simulation.Strategy]
    private let series: Int
    private let schedules: Int

    /// Creates a table that has not been measured yet.
    ///
    /// - Parameters:
    ///   - bugs: The bugs, one in each row.
    ///   - strategies: The strategies, one in each column.
    ///   - series: How many series of schedules are run for each number; at least one.
    ///   - schedules: The largest number of schedules of a series.
    package init(
        bugs: [PlantedBug] = PlantedBug.all, strategies: [Simulation.Strategy] = Self.strategies, series: Int = 15,
        schedules: Int = 2_000
    ) {
        self.bugs = bugs
        self.strategies = strategies
        self.series = max(series, 1)
        self.schedules = schedules
    }

    /// Measures all and returns the table, with a line on how to read it.
    ///
    /// - Throws: `CancellationError` if the caller is cancelled.
    package func markdown() async throws -> String {
        var lines = [self.row(["bug", "depth", "switches"] + self.strategies.map { "`\($0)`" })]
        lines.append(self.row([":--"] + Array(repeating: "--:", count: self.strategies.count + 2)))
        for bug in self.bugs { lines.append(try await self.row(of: bug)) }
        return (lines + ["", self.legend]).joined(separator: "\n")
    }

    // MARK: - Private helpers

    private var legend: String {
        """
        The median number of schedules until the bug is found, of \(self.series) series of up to \(self.schedules); \
        in parentheses the series that found it, where not all did. Switches are the fewest departures from the \
        default order with which it was seen to fail.
        """
    }

    private func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    private func row(of bug: PlantedBug) async throws -> String {
        var (cells, fewest) = ([] as [String], Int.max)
        for strategy in self.strategies {
            let failures = try await self.failures(of: bug, by: strategy)
            fewest = failures.reduce(fewest) { min($0, $1?.schedule.count ?? .max) }
            cells.append(self.cell(failures.map { $0?.scheduleNumber }))
        }
        return self.row([bug.name, "\(bug.depth)", fewest == .max ? "–" : "\(fewest)"] + cells)
    }

    /// Runs all series; a strategy that has no chance in it needs one only.
    private func failures(of bug: PlantedBug, by strategy: Simulation.Strategy) async throws -> [SimulationFailure?] {
        var failures: [SimulationFailure?] = []
        for series in 0..<(strategy.isExhaustive ? 1 : self.series) {
            failures.append(try await bug.search(by: strategy, schedules: self.schedules, series: series))
        }
        return failures
    }

    private func cell(_ numbers: [Int?]) -> String {
        let found = numbers.compactMap(\.self).sorted()
        guard !found.isEmpty else { return "–" }
        let median = numbers.count / 2
        let text = median < found.count ? "\(found[median])" : "> \(self.schedules)"
        return found.count == numbers.count ? text : "\(text) (\(found.count) of \(numbers.count))"
    }
}

extension Simulation.Strategy {
    fileprivate var isExhaustive: Bool { self.description.hasPrefix("bounded") }
}
