/// Options of the command line.
struct Options: Hashable, Sendable {
    /// A format of results.
    enum Format: String, CaseIterable, Sendable {
        case text, json, github
    }

    var isHelp = false
    var format = Format.text
    /// The path of the allow list, from the folder of the package.
    var allowList = ".race-check"
    /// The targets to look at; all of them where none is named.
    var targets: [String] = []
    var printsEntries = false
    var runsTests = false
    /// The number of times the tests are run under the sanitizer; `nil` for the usual number.
    var iterations: Int?
    var filters: [String] = []
    var skips: [String] = []
    /// Whether the simulated tests are run.
    var simulates = false
    /// The least number of schedules of each simulated test; `nil` for the usual one, or for the tests' own where
    /// there is a time.
    var schedules: Int?
    /// The number of seconds the simulated tests share.
    var seconds: Int?
    /// Where builds of tests go; `nil` for a folder beside the plug-in's own files.
    var scratchPath: String?
    /// A file with suppressions for the sanitizer.
    var suppressions: String?
    /// The folder of the package; the current one where none is named.
    var packagePath: String?
    /// The file in which the plug-in has written what it knows of the package.
    var plan: String?

    /// The largest number of iterations.
    static let mostIterations = 10_000
    /// The largest number of schedules.
    static let mostSchedules = 1_000_000_000

    /// Reads the arguments behind the program's name.
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

    /// The whole help, ending with a line break.
    static let help = """
        usage: swift package race-check [options]

        Looks for places in the sources of a package where the compiler's proof of race freedom ends, and fails when
        there is one that the allow list does not name with a reason. With --tests it also runs the tests under the
        thread sanitizer, one at a time and several times, and tells each race once. With --simulate it runs the tests
        that carry the trait .simulated under more schedules, and tells each failure once, with the least schedule that
        fails.

          --format FORMAT        text, json, or github for annotations of GitHub Actions
          --allow-list FILE      where allowed findings and their reasons are, from the package's folder: .race-check
          --targets NAMES        scan only these targets, separated by commas
          --print-entries        print entries for the allow list, whose reasons are still to be written
          --tests                build and run the tests under the thread sanitizer, too
          --iterations N         run them so many times: 3
          --suppressions FILE    suppressions for the thread sanitizer
          --simulate             build and run the simulated tests, too
          --schedules N          with at least so many schedules each: 10000, or the tests' own with --time
          --time TIME            and then with new ones for so long in all: 90s, 10m, 1h
          --filter PATTERN       run only tests that match, as swift test does; may be repeated
          --skip PATTERN         leave out tests that match; may be repeated
          --scratch-path DIR     where builds of tests go
          --package-path DIR     the package, when the program is run without the plug-in: the current folder
          -h, --help             print this help

        The article "Look for data races" of Errand's documentation explains rules, list and limits.

        Exit status: 2 the command line or the allow list makes no sense, otherwise 1 there is something new, stale or
        racing, or a schedule that fails, otherwise 3 the tests could not be built or failed, or no race could be found
        in them, otherwise 0. SwiftPM makes 1 of each that is not 0.

        """
}
