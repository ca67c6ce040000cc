internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: the command line", .timeLimit(.minutes(60)))
struct OptionsTests {
    @Test func `takes everything it says it takes`() throws {
        let options = try Options(parsing: [
            "--plan", "p", "--format=json", "--allow-list", "a b", "--targets", "A, B", "--targets=C", "--tests",
            "--iterations", "3", "--filter", "X|Y", "--filter=a=b", "--skip", "Z", "--scratch-path", "s",
            "--suppressions=t", "--package-path", "q", "--print-entries",
        ])
        #expect(options.plan == "p" && options.format == .json && options.allowList == "a b")
        #expect(options.targets == ["A", "B", "C"])
        #expect(options.runsTests && options.printsEntries && options.iterations == 3)
        #expect(options.filters == ["X|Y", "a=b"] && options.skips == ["Z"])
        #expect(options.scratchPath == "s" && options.suppressions == "t" && options.packagePath == "q")
    }

    @Test(arguments: [
        (["--colour"], "unknown option \"--colour\""),
        (["--colour=red"], "unknown option \"--colour\""),
        (["now"], "unexpected argument \"now\""),
        (["--format", "xml"], "--format is one of text, json and github, not \"xml\""),
        (["--format"], "--format needs a value"),
        (["--tests", "--filter", "--skip", "a"], "--filter needs a value"),
        (["--allow-list="], "--allow-list needs a value"),
        (["--tests=yes"], "--tests takes no value"),
        (["--tests", "--iterations", "0"], "--iterations needs a whole number from 1 to 10000, not \"0\""),
        (["--tests", "--iterations", "10001"], "--iterations needs a whole number from 1 to 10000, not \"10001\""),
        (["--iterations", "2"], "--iterations, --filter, --skip, --scratch-path and --suppressions go with --tests"),
        (["--filter", "A"], "--iterations, --filter, --skip, --scratch-path and --suppressions go with --tests"),
    ])
    func `says what it does not understand`(_ arguments: [String], _ message: String) {
        #expect(throws: UsageError(message: message)) { try Options(parsing: arguments) }
    }

    @Test func `explains itself in lines that fit`() throws {
        #expect(try Options(parsing: ["-h"]).isHelp)
        for name in [
            "--format", "--allow-list", "--targets", "--print-entries", "--tests", "--iterations", "--filter", "--skip",
            "--scratch-path", "--suppressions", "--package-path",
        ] {
            #expect(Options.help.contains("  \(name) "))
        }
        #expect(Options.help.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}
