internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: tokens (G11)", .timeLimit(.minutes(60)), .paced)
struct LexerTests {
    /// The texts of the tokens, a literal as `_`.
    private func texts(_ source: String) -> [String] {
        Lexer.tokens(of: Array(source.utf8)).map { $0.kind == .literal ? "_" : $0.text }
    }

    @Test(arguments: [
        ("", []),
        ("a b", ["a", "b"]),
        ("a // b\nc", ["a", "c"]),
        ("a /* b /* c */ d */ e", ["a", "e"]),
        ("a /* b // */ c", ["a", "c"]),
        ("a /* b", ["a"]),
        ("/**/a", ["a"]),
        ("/*/ a */ b", ["b"]),
        (#"a "b // c" d"#, ["a", "_", "d"]),
        (#"a "b \" c" d"#, ["a", "_", "d"]),
        (#"a "b \\" d"#, ["a", "_", "d"]),
        ("a \"b\nc", ["a", "_", "c"]),
        ("a \"b\\\nc", ["a", "_", "c"]),
        ("a \"b", ["a", "_"]),
        (#"a "b \(c) d" e"#, ["a", "_", "c", "e"]),
        (#"a "b \(c("d \(e) f")) g" h"#, ["a", "_", "c", "(", "_", "e", ")", "h"]),
        (##"a #"b " \(c) \#(d) "# e"##, ["a", "_", "d", "e"]),
        (##"#"\"#"##, ["_"]),
        ("\"\"\"\na \" b \"\" c\n\"\"\" d", ["_", "d"]),
        ("\"\"\"\na \\(b) \\\"\"\" c\n\"\"\" d", ["_", "b", "d"]),
        ("#\"\"\"\na \"\"\" b\n\"\"\"# c", ["_", "c"]),
        ("\"\"\"\na", ["_"]),
        (#""""#, ["_"]),
        (#""" a"#, ["_", "a"]),
        ("`class` a", ["`class`", "a"]),
        ("`two words` a", ["`two words`", "a"]),
        ("`a\nb", ["`", "a", "b"]),
        ("1.5 + 0x1F_0.p3", ["_", "+", "_", ".", "p3"]),
        ("1...2", ["_", ".", ".", ".", "_"]),
        ("a / b // c", ["a", "/", "b"]),
        ("a/b/c", ["a", "/", "b", "/", "c"]),
        ("x = /a\"b/ c", ["x", "=", "_", "c"]),
        ("[+, /].map { x/y } // z", ["[", "+", ",", "/", "]", ".", "map", "{", "x", "/", "y", "}"]),
        ("f(/[/\"]/, c)", ["f", "(", "_", ",", "c", ")"]),
        ("return /a/ ; b", ["return", "_", ";", "b"]),
        ("x = #/a\"/b/# c", ["x", "=", "_", "c"]),
        ("x = ##/a/# b/## c", ["x", "=", "_", "c"]),
        ("#if a\n#endif", ["#", "if", "a", "#", "endif"]),
        ("@unchecked Sendable", ["@", "unchecked", "Sendable"]),
        ("#!/usr/bin/swift \"\na", ["a"]),
        ("\u{FEFF}a", ["a"]),
        ("ä̈ö", ["ä̈ö"]),
    ])
    func `are what is neither white space nor a comment nor in a text`(_ source: String, _ tokens: [String]) {
        #expect(self.texts(source) == tokens)
    }

    @Test func `know their lines and columns, whatever ends lines`() {
        let tokens = Lexer.tokens(of: Array("a\r\nb\rc\n/*\n*/ d \"\"\"\n\n\"\"\" ü e".utf8)).filter {
            $0.kind == .word
        }
        #expect(tokens.map(\.text) == ["a", "b", "c", "d", "ü", "e"])
        #expect(tokens.map(\.line) == [1, 2, 3, 5, 7, 7])
        #expect(tokens.map(\.column) == [1, 1, 1, 4, 5, 8])
        #expect(tokens.map(\.startsLine) == [true, true, true, true, false, false])
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `end for any bytes, with places that are there`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let pieces: [[UInt8]] =
            [
                "\"", "\"\"\"", "#\"", "\"#", "\\(", "\\#(", "(", ")", "{", "}", "[", "]", "/*", "*/", "//", "/", "#/",
                "/#", "\n", "\r\n", "\r", " ", "`", "@", "unchecked", "Sendable", "nonisolated", "unsafe", "class",
                "func",
                "var", "import", "lock", "unlock", "withLock", "await", "defer", "Task", "<", ">", ".", "detached",
                "if",
                "repeat", "while", "\\", "ü", "1.5",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x00], [0xED, 0xA0, 0x80], [0xF0, 0x9F]]
        let count = Int.random(in: 0..<400, using: &generator)
        let bytes = (0..<count).flatMap { _ in pieces.randomElement(using: &generator) ?? [] }
        for token in Lexer.tokens(of: bytes) {
            #expect(token.line >= 1 && token.column >= 1)
        }
        for finding in SourceScanner.findings(in: bytes, file: "a.swift") {
            #expect(finding.line >= 1 && !finding.declaration.isEmpty)
        }
        let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        _ = SourceScanner.findings(in: noise, file: "a.swift")
    }

    @Test(arguments: ["{", "(", "\"\\(", "/*", "class A {", "lock(", "[", "withLock {"])
    func `end however deep it goes`(piece: String) {
        let source = String(repeating: piece, count: 5_000)
        _ = SourceScanner.findings(in: Array(source.utf8), file: "a.swift")
    }
}
