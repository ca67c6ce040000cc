internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: finding simulated tests", .timeLimit(.minutes(60)), .paced)
struct SimulatedTestsTests {
    private func filters(_ source: String, file: String = "ATests.swift", module: String = "AppTests") -> [String] {
        SimulatedTests.filters(in: Array(source.utf8), file: file, module: module)
    }

    @Test(arguments: [
        "@Test(.simulated) func a() {}", "@Test(\"a\", .simulated(schedules: 5)) func a() {}",
        "@Test(SimulationTrait.simulated(by: .random)) func a() {}",
        "extension Trait where Self == SimulationTrait { static var deep: Self { .simulated(schedules: 9) } }",
    ])
    func `chooses all of a file with the word`(_ source: String) {
        #expect(self.filters(source) == ["^AppTests\\..*/ATests\\.swift:"])
    }

    @Test(arguments: [
        "", "@Test func a() {}", "// @Test(.simulated)\nlet a = \".simulated\"", "let simulated = 1",
        "func simulated() {}", "simulated", ".", "@Suite(",
    ])
    func `leaves out a file without it`(_ source: String) {
        #expect(self.filters(source).isEmpty)
    }

    @Test func `chooses a suite wherever it is extended`() {
        let source = """
            @Suite("Cache (all)", .serialized, .simulated(schedules: 100)) @MainActor final class CacheTests {
                @Suite(.tags(.fast)) struct Other {}
                @Suite(.simulated) struct Inner {}
            }
            """
        #expect(
            self.filters(source, file: "C+D.swift") == [
                "^AppTests\\..*/C\\+D\\.swift:", "^AppTests\\.(.*/)?CacheTests/", "^AppTests\\.(.*/)?Inner/",
            ])
    }

    @Test func `matches the names that the testing library gives`() throws {
        let filters = try self.filters("@Suite(.simulated) struct A {}").map { try Regex($0) }
        let names = [
            "AppTests.A/a()/Other.swift:3:6", "AppTests.Outer/A/a()/Other.swift:3:6",
            "AppTests.free()/ATests.swift:1:2",
        ]
        let others = [
            "AppTests.AB/a()/Other.swift:3:6", "LibTests.A/a()/B.swift:1:2", "AppTests.a()/BATests.swift:1:2",
        ]
        for name in names { #expect(filters.contains { name.contains($0) }) }
        for name in others { #expect(!filters.contains { name.contains($0) }) }
    }

    @Test(arguments: [("AppTests", "AppTests"), ("app-tests", "app_tests"), ("1st.Tests", "_st_Tests")])
    func `knows how modules are called`(_ target: String, _ module: String) {
        #expect(ModuleSources.module(of: target) == module)
    }

    @Test func `knows where files of modules are`() {
        let target = Plan.Target(name: "app-tests", files: ["/lab/Tests/app/In/A.swift", "/other/B.swift"])
        let sources = ModuleSources(Plan(package: "/lab", targets: [target], scratch: "", swift: nil))
        #expect(sources.path(of: "app_tests/A.swift") == "Tests/app/In/A.swift")
        #expect(sources.path(of: "app_tests/B.swift") == "/other/B.swift")
        #expect(sources.path(of: "Helper/C.swift") == "Helper/C.swift")
    }
}
