internal import Foundation
internal import Testing

/// What holds for the pages themselves.
@Suite(.timeLimit(.minutes(5)))
struct DocumentationTests {
    @Test(arguments: Pages.all)
    func `every Swift block of a page is compiled`(page: String) throws {
        let blocks = try CodeBlock.blocks(of: Pages.text(of: page)).filter { $0.language == "swift" }
        let examples = try Pages.examples()
        for block in blocks where !block.isMarkedAsNotCompiled {
            let isThere = examples.contains { $0.contains(block.normalized) }
            #expect(isThere, "\(page):\(block.line): no test has this block")
        }
    }

    @Test func `there are pages with blocks to look at`() throws {
        #expect(Pages.all.count >= 8)
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
                """)
        #expect(blocks.map(\.language) == ["swift", "swift", ""])
        #expect(blocks.map(\.line) == [2, 8, 11])
        #expect(blocks.map(\.isMarkedAsNotCompiled) == [false, true, false])
        #expect(blocks.map(\.normalized) == ["let a = 1", "let b = 2", "plain"])
    }

    @Test func `a block without an end is an error`() {
        #expect(throws: CodeBlock.Unclosed(line: 2)) { try CodeBlock.blocks(of: "Text\n```swift\nlet a = 1") }
    }
}
