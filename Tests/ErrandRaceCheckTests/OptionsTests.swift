internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: the command line", .timeLimit(.minutes(60)), .paced)
struct OptionsTests {
    @Test func `takes everything it says it takes`() throws {
        let options = try Options(parsing: [
            "--plan", "p", "--format=json", "--allow-list", "a b", "--targets", "A, B", "--targets=C", "--tests",
            "--iterations", "3", "--filter", "X|Y", "--filter=a=b", "--skip", "Z", "--scratch-path", "s",
            "--suppressions=t", "--package-path", "q", "--print-entries", "--simulate", "--schedules=7", "--time", "2m",
        ])
        #expect(options.plan == "p" && options.format == .json && options.allowList == "a b")
        #expect(options.targets == ["A", "B", "C"])
        #expect(options.simulates && options.schedules == 7 && options.seconds == 120)
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
        (["--iterations", "2", "--simulate"], "--iterations and --suppressions go with --tests"),
        (["--suppressions", "a", "--simulate"], "--iterations and --suppressions go with --tests"),
        (["--filter", "A"], "--filter, --skip and --scratch-path go with --tests or --simulate"),
        (["--scratch-path", "A"], "--filter, --skip and --scratch-path go with --tests or --simulate"),
        (["--schedules", "5", "--tests"], "--schedules and --time go with --simulate"),
        (["--time", "5m", "--tests"], "--schedules and --time go with --simulate"),
        (["--simulate=yes"], "--simulate takes no value"),
        (["--simulate", "--schedules", "0"], "--schedules needs a whole number from 1 to 1000000000, not \"0\""),
        (["--simulate", "--time", "10"], "--time needs a time of up to a week, such as 90s, 10m or 1h, not \"10\""),
    ])
    func `says what it does not understand`(_ arguments: [String], _ message: String) {
        #expect(throws: UsageError(message: message)) { try Options(parsing: arguments) }
    }

    @Test(arguments: [
        ("1s", 1), ("90s", 90), ("10m", 600), ("1h", 3_600), ("168h", 604_800), ("0s", nil), ("-1m", nil), ("10", nil),
        ("m", nil), ("", nil), ("1.5h", nil), ("5 m", nil), ("10d", nil), ("169h", nil), ("9223372036854775807h", nil),
    ])
    func `reads times`(_ text: String, _ seconds: Int?) {
        #expect(TimeSpan.seconds(in: text) == seconds)
    }

    @Test func `explains itself in lines that fit`() throws {
        #expect(try Options(parsing: ["-h"]).isHelp)
        for name in [
            "--format", "--allow-list", "--targets", "--print-entries", "--tests", "--iterations", "--filter", "--skip",
            "--scratch-path", "--suppressions", "--package-path", "--simulate", "--schedules", "--time",
        ] {
            #expect(Options.help.contains("  \(name) "))
        }
        #expect(Options.help.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}
