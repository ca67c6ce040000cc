/// All that was found, before it is written down.
struct Results: Sendable {
    /// How many files were scanned.
    var files = 0
    /// The files that could not be read.
    var unreadable: [String] = []
    /// The path of the allow list from the folder of the package.
    var allowList = ""
    /// What the allow list makes of the findings.
    var verdict = AllowList.Verdict()
    /// What is wrong with the allow list itself.
    var problems: [AllowProblem] = []
    /// What came of the tests; nothing where none were asked for.
    var tests: TestOutcome?
    /// How many findings the list lets be of a place that has more than that.
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
        let isRacing = self.tests?.races.isEmpty == false
        if !self.verdict.new.isEmpty || !self.verdict.stale.isEmpty || isRacing { return ExitCode.found }
        return self.tests?.failures.isEmpty == false || !self.unreadable.isEmpty ? ExitCode.failed : ExitCode.clean
    }

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
            parts.append(Words.count(tests.races.count, "race"))
            if !tests.failures.isEmpty { parts.append(Words.count(tests.failures.count, "failure")) }
        }
        return parts.joined(separator: ", ")
    }
}
