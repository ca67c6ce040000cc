internal import Foundation
internal import TestEffort
internal import Testing

/// What holds for the pages themselves.
@Suite(.timeLimit(.minutes(60)), .paced)
struct DocumentationTests {
    @Test(arguments: Pages.all)
    func `every Swift block of a page is compiled`(page: String) throws {
        let blocks = try CodeBlock.blocks(of: Pages.text(of: page)).filter { $0.language == "swift" }
        let examples = try Pages.examples()
        for block in blocks where !block.isMarkedAsNotCompiled && block.file == nil {
            let isThere = examples.contains { $0.contains(block.normalized) }
            #expect(isThere, "\(page):\(block.line): no test has this block")
        }
    }

    @Test(arguments: Pages.all)
    func `what a page teaches runs in a simulation: it makes no plain task and sleeps on a clock`(page: String) throws {
        for block in try CodeBlock.blocks(of: Pages.text(of: page)) where block.language == "swift" {
            // `Moya.Task` is not Swift's `Task`.
            let escape = block.normalized.firstMatch(of: #/(?:^|[^.\w])Task(?: \{|\.sleep|\.detached)/#)
            #expect(escape == nil, "\(page):\(block.line): \(escape.map { $0.output } ?? "") leaves a simulation")
        }
    }

    @Test(arguments: Pages.all)
    func `a page that names files is one that the script follows`(page: String) throws {
        let files = try CodeBlock.blocks(of: Pages.text(of: page)).compactMap(\.file)
        let name = page.split(separator: "/").last.map(String.init) ?? page
        let isFollowed = try Pages.text(of: Pages.script).contains("/\(name)")
        #expect(files.isEmpty || isFollowed, "\(page) names \(files), which nothing compiles")
    }

    @Test func `there are pages with blocks to look at`() throws {
        #expect(Pages.catalogues.contains("Sources/Errand/Errand.docc"))
        #expect(Pages.catalogues.contains("Sources/ErrandTesting/ErrandTesting.docc"))
        #expect(Pages.all.count >= 25)
        let counts = try Pages.all.map { try CodeBlock.blocks(of: Pages.text(of: $0)).count }
        #expect(counts.reduce(0, +) >= 30)
    }

    @Test(arguments: ["swift run errand demo", "swift test"])
    func `the README names the commands to begin with`(command: String) throws {
        let blocks = try CodeBlock.blocks(of: Pages.text(of: "README.md"))
        #expect(blocks.contains { $0.lines.contains(command) })
    }

    @Test func `blocks are found with their language, line and mark`() throws {
        let blocks = try CodeBlock.blocks(
            of: """
                Text
                ```swift
                let a =
                    1
                ```
                <!-- not compiled -->

                ```swift
                let b = 2
                ```
                ```
                plain
                ```
                `Sources/A/B.swift`:

                ```swift
                let c = 3
                ```
                """)
        #expect(blocks.map(\.language) == ["swift", "swift", "", "swift"])
        #expect(blocks.map(\.line) == [2, 8, 11, 16])
        #expect(blocks.map(\.isMarkedAsNotCompiled) == [false, true, false, false])
        #expect(blocks.map(\.file) == [nil, nil, nil, "Sources/A/B.swift"])
        #expect(blocks.map(\.normalized) == ["let a = 1", "let b = 2", "plain", "let c = 3"])
    }

    @Test func `a block without an end is an error`() {
        #expect(throws: CodeBlock.Unclosed(line: 2)) { try CodeBlock.blocks(of: "Text\n```swift\nlet a = 1") }
    }
}
