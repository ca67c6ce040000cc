internal import Foundation

/// The outcome of the simulated tests.
struct SimulationOutcome: Sendable {
    /// The number of simulated tests that were run.
    var tests = 0
    /// The total number of schedules that were run.
    var schedules = 0
    /// The failures, each with its shortest schedule.
    var failures: [SimulatedFailure] = []
    /// The failures other than failing schedules.
    var problems: [TestFailure] = []
}

/// Builds the tests as usual, runs the simulated ones under more schedules, and reads their results.
struct SimulationRun {
    let options: Options
    let plan: Plan
    let scratch: URL
    let environment: [String: String]
    let launcher: any Launcher
    /// Called with the current step.
    let progress: (String) -> Void

    /// The minimum number of schedules if neither a number nor a time is requested.
    static let usualSchedules = 10_000

    private var reports: ReportFolder { ReportFolder(in: self.scratch) }
    private var results: URL { self.reports.url.appending(path: "results", directoryHint: .isDirectory) }
    private var trails: URL { self.reports.url.appending(path: "trails", directoryHint: .isDirectory) }

    /// Runs everything.
    ///
    /// - Throws: ``UsageError`` if the tests cannot be run, or the folders cannot be written.
    func run() throws(UsageError) -> SimulationOutcome {
        try self.reports.clear()
        let filters = self.options.filters.isEmpty ? SimulatedTests.filters(in: self.plan) : self.options.filters
        guard !filters.isEmpty else {
            return SimulationOutcome(problems: [self.problem("no test carries the trait .simulated", "", nil)])
        }
        self.progress("building the tests")
        let buildLog = self.reports.log("build")
        guard try self.swift("build", ["--build-tests"], log: buildLog) == 0 else {
            let text = ReportFolder.text(of: buildLog)
            return SimulationOutcome(problems: [self.problem("the tests could not be built", text, buildLog)])
        }
        self.progress("running simulated tests, \(self.extent)")
        return try self.test(filters)
    }

    // MARK: - Private helpers

    /// A description of the number of schedules and the time.
    private var extent: String {
        let schedules = self.schedules.map { "with at least \(Words.count($0, "schedule")) each" }
        let time = self.options.seconds.map { "for \(Words.count($0, "second"))" }
        return [schedules, time].compactMap(\.self).joined(separator: ", ")
    }

    private var schedules: Int? {
        self.options.schedules ?? (self.options.seconds == nil ? Self.usualSchedules : nil)
    }

    private func swift(_ command: String, _ arguments: [String], log: URL) throws(UsageError) -> Int32 {
        var environment = self.environment
        environment["ERRAND_SIMULATION_SCHEDULES"] = self.schedules.map(String.init)
        environment["ERRAND_SIMULATION_TIME"] = self.options.seconds.map(String.init)
        environment["ERRAND_SIMULATION_RESULTS"] = self.results.path
        environment["ERRAND_SIMULATION_TRAIL"] = self.trails.path
        let common = [command, "--package-path", self.plan.package, "--scratch-path", self.scratch.path]
        let folder = URL(filePath: self.plan.package, directoryHint: .isDirectory)
        return try self.launcher.run(
            Launch(arguments: common + arguments, environment: environment, folder: folder, log: log))
    }

    private func test(_ filters: [String]) throws(UsageError) -> SimulationOutcome {
        let log = self.reports.log("simulated")
        let selection =
            filters.flatMap { ["--filter", $0] } + self.options.skips.flatMap { ["--skip", $0] }
        let status = try self.swift("test", ["--skip-build", "--disable-xctest"] + selection, log: log)
        let (tally, problems) = self.tally()
        let text = ReportFolder.text(of: log)
        let other = self.complaint(status, TestLog(text), tally).map { self.problem($0, text, log) }
        return SimulationOutcome(
            tests: tally.testCount, schedules: tally.schedules, failures: tally.found,
            problems: problems + [other].compactMap(\.self))
    }

    private func tally() -> (SimulationTally, [TestFailure]) {
        var (tally, problems) = (SimulationTally(sources: ModuleSources(self.plan)), [TestFailure]())
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.results.path)) ?? []
        for name in names.sorted() where name.hasSuffix(".json") {
            let file = self.results.appending(path: name)
            do throws(UsageError) {
                tally.count(try CaseResult.read(file))
            } catch {
                problems.append(TestFailure(iteration: nil, message: error.message, details: [], log: file.path))
            }
        }
        return (tally, problems)
    }

    /// A failure that no result contains: a process that ends early, other tests that fail, or no test that is run.
    private func complaint(_ status: Int32, _ said: TestLog, _ tally: SimulationTally) -> String? {
        if status != 0, !said.isFinished { return "the tests ended early with status \(status)" }
        if status != 0, said.failed > tally.failedTestCount {
            return "tests failed apart from those with a failing schedule"
        }
        if status != 0, tally.failedTestCount == 0 { return "tests failed with status \(status)" }
        return tally.cases == 0 ? "no simulated test was run: does the filter match any?" : nil
    }

    /// The tests that were running when the process ended, with their current schedules.
    private var trailLines: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.trails.path)) ?? []
        let trails = names.filter { $0.hasSuffix(".txt") }.compactMap { name in
            try? String(contentsOf: self.trails.appending(path: name), encoding: .utf8)
        }
        return trails.sorted().flatMap { trail in
            let lines = trail.split(separator: "\n")
            guard lines.count == 2 else { return [] as [String] }
            return ["\(lines[0]) was running this schedule:", "    \(lines[1])"]
        }
    }

    private func problem(_ message: String, _ text: String, _ log: URL?) -> TestFailure {
        TestFailure(
            iteration: nil, message: message,
            details: (text.isEmpty ? [] : TestLog(text).complaints) + self.trailLines,
            log: (log ?? self.reports.url).path)
    }
}
