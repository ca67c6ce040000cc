/// All results, before they are formatted.
struct Results: Sendable {
    /// The number of files that were scanned.
    var files = 0
    /// The files that could not be read.
    var unreadable: [String] = []
    /// The path of the allow list, relative to the package's folder.
    var allowList = ""
    /// The verdict of the allow list on the findings.
    var verdict = AllowList.Verdict()
    /// The problems of the allow list itself.
    var problems: [AllowProblem] = []
    /// The outcome of the tests; `nil` if they were not requested.
    var tests: TestOutcome?
    /// The outcome of the simulated tests; `nil` if they were not requested.
    var simulation: SimulationOutcome?
    /// The number of allowed findings, for places that have more.
    var allowedCounts: [Place: Int] = [:]

    /// The exit statuses of the program.
    enum ExitCode {
        static let clean: Int32 = 0
        static let found: Int32 = 1
        static let usage: Int32 = 2
        static let failed: Int32 = 3
    }

    var exitCode: Int32 {
        if !self.problems.isEmpty { return ExitCode.usage }
        let isRacing = self.tests?.races.isEmpty == false || self.simulation?.failures.isEmpty == false
        if !self.verdict.new.isEmpty || !self.verdict.stale.isEmpty || isRacing { return ExitCode.found }
        return !self.testProblems.isEmpty || !self.unreadable.isEmpty ? ExitCode.failed : ExitCode.clean
    }

    /// The test failures other than races and failing schedules.
    var testProblems: [TestFailure] { (self.tests?.failures ?? []) + (self.simulation?.problems ?? []) }

    /// Returns the message of a finding, with the number that the allow list permits.
    func message(for finding: Finding) -> String {
        guard let count = self.allowedCounts[finding.place] else { return finding.message }
        return "\(finding.message); the allow list allows \(count) in \(finding.declaration), and there are more"
    }

    /// A summary in one sentence.
    var summary: String {
        var parts = ["\(Words.count(self.files, "file")) scanned"]
        parts.append("\(self.verdict.new.count) new")
        parts.append("\(self.verdict.allowed) allowed")
        let wrong = self.problems.count + self.verdict.stale.count
        if wrong > 0 { parts.append("\(Words.count(wrong, "problem")) in \(self.allowList)") }
        if let tests = self.tests {
            parts.append("\(Words.count(tests.tests, "test")) run \(Words.count(tests.iterations, "time"))")
            // If no iteration could find races, it is unknown whether there are any.
            let isKnown = tests.conclusive > 0 || !tests.races.isEmpty
            parts.append(isKnown ? Words.count(tests.races.count, "race") : "no race could be found in that")
            if tests.suppressed > 0 { parts.append("\(Words.count(tests.suppressed, "report")) suppressed") }
            if !tests.failures.isEmpty { parts.append(Words.count(tests.failures.count, "failure")) }
        }
        if let simulation = self.simulation {
            let schedules = Words.count(simulation.schedules, "schedule")
            parts.append("\(Words.count(simulation.tests, "test")) simulated in \(schedules)")
            parts.append("\(simulation.failures.count) failing")
            if !simulation.problems.isEmpty { parts.append(Words.count(simulation.problems.count, "problem")) }
        }
        return parts.joined(separator: ", ")
    }
}
