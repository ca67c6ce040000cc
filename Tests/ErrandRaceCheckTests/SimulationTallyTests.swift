internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: results of simulated tests", .timeLimit(.minutes(60)), .paced)
struct SimulationTallyTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    private func result(_ text: String) throws -> CaseResult {
        let file = self.folder.file("result.json")
        try Data(text.utf8).write(to: file)
        return try CaseResult.read(file)
    }

    private func tally(_ texts: [String]) throws -> SimulationTally {
        let target = Plan.Target(name: "AppTests", files: ["/lab/Tests/AppTests/ATests.swift"])
        var tally = SimulationTally(
            sources: ModuleSources(Plan(package: "/lab", targets: [target], scratch: "", swift: nil)))
        for text in texts { tally.count(try self.result(text)) }
        return tally
    }

    @Test func `tells a failure once, with the least of its schedules`() throws {
        let results = [
            Fixture.result("a()", schedule: "b6>f a2>b", line: 9), Fixture.result("a()", schedule: "a2>b", line: 9),
            Fixture.result("a()", schedule: "a3>b", line: 9), Fixture.result("a()", schedule: "a3>c", line: 8),
            Fixture.result("b()", schedule: "-", line: 9), Fixture.result("c()"),
        ]
        for texts in [results, results.reversed()] {
            let tally = try self.tally(texts)
            #expect(tally.found.map(\.schedule) == ["a3>c", "a2>b", "-"])
            #expect(tally.found.map(\.cases) == [1, 3, 1])
            #expect(tally.found.map(\.file) == Array(repeating: "Tests/AppTests/ATests.swift", count: 3))
            #expect(tally.cases == 6 && tally.schedules == 60)
            #expect(tally.testCount == 3 && tally.failedTestCount == 2)
        }
    }

    @Test func `shows the test where no issue has a place`() throws {
        let found = try self.tally([Fixture.result("a()", schedule: "a2>b", line: nil)]).found
        #expect(found.map(\.line) == [3])
        #expect(found.map(\.column) == [6])
    }

    @Test(arguments: ["", "{}", "[1]", "{\"version\": 1}"])
    func `refuses what is no result`(_ text: String) throws {
        #expect(throws: UsageError.self) { try self.result(text) }
    }

    @Test func `refuses another version`() throws {
        let text = Fixture.result("a()").replacing("\"version\": 1", with: "\"version\": 2")
        let file = self.folder.file("result.json").path
        #expect(throws: UsageError(message: "the result \"\(file)\" has the unknown version 2")) {
            try self.result(text)
        }
    }
}
