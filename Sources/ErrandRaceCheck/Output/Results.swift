/// All that was found, before it is written down.
struct Results: Sendable {
    /// The number of files that were scanned.
    var files = 0
    /// The files that could not be read.
    var unreadable: [String] = []
    /// The path of the allow list from the folder of the package.
    var allowList = ""
    /// What the allow list makes of the findings.
    var verdict = AllowList.Verdict()
    /// What is wrong with the allow list itself.
    var problems: [AllowProblem] = []
    /// What came of the tests; `nil` where none were asked for.
    var tests: TestOutcome?
    /// What came of the simulated tests; `nil` where none were asked for.
    var simulation: SimulationOutcome?
    /// The number of findings the list lets be of a place that has more than that.
    var allowedCounts: [Place: Int] = [:]

    /// The statuses that the program ends with.
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

    /// What went wrong with tests apart from what was looked for.
    var testProblems: [TestFailure] { (self.tests?.failures ?? []) + (self.simulation?.problems ?? []) }

    /// What a finding says, with what the allow list says to it.
    func message(for finding: Finding) -> String {
        guard let count = self.allowedCounts[finding.place] else { return finding.message }
        return "\(finding.message); the allow list is about \(count) in \(finding.declaration), and there are more"
    }

    /// Everything in a sentence.
    var summary: String {
        var parts = ["\(Words.count(self.files, "file")) scanned"]
        parts.append("\(self.verdict.new.count) new")
        parts.append("\(self.verdict.allowed) allowed")
        let wrong = self.problems.count + self.verdict.stale.count
        if wrong > 0 { parts.append("\(Words.count(wrong, "problem")) in \(self.allowList)") }
        if let tests = self.tests {
            parts.append("\(Words.count(tests.tests, "test")) run \(Words.count(tests.iterations, "time"))")
            // Where none could be found, that there is none is not known.
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
