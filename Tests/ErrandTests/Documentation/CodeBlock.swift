/// A fenced block of code on a page.
struct CodeBlock {
    /// A block that was begun at this line and not ended.
    struct Unclosed: Error, Equatable {
        let line: Int
    }

    /// What stands above a block that no test has.
    static let mark = "<!-- not compiled -->"

    /// The word behind the opening fence.
    let language: String
    /// The number of the line with the opening fence, from 1.
    let line: Int
    /// Whether the last line above it that is not empty is the mark.
    let isMarkedAsNotCompiled: Bool
    /// The path that the last line above it names, as in "`Package.swift`:": a whole file of a newcomer's package.
    let file: String?
    private(set) var lines: [String] = []

    /// The code with every run of white space as one space.
    var normalized: String { Self.normalize(self.lines.joined(separator: "\n")) }

    static func normalize(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func file(namedBy line: String) -> String? {
        guard line.count > 3, line.hasPrefix("`"), line.hasSuffix("`:") else { return nil }
        let name = line.dropFirst().dropLast(2)
        return name.contains("`") ? nil : String(name)
    }

    /// Finds the blocks of a page.
    ///
    /// - Throws: ``Unclosed``.
    static func blocks(of page: String) throws(Unclosed) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: CodeBlock?
        var lastText = ""
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.drop { $0 == " " }
            switch (open, trimmed.hasPrefix("```")) {
            case (nil, true):
                open = CodeBlock(
                    language: String(trimmed.dropFirst(3)), line: index + 1,
                    isMarkedAsNotCompiled: lastText == Self.mark, file: Self.file(namedBy: lastText))
            case (let block?, true):
                blocks.append(block)
                open = nil
            case (_?, false):
                open?.lines.append(String(line))
            case (nil, false):
                break
            }
            if !trimmed.isEmpty { lastText = String(trimmed) }
        }
        if let open { throw Unclosed(line: open.line) }
        return blocks
    }
}
