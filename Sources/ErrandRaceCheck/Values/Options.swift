/// Options of the command line.
struct Options: Hashable, Sendable {
    /// A format of results.
    enum Format: String, CaseIterable, Sendable {
        case text, json, github
    }

    var isHelp = false
    var format = Format.text
    /// The path of the allow list, relative to the package's folder.
    var allowList = ".race-check"
    /// The targets to scan; empty for all of them.
    var targets: [String] = []
    var printsEntries = false
    var runsTests = false
    /// The number of times the tests are run under the sanitizer; `nil` for the default.
    var iterations: Int?
    var filters: [String] = []
    var skips: [String] = []
    /// True to run the simulated tests.
    var simulates = false
    /// The minimum number of schedules of each simulated test; `nil` for the default, or for the tests' own if there is
    /// a time.
    var schedules: Int?
    /// The number of seconds the simulated tests share.
    var seconds: Int?
    /// The folder for builds of tests; `nil` for one beside the plug-in's own files.
    var scratchPath: String?
    /// A file with suppressions for the sanitizer.
    var suppressions: String?
    /// The package's folder; `nil` for the current folder.
    var packagePath: String?
    /// The file in which the plug-in has described the package.
    var plan: String?

    /// The largest number of iterations.
    static let mostIterations = 10_000
    /// The largest number of schedules.
    static let mostSchedules = 1_000_000_000

    /// Parses the arguments after the program's name.
    init(parsing arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let hasValue = argument.hasPrefix("--") && parts.count > 1
            let name = hasValue ? String(parts[0]) : argument
            if try self.readFlag(name, hasValue: hasValue) { continue }
            guard Self.names.contains(name) else {
                throw UsageError(
                    message: argument.hasPrefix("-")
                        ? "unknown option \"\(name)\"" : "unexpected argument \"\(argument)\"")
            }
            let next = rest.first?.hasPrefix("--") == true ? nil : rest.first
            guard let value = hasValue ? String(parts[1]) : next, !value.isEmpty else {
                throw UsageError(message: "\(name) needs a value")
            }
            if !hasValue { rest.removeFirst() }
            try self.read(name, value)
        }
        try self.check()
    }

    private mutating func readFlag(_ name: String, hasValue: Bool) throws(UsageError) -> Bool {
        guard ["--help", "-h", "--tests", "--simulate", "--print-entries"].contains(name) else { return false }
        guard !hasValue else { throw UsageError(message: "\(name) takes no value") }
        switch name {
        case "--tests": self.runsTests = true
        case "--simulate": self.simulates = true
        case "--print-entries": self.printsEntries = true
        default: self.isHelp = true
        }
        return true
    }

    private static let names: Set<String> = [
        "--format", "--allow-list", "--targets", "--iterations", "--filter", "--skip", "--scratch-path",
        "--suppressions", "--schedules", "--time", "--package-path", "--plan",
    ]

    private mutating func read(_ name: String, _ value: String) throws(UsageError) {
        switch name {
        case "--format":
            guard let format = Format(rawValue: value) else {
                throw UsageError(message: "--format is one of text, json and github, not \"\(value)\"")
            }
            self.format = format
        case "--iterations": self.iterations = try Self.number(name, value, most: Self.mostIterations)
        case "--schedules": self.schedules = try Self.number(name, value, most: Self.mostSchedules)
        case "--time":
            guard let seconds = TimeSpan.seconds(in: value) else {
                throw UsageError(
                    message: "--time needs a time of up to a week, such as 90s, 10m or 1h, not \"\(value)\"")
            }
            self.seconds = seconds
        case "--targets": self.targets += value.split(separator: ",").map(\.trimmed)
        case "--filter": self.filters.append(value)
        case "--skip": self.skips.append(value)
        case "--allow-list": self.allowList = value
        case "--scratch-path": self.scratchPath = value
        case "--suppressions": self.suppressions = value
        case "--package-path": self.packagePath = value
        default: self.plan = value
        }
    }

    private static func number(_ name: String, _ value: String, most: Int) throws(UsageError) -> Int {
        guard let count = Int(value), (1...most).contains(count) else {
            throw UsageError(message: "\(name) needs a whole number from 1 to \(most), not \"\(value)\"")
        }
        return count
    }

    private func check() throws(UsageError) {
        guard !self.isHelp else { return }
        if !self.runsTests, self.iterations != nil || self.suppressions != nil {
            throw UsageError(message: "--iterations and --suppressions go with --tests")
        }
        if !self.simulates, self.schedules != nil || self.seconds != nil {
            throw UsageError(message: "--schedules and --time go with --simulate")
        }
        let isAboutTests = !self.filters.isEmpty || !self.skips.isEmpty || self.scratchPath != nil
        if isAboutTests, !self.runsTests, !self.simulates {
            throw UsageError(message: "--filter, --skip and --scratch-path go with --tests or --simulate")
        }
    }

    /// The complete help, ending with a line break.
    static let help = """
        usage: swift package race-check [options]

        Finds places in the sources of a package where the compiler's proof of race freedom ends, and fails for those
        that the allow list does not contain with a reason. With --tests it also runs the tests under the thread
        sanitizer, one at a time and several times, and reports each race once. With --simulate it runs the tests with
        the trait .simulated under more schedules, and reports each failure once, with the shortest failing schedule.

          --format FORMAT        text, json, or github for annotations of GitHub Actions
          --allow-list FILE      the allowed findings with their reasons, in the package's folder (default .race-check)
          --targets NAMES        scan only these targets, separated by commas
          --print-entries        print entries for the allow list, whose reasons are still to be written
          --tests                also build and run the tests under the thread sanitizer
          --iterations N         the number of runs under the sanitizer (default 3)
          --suppressions FILE    suppressions for the thread sanitizer
          --simulate             also build and run the simulated tests
          --schedules N          the minimum for each simulated test (default 10000, or the tests' own with --time)
          --time TIME            then continue with new schedules for this time in all: 90s, 10m, 1h
          --filter PATTERN       run only tests that match, as swift test does; may be repeated
          --skip PATTERN         leave out tests that match; may be repeated
          --scratch-path DIR     the folder for builds of tests
          --package-path DIR     the package, if the program is run without the plug-in (default: the current folder)
          -h, --help             print this help

        The article "Look for data races" of Errand's documentation explains rules, list and limits.

        Exit status: 2 for an invalid command line or allow list, otherwise 1 for findings that are new, stale entries,
        races, or failing schedules, otherwise 3 if the tests could not be built or failed, or no race could be found in
        them, otherwise 0. SwiftPM turns each status other than 0 into 1.

        """
}
