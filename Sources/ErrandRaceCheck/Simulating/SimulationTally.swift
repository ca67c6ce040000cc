/// Counts results, and tells failures apart by the test and by what is the same in failures for the same reason.
struct SimulationTally {
    private struct Key: Hashable {
        let test: String
        let kind: String
    }

    /// How many cases were run.
    private(set) var cases = 0
    /// How many schedules were run, of all cases.
    private(set) var schedules = 0
    private var tests: Set<String> = []
    private var failures: [Key: SimulatedFailure] = [:]
    private let sources: ModuleSources

    /// Creates a tally that has counted nothing.
    ///
    /// - Parameter sources: Knows the paths of files.
    init(sources: ModuleSources) {
        self.sources = sources
    }

    /// How many tests were run.
    var testCount: Int { self.tests.count }

    /// How many of them have failed.
    var failedTestCount: Int { Set(self.failures.keys.map(\.test)).count }

    /// The failures, in the order of their places.
    var found: [SimulatedFailure] {
        self.failures.values.sorted {
            ($0.file, $0.line, $0.column, $0.test, $0.error) < ($1.file, $1.line, $1.column, $1.test, $1.error)
        }
    }

    /// Counts a result; of failures for the same reason the one with the fewest switches is kept.
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

    /// Does not depend on the order in which results are read.
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
