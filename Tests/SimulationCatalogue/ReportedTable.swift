package import ErrandSimulation

/// The number of schedules that each strategy needs to find the reported bugs, by kind, as a table in Markdown.
package struct ReportedTable: Sendable {
    private let bugs: [ReportedBug]
    private let strategies: [Simulation.Strategy]
    private let series: Int
    private let schedules: Int

    /// Creates a table that has not been measured yet.
    ///
    /// - Parameters:
    ///   - bugs: The bugs.
    ///   - strategies: The strategies, one in each column.
    ///   - series: The number of series of schedules for each bug and strategy; at least one.
    ///   - schedules: The largest number of schedules of a series.
    package init(
        bugs: [ReportedBug] = ReportedBug.all, strategies: [Simulation.Strategy] = StrategyTable.strategies,
        series: Int = 15, schedules: Int = 2_000
    ) {
        self.bugs = bugs
        self.strategies = strategies
        self.series = max(series, 1)
        self.schedules = schedules
    }

    /// Measures all and returns two tables: one row for each bug, and one for each kind.
    ///
    /// A cell is the median number of schedules of the series, and for a kind the median of its bugs and the largest;
    /// in parentheses the series, or the bugs in all series, that were found, where not all were.
    ///
    /// - Throws: `CancellationError` if the caller is cancelled.
    package func markdown() async throws -> (bugs: String, kinds: String) {
        var medians: [[Int]] = []
        var (bugLines, kindLines) = ([self.head("bug")], [self.head("kind | bugs")])
        for bug in self.bugs {
            var (cells, row) = ([] as [String], [] as [Int])
            for strategy in self.strategies {
                let numbers = try await self.numbers(of: bug, by: strategy)
                let median = numbers[numbers.count / 2]
                let found = numbers.count { $0 < .max }
                row.append(found == numbers.count ? median : .max)
                cells.append(Self.text(median) + (found < numbers.count ? " (\(found))" : ""))
            }
            medians.append(row)
            bugLines.append("| " + ([bug.description] + cells).joined(separator: " | ") + " |")
        }
        for kind in ReportedBug.Kind.allCases + [nil] as [ReportedBug.Kind?] {
            let rows = self.bugs.indices.filter { kind == nil || self.bugs[$0].kind == kind }.map { medians[$0] }
            guard !rows.isEmpty else { continue }
            let cells = self.strategies.indices.map { column in Self.cell(rows.map { $0[column] }.sorted()) }
            let title = kind?.rawValue ?? "all"
            kindLines.append("| " + ([title, "\(rows.count)"] + cells).joined(separator: " | ") + " |")
        }
        return (bugLines.joined(separator: "\n"), kindLines.joined(separator: "\n"))
    }

    // MARK: - Private helpers

    private func head(_ first: String) -> String {
        let titles = "| \(first) | " + self.strategies.map { "`\($0)`" }.joined(separator: " | ") + " |"
        return titles + "\n|" + String(repeating: " --: |", count: titles.count { $0 == "|" } - 1)
    }

    /// Returns the sorted numbers of schedules of all series; a bug that was not found counts as the largest number.
    private func numbers(of bug: ReportedBug, by strategy: Simulation.Strategy) async throws -> [Int] {
        var numbers: [Int] = []
        for series in 0..<self.series {
            let failure = try await bug.search(by: strategy, schedules: self.schedules, series: series)
            numbers.append(failure?.scheduleNumber ?? .max)
        }
        return numbers.sorted()
    }

    private static func cell(_ numbers: [Int]) -> String {
        let found = numbers.filter { $0 < .max }
        guard let largest = found.last else { return "–" }
        let text = "\(Self.text(numbers[numbers.count / 2])), \(largest)"
        return found.count < numbers.count ? "\(text) (\(found.count))" : text
    }

    private static func text(_ number: Int) -> String { number < .max ? "\(number)" : "–" }
}
