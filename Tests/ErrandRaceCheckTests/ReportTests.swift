internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: output (G11)", .timeLimit(.minutes(60)), .paced)
struct ReportTests {
    private let finding = Finding(
        rule: .semaphore, file: "Sources/a,b:c%.swift", line: 3, column: 7, declaration: "A.gate",
        source: "let gate = DispatchSemaphore(value: 0) // 100 %\u{1B}[31m", note: nil)

    private func results() throws -> Results {
        var results = Results(files: 2, allowList: ".race-check")
        results.verdict.new = [self.finding]
        results.verdict.allowed = 1
        results.verdict.stale = [AllowProblem(kind: .stale, line: 4, message: "there is no such finding any more: x")]
        results.tests = TestOutcome(
            iterations: 2, tests: 6, conclusive: 2, races: try Fixture.races("tasks.txt"),
            failures: [TestFailure(iteration: 2, message: "tests failed", details: ["a: error: b"], log: "/x/y.log")])
        return results
    }

    private func simulated() -> Results {
        var results = Results(files: 2)
        let failure = SimulatedFailure(
            test: "T.a()/A.swift:3:6", name: "a()", file: "Tests/T/A.swift", line: 9, column: 13, error: "balance < 0",
            schedule: "b6>f a1>c", switches: 2, replay: "@Test(.simulated(replaying: \"b6>f a1>c\"))",
            explanation: ["Schedule 4 failed: balance < 0", "Tasks:", "  . the body"], cases: 1)
        var other = failure
        other.cases = 3
        let problem = TestFailure(iteration: nil, message: "ended", details: ["Fatal error"], log: "/x/y.log")
        results.simulation = SimulationOutcome(
            tests: 5, schedules: 50_000, failures: [failure, other], problems: [problem])
        return results
    }

    // MARK: - Exit codes

    @Test func `ends with the most telling status`() throws {
        var results = Results()
        #expect(results.exitCode == 0)
        results.tests = TestOutcome(failures: [TestFailure(iteration: nil, message: "", details: [], log: "")])
        #expect(results.exitCode == 3)
        results.tests?.races = try Fixture.races("tasks.txt")
        #expect(results.exitCode == 1)
        results.problems = [AllowProblem(kind: .malformed, line: 1, message: "")]
        #expect(results.exitCode == 2)
        var scanned = Results()
        scanned.verdict.new = [self.finding]
        #expect(scanned.exitCode == 1)
        scanned.verdict.new = []
        scanned.verdict.stale = [AllowProblem(kind: .stale, line: 1, message: "")]
        #expect(scanned.exitCode == 1)
        #expect(Results(unreadable: ["a"]).exitCode == 3)
        var simulated = self.simulated()
        #expect(simulated.exitCode == 1)
        simulated.simulation?.failures = []
        #expect(simulated.exitCode == 3)
        simulated.simulation?.problems = []
        #expect(simulated.exitCode == 0)
    }

    // MARK: - Text

    @Test func `is text for a person, without commands for a terminal`() throws {
        let text = TextReport.text(of: try self.results())
        #expect(
            text.hasPrefix(
                """
                Sources/a,b:c%.swift:3:7: error: a semaphore, condition or group: waiting for it holds a thread [semaphore]
                    in A.gate: let gate = DispatchSemaphore(value: 0) // 100 %?[31m
                .race-check:4: error: there is no such finding any more: x [stale]

                """))
        #expect(
            text.contains(
                "\nTests/LabTests/LabTests.swift:13:51: error: Swift access race on global $s3Lab5totalSivp of size 8"
                    + " (1 report, first in iteration 1) [race]\n    Modifying access of Swift variable:\n"))
        #expect(text.contains("\ntests: error: iteration 2: tests failed; see /x/y.log\n    a: error: b\n"))
        #expect(
            text.hasSuffix(
                "\nrace-check: 2 files scanned, 1 new, 1 allowed, 1 problem in .race-check, 6 tests run 2 times, 3 races,"
                    + " 1 failure\n"))
    }

    @Test func `says that an entry is about fewer`() throws {
        var results = try self.results()
        results.allowedCounts = [self.finding.place: 1]
        #expect(TextReport.text(of: results).contains("; the allow list allows 1 in A.gate, and there are more ["))
    }

    @Test func `tells schedules that fail, with what explains them`() {
        #expect(
            TextReport.text(of: self.simulated()) == """
                Tests/T/A.swift:9:13: error: a() fails in the schedule b6>f a1>c [simulation]
                    Schedule 4 failed: balance < 0
                    Tasks:
                      . the body
                Tests/T/A.swift:9:13: error: a() (3 cases) fails in the schedule b6>f a1>c [simulation]
                    Schedule 4 failed: balance < 0
                    Tasks:
                      . the body
                tests: error: ended; see /x/y.log
                    Fatal error
                race-check: 2 files scanned, 0 new, 0 allowed, 5 tests simulated in 50000 schedules, 2 failing, 1 problem

                """)
    }

    // MARK: - JSON

    @Test func `is one JSON document`() throws {
        let text = JSONReport.text(of: try self.results())
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["exitCode"] as? Int == 1)
        #expect(object["version"] as? Int == 1)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.count == 1)
        #expect(findings[0]["rule"] as? String == "semaphore")
        #expect(findings[0]["declaration"] as? String == "A.gate")
        #expect(findings[0]["line"] as? Int == 3)
        let list = try #require(object["allowList"] as? [String: Any])
        #expect((list["problems"] as? [[String: Any]])?.first?["kind"] as? String == "stale")
        let tests = try #require(object["tests"] as? [String: Any])
        let races = try #require(tests["races"] as? [[String: Any]])
        #expect(races.map { $0["kind"] as? String } == ["Swift access race", "data race", "Swift access race"])
        #expect((races[0]["stacks"] as? [[String: Any]])?.count == 2)
    }

    @Test func `has failures of simulated tests in the document`() throws {
        let text = JSONReport.text(of: self.simulated())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["exitCode"] as? Int == 1)
        let simulation = try #require(object["simulation"] as? [String: Any])
        #expect(simulation["tests"] as? Int == 5 && simulation["schedules"] as? Int == 50_000)
        let failures = try #require(simulation["failures"] as? [[String: Any]])
        #expect(failures.map { $0["schedule"] as? String } == ["b6>f a1>c", "b6>f a1>c"])
        #expect(failures[0]["replay"] as? String == "@Test(.simulated(replaying: \"b6>f a1>c\"))")
        #expect((simulation["problems"] as? [Any])?.count == 1)
    }

    // MARK: - GitHub

    @Test func `is an annotation a line, with what is special escaped`() throws {
        let lines = GitHubReport.text(of: try self.results()).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 8)
        #expect(lines.last == "")
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix("::error ") })
        #expect(
            lines[0].hasPrefix(
                "::error file=Sources/a%2Cb%3Ac%25.swift,line=3,col=7,title=semaphore::a semaphore, condition"))
        #expect(lines[0].contains("%0Ain A.gate: let gate = DispatchSemaphore(value: 0) // 100 %25"))
        #expect(
            lines[1]
                == "::error file=.race-check,line=4,title=allow list%3A stale::there is no such finding any more: x")
        #expect(
            lines[2].hasPrefix("::error file=Tests/LabTests/LabTests.swift,line=13,col=51,title=Swift access race::"))
    }

    @Test(arguments: [
        ("a\nb\r\nc%0A", "a%0Ab%0D%0Ac%250A"), ("a:b,c", "a:b,c"), ("\u{301}\r\n\u{301}", "\u{301}%0D%0A\u{301}"),
    ])
    func `stays one message`(_ text: String, _ escaped: String) {
        #expect(GitHubReport.escaped(text) == escaped)
    }

    @Test func `stays one property`() {
        #expect(GitHubReport.escapedProperty("a:b,c%\r\n") == "a%3Ab%2Cc%25%0D%0A")
    }

    @Test func `is an annotation for each schedule that fails`() {
        let lines = GitHubReport.text(of: self.simulated()).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(
            lines[0] == "::error file=Tests/T/A.swift,line=9,col=13,title=simulation::"
                + "a() fails in the schedule b6>f a1>c%0ASchedule 4 failed: balance < 0%0ATasks:%0A  . the body")
        #expect(lines[2] == "::error title=tests::ended%0AFatal error")
    }

    @Test func `is a notice when all is well`() {
        #expect(
            GitHubReport.text(of: Results(files: 1)) == "::notice title=race-check::1 file scanned, 0 new, 0 allowed\n")
    }
}
