internal import Foundation

/// The outcome of the tests.
struct TestOutcome: Sendable {
    /// The number of iterations that were run.
    var iterations = 0
    /// The number of tests that the first iteration ran.
    var tests = 0
    /// The number of iterations that could find races: with the sanitizer active, and at least one test.
    var conclusive = 0
    var races: [Race] = []
    /// The number of suppressed reports.
    var suppressed = 0
    /// The failures other than races.
    var failures: [TestFailure] = []
}

/// A failure of a build or an iteration, other than a race alone.
struct TestFailure: Hashable, Sendable, Encodable {
    /// The iteration, from 1; `nil` for the build.
    let iteration: Int?
    /// A description of the failure.
    let message: String
    /// The relevant lines of the log.
    let details: [String]
    /// The path of the log.
    let log: String
}

/// Builds the tests with the thread sanitizer once, and runs them the requested number of times.
///
/// Tests run one at a time: the sanitizer finds races between threads of one test, and these must not wait for the
/// threads of other tests. It is verified that a run could find races at all.
///
/// The build goes to a separate folder, since the usual one is in use by the process that started the plug-in. The
/// sanitizer writes to a file for each process, so that reports are not mixed with the output of tests. It does not
/// change the exit status, so that a failed test is distinguished from a race.
struct TestRun {
    let options: Options
    let folder: PackageFolder
    let scratch: URL
    let environment: [String: String]
    let launcher: any Launcher
    /// Called with the current step.
    let progress: (String) -> Void

    /// The default number of iterations: many races occur only in some of several runs.
    static let usualIterations = 3

    private var iterations: Int { self.options.iterations ?? Self.usualIterations }
    private var reports: ReportFolder { ReportFolder(in: self.scratch) }

    /// Runs everything.
    ///
    /// - Throws: ``UsageError`` if the tests cannot be run, or the folders cannot be written.
    func run() throws(UsageError) -> TestOutcome {
        try self.reports.clear()
        try self.checkSuppressions()
        var outcome = TestOutcome()
        self.progress("building the tests with the thread sanitizer")
        if let failure = try self.build() {
            outcome.failures.append(failure)
            return outcome
        }
        var tally = RaceTally(folder: self.folder)
        for iteration in 1...self.iterations {
            let (said, reports, failure) = try self.iterate(iteration)
            outcome.iterations = iteration
            if iteration == 1 { outcome.tests = said.count }
            if said.count > 0 { outcome.conclusive += 1 }
            outcome.suppressed += reports.suppressed
            tally.count(reports.found, iteration: iteration)
            if let failure { outcome.failures.append(failure) }
            self.progress(
                "iteration \(iteration) of \(self.iterations): \(Words.count(said.count, "test")),"
                    + " \(Words.count(reports.found.count, "report"))")
        }
        outcome.races = try self.demangled(tally.found)
        return outcome
    }

    // MARK: - Building

    private var suppressions: URL? {
        self.options.suppressions.map { URL(filePath: $0, relativeTo: self.folder.url).absoluteURL }
    }

    /// Throws for a file with a suppression that matches every race: `*` is any text, `^` and `$` are its ends.
    private func checkSuppressions() throws(UsageError) {
        guard let file = self.suppressions else { return }
        for line in ReportFolder.text(of: file).split(whereSeparator: \.isNewline).map(\.trimmed) {
            for kind in ["race:", "race_top:"] where line.hasPrefix(kind) {
                guard line.dropFirst(kind.count).allSatisfy({ "*^$ ".contains($0) }) else { continue }
                throw UsageError(message: "no race could be found: \"\(line)\" in \(file.path) suppresses all")
            }
        }
    }

    private func launch(_ arguments: [String], log: URL) -> Launch {
        let common = ["--package-path", self.folder.url.path, "--scratch-path", self.scratch.path, "--sanitize=thread"]
        return Launch(
            arguments: Array(arguments.prefix(1)) + common + arguments.dropFirst(), environment: self.environment,
            folder: self.folder.url, log: log)
    }

    private func build() throws(UsageError) -> TestFailure? {
        let log = self.reports.log("build")
        let status = try self.launcher.run(self.launch(["build", "--build-tests"], log: log))
        let message: String
        if status != 0 {
            message = "the tests could not be built"
        } else if !SanitizedBuild(in: self.scratch).isThere {
            message = "the tests were built without the thread sanitizer: nothing in \(self.scratch.path) has it"
        } else {
            return nil
        }
        return TestFailure(
            iteration: nil, message: message, details: TestLog(ReportFolder.text(of: log)).complaints, log: log.path)
    }

    // MARK: - Running

    /// The reports of the sanitizer.
    private struct Reports {
        var found: [RaceReport] = []
        var suppressed = 0

        mutating func read(_ text: String) {
            self.found += RaceReportParser.reports(in: text)
            self.suppressed += RaceReportParser.suppressedCount(in: text)
        }
    }

    private func iterate(_ number: Int) throws(UsageError) -> (TestLog, Reports, TestFailure?) {
        let log = self.reports.log("iteration-\(number)")
        let prefix = "tsan-\(number)"
        var launch = self.launch(["test", "--skip-build", "--no-parallel"] + self.selection, log: log)
        launch.environment["TSAN_OPTIONS"] = self.sanitizerOptions(prefix: prefix)
        let status = try self.launcher.run(launch)
        let text = ReportFolder.text(of: log)
        let said = TestLog(text)
        // If a sanitizer cannot write to its file, its reports are in the log.
        var reports = Reports()
        for name in self.reports.names where name.hasPrefix("\(prefix).") {
            reports.read(ReportFolder.text(of: self.reports.url.appending(path: name)))
        }
        reports.read(text)
        return (said, reports, Self.failure(status, said, iteration: number, log: log))
    }

    private var selection: [String] {
        self.options.filters.flatMap { ["--filter", $0] } + self.options.skips.flatMap { ["--skip", $0] }
    }

    /// The existing options from the environment, followed by the required ones: the last one of each counts.
    private func sanitizerOptions(prefix: String) -> String {
        var options = self.environment["TSAN_OPTIONS"].map { [$0] } ?? []
        options += [
            "halt_on_error=0", "exitcode=0", "report_bugs=1", "print_suppressions=1", "log_exe_name=0",
            "log_path='\(self.reports.url.appending(path: prefix).path)'",
        ]
        if let file = self.suppressions { options.append("suppressions='\(file.path)'") }
        return options.joined(separator: " ")
    }

    private static func failure(_ status: Int32, _ said: TestLog, iteration: Int, log: URL) -> TestFailure? {
        let message: String
        if status != 0 {
            message = "tests failed with status \(status)"
        } else if said.count == 0, said.skipped > 0 {
            message =
                "no test was run: \(Words.count(said.skipped, "test")) \(said.skipped == 1 ? "was" : "were") skipped"
        } else if said.count == 0 {
            message = "no test was run: does the filter match any?"
        } else {
            return nil
        }
        return TestFailure(iteration: iteration, message: message, details: said.complaints, log: log.path)
    }

    // MARK: - Names

    /// Demangles names; they stay as they are if that fails.
    private func demangled(_ races: [Race]) throws(UsageError) -> [Race] {
        let functions = races.flatMap(\.stacks).flatMap(\.frames).map(\.function)
        let variables = races.compactMap(\.location).flatMap { $0.split(separator: " ").map(String.init) }
        let names = Set((functions + variables).filter(Self.isMangled)).sorted()
        guard !names.isEmpty else { return races }
        var written: [String: String] = [:]
        for start in stride(from: 0, to: names.count, by: 200) {
            let some = names[start..<min(start + 200, names.count)]
            let log = self.reports.log("names")
            let arguments = ["demangle", "--compact", "--simplified"] + some
            let status = try self.launcher.run(
                Launch(arguments: arguments, environment: self.environment, folder: self.folder.url, log: log))
            let lines = ReportFolder.text(of: log).split(whereSeparator: \.isNewline).map(String.init)
            guard status == 0, lines.count == some.count else { return races }
            for (name, line) in zip(some, lines) { written[name] = line }
        }
        return races.map { $0.renamed { written[$0] ?? $0 } }
    }

    private static func isMangled(_ name: String) -> Bool {
        ["$s", "$S", "_$s", "_$S"].contains { name.hasPrefix($0) }
    }
}

extension Race {
    /// Returns the same race with renamed functions.
    fileprivate func renamed(_ name: (String) -> String) -> Race {
        let stacks = self.stacks.map { stack in
            RaceReport.Stack(
                title: stack.title,
                frames: stack.frames.map { frame in
                    var frame = frame
                    frame.function = name(frame.function)
                    return frame
                })
        }
        let location = self.location?.split(separator: " ").map { name(String($0)) }.joined(separator: " ")
        return Race(
            kind: self.kind, stacks: stacks, location: location, isOwn: self.isOwn, count: self.count,
            firstIteration: self.firstIteration)
    }
}
