internal import ErrandSimulation
internal import Foundation
internal import TestEffort
internal import Testing

/// What holds for the pages of the catalogue.
@Suite("Documented pages", .timeLimit(.minutes(60)), .paced)
struct DocumentedPagesTests {
    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    private static let catalogue = "Sources/ErrandSimulation/ErrandSimulation.docc"

    private static let examples = "Tests/ErrandSimulationTests/Documentation/DocumentedSimulations.swift"

    static let pages = [
        "ErrandSimulation", "TestYourOwnActors", "ReadingAFailure",
        "WhatASimulationFinds", "ProveASmallScenario",
    ]

    @Test("Every Swift block of a page is compiled", arguments: pages)
    func blocks(page: String) throws {
        let examples = try Self.normalized(Self.text(Self.examples))
        for block in try Self.blocks(of: page, language: "swift") where !block.contains("let package = Package(") {
            for paragraph in Self.paragraphs(of: block) {
                let isThere = examples.contains(Self.normalized(paragraph))
                #expect(isThere, "\(paragraph)")
            }
        }
    }

    #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
        @Test(
            "The failures of the tutorial are those of real runs",
            arguments: [
                DocumentedSimulations.Broken.twoWithdrawals, DocumentedSimulations.Broken.oneReader,
                DocumentedSimulations.Broken.threeLetters,
            ])
        func outputs(scenario: @escaping DocumentedSimulations.Scenario) async throws {
            let failure = try await expectFailure { try await Simulation.explore(scenario) }
            let text = Self.anywhere(try #require(failure).description)
            let shown = try Self.blocks(of: "TestYourOwnActors", language: "text")
            #expect(shown.contains { Self.anywhere($0).contains(text) }, "\(text)")
        }
    #endif

    @Test(
        "The grammar of the page is that of the parser",
        arguments: ["-", "b6>f", "b6>f.2", ".3>zb", "a1>..2", "#42 b6>f"])
    func grammar(schedule: String) throws {
        #expect(try Self.text("\(Self.catalogue)/ReadingAFailure.md").contains("`\(schedule)`"))
        #expect(try Simulation.Schedule(parsing: schedule).description == schedule)
    }

    /// The text without places in the code, which are others where a scenario is a test's function.
    private static func anywhere(_ text: String) -> String {
        text.replacing(#/[:,] (in [^,]+? at [A-Za-z]+\.swift:[0-9]+|at line [0-9]+)(?=[,\n]|$)/#, with: "")
            .replacing(#/[0-9][:,] /#) { "\($0.output.prefix(1)) " }
    }

    // MARK: - Reading pages

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: self.root.appending(path: path), encoding: .utf8)
    }

    private static func blocks(of page: String, language: String) throws -> [String] {
        try self.text("\(self.catalogue)/\(page).md").components(separatedBy: "\n```")
            .filter { $0.hasPrefix("\(language)\n") }.map { String($0.dropFirst(language.count + 1)) }
    }

    /// The parts of a block between empty lines, without imports and the ends of what the source goes on with.
    private static func paragraphs(of block: String) -> [String] {
        block.components(separatedBy: "\n\n").map { paragraph in
            paragraph.split(separator: "\n").filter {
                $0 != "}" && !$0.hasPrefix("import ") && !$0.hasPrefix("@testable import ")
            }.joined(separator: "\n")
        }.filter { !$0.isEmpty }
    }

    private static func normalized(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
