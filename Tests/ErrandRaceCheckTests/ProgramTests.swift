internal import ErrandTesting
internal import Foundation
internal import Synchronization
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: the program (G11)", .timeLimit(.minutes(60)), .paced)
struct ProgramTests {
    private let entry = "rule: unchecked-sendable\nfile: Sources/Lab/Box.swift\nin: Box\nreason: It has no state.\n"

    // MARK: - Scanning

    @Test func `fails on what is new, and not on what has a reason`() throws {
        let scene = try ProgramScene()
        #expect(scene.run() == 1)
        #expect(scene.output.contains("Sources/Lab/Box.swift:1:18: error: @unchecked Sendable"))
        try scene.write(self.entry, to: ".race-check")
        #expect(scene.run() == 0)
        #expect(scene.output == "race-check: 2 files scanned, 0 new, 1 allowed\n")
        try scene.write("\n\n\n// moved\nfinal class Box: @unchecked Sendable {}\n", to: "Sources/Lab/Box.swift")
        #expect(scene.run() == 0)
        try scene.write("final class Other: @unchecked Sendable {}\n", to: "Sources/Lab/Box.swift")
        #expect(scene.run() == 1)
        #expect(scene.output.contains("[stale]") && scene.output.contains("in Other:"))
    }

    @Test func `prints entries that only want their reasons`() throws {
        let scene = try ProgramScene()
        #expect(scene.run("--print-entries") == 1)
        #expect(scene.output == "\n" + self.entry.replacing("reason: It has no state.", with: "reason:"))
        try scene.write(scene.output, to: ".race-check")
        #expect(scene.run() == 2)
        #expect(scene.output.contains(".race-check:2: error: this entry has no reason"))
        try scene.write(self.entry, to: ".race-check")
        try scene.write("final class Box: @unchecked Sendable, @unchecked P {}\n", to: "Sources/Lab/Box.swift")
        #expect(scene.run("--print-entries") == 1)
        #expect(
            scene.output
                == "\n# The entry about unchecked-sendable in Box of Sources/Lab/Box.swift needs \"count: 2\".\n")
    }

    @Test(arguments: ["text", "json", "github"])
    func `tells of a bad allow list in every form, beside the rest`(format: String) throws {
        let scene = try ProgramScene()
        try scene.write(
            "nonsense\n\n\(self.entry)\nrule: preconcurrency\nfile: gone.swift\nin: A\nreason: b\n", to: ".race-check")
        #expect(scene.run("--format", format) == 2)
        #expect(scene.output.contains("not a key, a colon and a value"))
        #expect(scene.output.contains("there is no such finding any more"))
        if format == "json" {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(scene.output.utf8)) }
        }
        if format == "github" {
            #expect(scene.output.split(separator: "\n").allSatisfy { $0.hasPrefix("::error ") })
        }
    }

    @Test func `refuses allow lists that cannot be read`() throws {
        let scene = try ProgramScene()
        #expect(scene.run("--allow-list", "none") == 2)
        #expect(scene.output == "race-check: there is no allow list \"none\"; see swift package race-check --help\n")
        try Data([0xFF, 0xFE]).write(to: scene.folder.file(".race-check"))
        #expect(scene.run("--format", "json") == 2)
        #expect(scene.output.contains("\"error\" : \"the allow list \\\".race-check\\\" is not UTF-8\""))
        #expect(scene.run("--format=github", "--nonsense") == 2)
        #expect(scene.output == "::error title=race-check::unknown option \"--nonsense\"\n")
    }

    @Test func `scans some targets, and calls nothing stale in the others`() throws {
        let scene = try ProgramScene()
        try scene.write(self.entry, to: ".race-check")
        #expect(scene.run("--targets", "LabTests") == 0)
        #expect(scene.output == "race-check: 1 file scanned, 0 new, 0 allowed\n")
        #expect(scene.run("--targets", "Lib") == 2)
        #expect(scene.output.contains("there is no target \"Lib\", only Lab, LabTests"))
    }

    @Test func `reads what the plug-in tells of the package`() throws {
        let scene = try ProgramScene()
        let file = scene.folder.file("Sources/Lab/Box.swift").path
        let gone = scene.folder.file("Sources/Lab/Gone.swift").path
        let plan =
            [
                "package": scene.folder.url.path, "scratch": "/x",
                "targets": [["name": "Lab", "files": [file, gone]], ["name": "B", "files": [file]]],
            ] as [String: Any]
        try JSONSerialization.data(withJSONObject: plan).write(to: scene.folder.file("plan"))
        try scene.write(self.entry, to: ".race-check")
        #expect(scene.run("--plan", scene.folder.file("plan").path) == 3)
        #expect(
            scene.output
                == "Sources/Lab/Gone.swift: error: the file cannot be read\nrace-check: 1 file scanned, 0 new, 1 allowed\n"
        )
        #expect(scene.run("--plan", "nowhere") == 2)
    }

    @Test func `scans files that are not UTF-8`() throws {
        let scene = try ProgramScene()
        try Data([0xFF, 0x0A] + Array("@preconcurrency import A\n".utf8)).write(
            to: scene.folder.file("Sources/Lab/B.swift"))
        #expect(scene.run() == 1)
        #expect(scene.output.contains("Sources/Lab/B.swift:2:1: error: @preconcurrency"))
    }

    // MARK: - Tests

    private func clean() throws -> ProgramScene {
        try ProgramScene(source: "struct Box: Sendable {}\n")
    }

    @Test func `builds once and runs as often as it is told`() throws {
        let scene = try self.clean()
        #expect(scene.run("--tests", "--iterations", "3", "--filter", "A", "--skip=B", "--suppressions", "s") == 0)
        #expect(scene.output.hasSuffix("race-check: 2 files scanned, 0 new, 0 allowed, 3 tests run 3 times, 0 races\n"))
        let launches = scene.launcher.launches
        #expect(launches.map { $0.arguments[0] } == ["build", "test", "test", "test"])
        #expect(
            launches.allSatisfy {
                $0.arguments.contains("--sanitize=thread") && $0.arguments.contains("--scratch-path")
            })
        #expect(
            launches[1].arguments.suffix(6) == ["--skip-build", "--no-parallel", "--filter", "A", "--skip", "B"])
        let options = try #require(launches[1].environment["TSAN_OPTIONS"])
        #expect(options.hasPrefix("verbosity=0 halt_on_error=0 exitcode=0 report_bugs=1 "))
        #expect(options.hasSuffix(" suppressions='\(scene.folder.file("s").path)'"))
        #expect(launches[0].environment["TSAN_OPTIONS"] == "verbosity=0")
    }

    @Test func `tells each race once, with names as they were written`() throws {
        let scene = try self.clean()
        let report = try Fixture.text("tasks.txt")
            .replacing("/home/user/Lab/", with: scene.folder.url.path.trimmingSuffix("/") + "/")
        scene.launcher.answer("test", .init(report: report))
        #expect(scene.run("--tests", "--iterations=2", "--format=json") == 1)
        let object = try JSONSerialization.jsonObject(with: Data(scene.output.utf8)) as? [String: Any]
        let tests = try #require(object?["tests"] as? [String: Any])
        let races = try #require(tests["races"] as? [[String: Any]])
        #expect(races.map { $0["count"] as? Int } == [2, 2, 2])
        #expect(scene.output.contains("\"function\" : \"written("))
        #expect(!scene.output.contains("\"function\" : \"$s"))
        #expect(scene.output.contains("\"file\" : \"Tests/LabTests/LabTests.swift\""))
    }

    @Test func `tells failed tests from races`() throws {
        let scene = try self.clean()
        scene.launcher.answer(
            "test", .init(status: 1, log: "✘ Test a() recorded an issue at B.swift:1:1: no\nTest run with 3 tests"))
        #expect(scene.run("--tests") == 3)
        #expect(scene.output.contains("tests: error: iteration 1: tests failed with status 1; see "))
        #expect(scene.output.contains("    ✘ Test a() recorded an issue at B.swift:1:1: no\n"))
    }

    @Test func `tells that nothing was run or built`() throws {
        let scene = try self.clean()
        scene.launcher.answer("test", .init(log: "Test run with 0 tests in 0 suites passed\n Executed 0 tests, with"))
        #expect(scene.run("--tests", "--filter", "Nothing") == 3)
        #expect(scene.output.contains("no test was run: does the filter match any?"))
        scene.launcher.answer("build", .init(status: 1, log: "a.swift:1:1: error: no\n"))
        #expect(scene.run("--tests", "--format", "github") == 3)
        #expect(scene.output.hasPrefix("::error title=tests::the tests could not be built%0Aa.swift:1:1: error: no\n"))
    }

    @Test func `runs tests three times unless it is told how often`() throws {
        let scene = try self.clean()
        #expect(scene.run("--tests") == 0)
        #expect(scene.output.hasSuffix(", 3 tests run 3 times, 0 races\n"))
        #expect(scene.launcher.launches.count { $0.arguments[0] == "test" } == 3)
    }

    private static let blindRuns: [(build: ScriptedLauncher.Answer, test: ScriptedLauncher.Answer, problem: String)] = [
        (.init(isSanitized: false), .init(), "the tests were built without the thread sanitizer: nothing in "),
        (.init(), .init(log: "Test run with 0 tests in 0 suites passed after 1 s"), "no test was run: does the filter"),
        (
            .init(),
            .init(log: "➜ Test a() skipped.\n➜ Test \"b\" skipped: \"no\"\n✔ Test run with 2 tests passed after 1 s"),
            "no test was run: 2 tests were skipped"
        ),
        (
            .init(), .init(log: "Executed 1 test, with 1 test skipped and 0 failures"),
            "no test was run: 1 test was skipped"
        ),
        (.init(), .init(status: 132, log: "Fatal error: x"), "tests failed with status 132"),
        (.init(status: 1, log: "a.swift:1:1: error: no"), .init(), "the tests could not be built"),
    ]

    @Test(arguments: 0..<Self.blindRuns.count)
    func `never says that there are no races after a run that could find none`(index: Int) throws {
        let (build, test, problem) = Self.blindRuns[index]
        let scene = try self.clean()
        scene.launcher.answer("build", build)
        scene.launcher.answer("test", test)
        #expect(scene.run("--tests") == 3)
        #expect(scene.output.contains(problem), "\(scene.output)")
        #expect(!scene.output.contains("0 races"))
        #expect(scene.output.contains(", no race could be found in that, "))
    }

    @Test func `says how many reports are suppressed, and refuses to suppress all`() throws {
        let scene = try self.clean()
        try scene.write("# ours\nrace:Counter*\n", to: "s")
        scene.launcher.answer(
            "test", .init(report: "ThreadSanitizer: Matched 2 suppressions (pid=7):\n2 race:Counter*\n"))
        #expect(scene.run("--tests", "--iterations", "2", "--suppressions", "s") == 0)
        #expect(scene.output.hasSuffix(", 3 tests run 2 times, 0 races, 4 reports suppressed\n"))
        for line in ["race:*", "race:", " race_top:^*$ "] {
            try scene.write("\(line)\n", to: "s")
            #expect(scene.run("--tests", "--suppressions", "s") == 2)
            #expect(scene.output.contains("no race could be found: \"\(line.trimmed)\" in "), "\(scene.output)")
        }
    }

    @Test func `leaves skipped tests out of the count, of both libraries`() {
        let log = TestLog(
            """
            Executed 5 tests, with 2 tests skipped and 0 failures
            ➜ Suite A skipped.
            ➜ Test "what was skipped: all" skipped: "no"
            ✔ Test "what was skipped: all" passed after 0.1 seconds.
            ✔ Test run with 4 tests in 2 suites passed after 0.1 seconds.
            """)
        #expect(log.count == 6 && log.skipped == 3)
    }

    @Test func `counts tests of both libraries`() {
        #expect(
            TestLog("Executed 2 tests, with\n\t Executed 5 tests, with\n✔ Test run with 1 test in 1 suite passed").count
                == 6)
        #expect(TestLog("\u{1B}[91m✘\u{1B}[0m Test a() failed after 1 s").complaints == ["✘ Test a() failed after 1 s"])
        #expect(TestLog("Test run with many tests\nExecuted 5 things").count == 0)
    }

    // MARK: - Simulated tests

    private let passed = "✔ Test run with 3 tests in 1 suite passed after 0.1 seconds."
    private let failed = """
        ✘ Test a() failed after 0.1 seconds with 2 issues.
        ✘ Test case passing 1 argument b → 2 to c(_:) failed after 0.1 seconds with 1 issue.
        ✘ Suite A failed after 0.1 seconds with 2 issues.
        ✘ Test run with 3 tests in 1 suite failed after 0.1 seconds with 2 issues.
        """

    private func simulated() throws -> ProgramScene {
        let scene = try self.clean()
        try scene.write("@Test(.simulated) func a() {}\n", to: "Tests/LabTests/BoxTests.swift")
        try scene.write("@Test func b() {}\n", to: "Tests/LabTests/OtherTests.swift")
        return scene
    }

    @Test func `runs simulated tests with more schedules, without the sanitizer`() throws {
        let scene = try self.simulated()
        scene.launcher.answer("test", .init(log: self.passed, results: ["1.json": Fixture.result("a()")]))
        #expect(scene.run("--simulate", "--skip", "B") == 0)
        #expect(
            scene.output.hasSuffix(
                "\nrace-check: 3 files scanned, 0 new, 0 allowed, 1 test simulated in 10 schedules, 0 failing\n"))
        let launches = scene.launcher.launches
        #expect(launches.map { $0.arguments[0] } == ["build", "test"])
        #expect(launches.allSatisfy { !$0.arguments.contains("--sanitize=thread") })
        #expect(
            launches[1].arguments.suffix(6) == [
                "--skip-build", "--disable-xctest", "--filter", "^LabTests\\..*/BoxTests\\.swift:", "--skip", "B",
            ])
        let environment = launches[1].environment
        #expect(environment["ERRAND_SIMULATION_SCHEDULES"] == "10000")
        #expect(environment["ERRAND_SIMULATION_TIME"] == nil)
        #expect(environment["TSAN_OPTIONS"] == "verbosity=0")
    }

    @Test func `gives simulated tests their number and time`() throws {
        let scene = try self.simulated()
        _ = scene.run("--simulate", "--schedules", "5", "--time=2m", "--filter", "x", "--scratch-path", "s")
        let launch = try #require(scene.launcher.launches.last)
        #expect(launch.environment["ERRAND_SIMULATION_SCHEDULES"] == "5")
        #expect(launch.environment["ERRAND_SIMULATION_TIME"] == "120")
        #expect(launch.arguments.suffix(2) == ["--filter", "x"])
        let results = try #require(launch.environment["ERRAND_SIMULATION_RESULTS"])
        #expect(results.hasPrefix(scene.folder.file("s").path))
        _ = scene.run("--simulate", "--time", "10s")
        #expect(scene.launcher.launches.last?.environment["ERRAND_SIMULATION_SCHEDULES"] == nil)
    }

    @Test func `tells each failing schedule once, and forgets those of an earlier run`() throws {
        let scene = try self.simulated()
        let result = Fixture.result("a()", schedule: "b6>f", line: 9)
        scene.launcher.answer(
            "test", .init(status: 1, log: self.failed, results: ["1.json": result, "2.json": result, "3.txt": "no"]))
        for _ in 0..<2 {
            #expect(scene.run("--simulate") == 1)
            #expect(
                scene.output.contains("AppTests/ATests.swift:9:13: error: a() (2 cases) fails in the schedule b6>f ["))
            #expect(scene.output.hasSuffix(", 1 test simulated in 20 schedules, 1 failing\n"))
        }
    }

    @Test func `tells what goes wrong apart from schedules`() throws {
        let scene = try self.simulated()
        let passing = ["1.json": Fixture.result("a()")]
        scene.launcher.answer("test", .init(status: 1, log: "Fatal error: no", results: passing))
        #expect(scene.run("--simulate") == 3)
        #expect(scene.output.contains("tests: error: the tests ended early with status 1; see "))
        #expect(scene.output.contains("    Fatal error: no\n"))
        let trails = ["1.txt": "AppTests.a()\n#4 b6>f a1>b", "2.txt": "cut off"]
        scene.launcher.answer("test", .init(status: 1, log: "Fatal error: no", results: passing, trails: trails))
        #expect(scene.run("--simulate") == 3)
        #expect(scene.output.contains("    AppTests.a() was running this schedule:\n        #4 b6>f a1>b\n"))
        #expect(!scene.output.contains("cut off"))
        scene.launcher.answer("test", .init(status: 1, log: self.failed, results: passing))
        #expect(scene.run("--simulate") == 3)
        #expect(scene.output.contains("tests: error: tests failed apart from those with a failing schedule; see "))
        scene.launcher.answer("test", .init(status: 9, log: self.passed, results: passing))
        #expect(scene.run("--simulate") == 3)
        #expect(scene.output.contains("tests: error: tests failed with status 9; see "))
        scene.launcher.answer("test", .init(log: self.passed, results: ["1.json": "nonsense"]))
        #expect(scene.run("--simulate") == 3)
        #expect(scene.output.contains("1.json\" cannot be read: "))
        #expect(scene.output.contains("tests: error: no simulated test was run: does the filter match any?; see "))
        scene.launcher.answer("build", .init(status: 1, log: "a.swift:1:1: error: no\n"))
        #expect(scene.run("--simulate", "--format", "github") == 3)
        #expect(scene.output.hasPrefix("::error title=tests::the tests could not be built%0Aa.swift:1:1: error: no\n"))
    }

    @Test func `tells that no test is simulated`() throws {
        let scene = try self.clean()
        #expect(scene.run("--simulate") == 3)
        #expect(scene.output.contains("tests: error: no test carries the trait .simulated; see "))
        #expect(scene.launcher.launches.isEmpty)
    }

    @Test func `races and simulates in one go`() throws {
        let scene = try self.simulated()
        scene.launcher.answer("test", .init(log: self.passed, results: ["1.json": Fixture.result("a()")]))
        #expect(scene.run("--tests", "--simulate") == 0)
        #expect(scene.output.hasSuffix(" 3 tests run 3 times, 0 races, 1 test simulated in 10 schedules, 0 failing\n"))
        let folders = Set(scene.launcher.launches.map { $0.arguments[4] })
        #expect(folders.count == 2)
    }

    // MARK: - This package

    @Test func `says how it is used`() throws {
        let scene = try self.clean()
        #expect(scene.run("--help") == 0)
        #expect(scene.output.hasPrefix("usage: swift package race-check [options]\n"))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        self.hasSuffix(suffix) ? String(self.dropLast(suffix.count)) : self
    }
}
