/// Counts results, and distinguishes failures by the test and the kind of the failure.
struct SimulationTally {
    private struct Key: Hashable {
        let test: String
        let kind: String
    }

    /// The number of cases that were run.
    private(set) var cases = 0
    /// The number of schedules that were run, over all cases.
    private(set) var schedules = 0
    private var tests: Set<String> = []
    private var failures: [Key: SimulatedFailure] = [:]
    private let sources: ModuleSources

    /// Creates an empty tally.
    ///
    /// - Parameter sources: Finds the paths of files.
    init(sources: ModuleSources) {
        self.sources = sources
    }

    /// The number of tests that were run.
    var testCount: Int { self.tests.count }

    /// The number of failed tests.
    var failedTestCount: Int { Set(self.failures.keys.map(\.test)).count }

    /// The failures, in the order of their locations.
    var found: [SimulatedFailure] {
        self.failures.values.sorted {
            ($0.file, $0.line, $0.column, $0.test, $0.error) < ($1.file, $1.line, $1.column, $1.test, $1.error)
        }
    }

    /// Counts a result; of failures of the same kind, the one with the fewest switches is kept.
    mutating func count(_ result: CaseResult) {
        self.cases += 1
        self.schedules += result.schedules
        self.tests.insert(result.test)
        guard let failure = result.failure else { return }
        let key = Key(test: result.test, kind: failure.kind)
        let cases = (self.failures[key]?.cases ?? 0) + 1
        if Self.isLess(failure, than: self.failures[key]) { self.failures[key] = self.failure(failure, of: result) }
        self.failures[key]?.cases = cases
    }

    /// Compares failures independently of the order in which results are read.
    private static func isLess(_ failure: CaseResult.Failure, than other: SimulatedFailure?) -> Bool {
        guard let other else { return true }
        return (failure.switches, failure.schedule) < (other.switches, other.schedule)
    }

    private func failure(_ failure: CaseResult.Failure, of result: CaseResult) -> SimulatedFailure {
        let place = failure.place ?? result.place
        let explanation = failure.explanation.split(whereSeparator: \.isNewline).map(String.init)
        return SimulatedFailure(
            test: result.test, name: result.name, file: self.sources.path(of: place.fileID), line: place.line,
            column: place.column, error: failure.error, schedule: failure.schedule, switches: failure.switches,
            replay: failure.replay, explanation: explanation, cases: 0)
    }
}
