internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct TerminalTests {
    @Test(arguments: [
        ("plain text, 10 %", "plain text, 10 %"),
        ("große Welt 世界", "große Welt 世界"),
        ("two\r\nlines", "two\\u{D}\\u{A}lines"),
        ("\u{1B}[31mred", "\\u{1B}[31mred"),
        ("a\u{202E}b\u{2028}c", "a\\u{202E}b\\u{2028}c"),
    ])
    func `escapes what would break a line or talk to the terminal`(_ text: String, _ line: String) {
        #expect(Terminal.oneLine(text) == line)
    }

    @Test(
        arguments: [
            (true, [:], true), (true, ["NO_COLOR": ""], true), (true, ["NO_COLOR": "1"], false), (false, [:], false),
        ] as [(Bool, [String: String], Bool)])
    func `wants colours only where nobody minds`(_ isTerminal: Bool, _ environment: [String: String], _ wants: Bool) {
        #expect(Terminal.wantsColor(isTerminal: isTerminal, environment: environment) == wants)
    }

    @Test func `draws how much is done`() {
        var bar = ProgressBar(.output, total: 4)
        #expect(bar.drawn(columns: 25) == "[----------] 0 of 4, 0 %")
        for _ in 0..<3 { _ = bar.advance(steps: 10) }
        #expect(bar.drawn(columns: 200) == "[\(String(repeating: "#", count: 30))----------] 3 of 4, 75 %")
    }

    @Test(arguments: 0...120)
    func `never draws as far as the last column`(_ columns: Int) {
        var bar = ProgressBar(.output, total: 10_000)
        for _ in 0..<1234 { _ = bar.advance(steps: 10) }
        #expect(bar.drawn(columns: columns).count < max(1, columns))
    }

    @Test(arguments: [(1, 10, 1), (7, 10, 7), (10, 10, 10), (1000, 10, 10), (10_000, 200, 200)])
    func `draws so many times, and at the end`(_ total: Int, _ steps: Int, _ expected: Int) {
        var bar = ProgressBar(.output, total: total)
        let draws = (0..<total).map { _ in bar.advance(steps: steps) }
        #expect(draws.count { $0 } == expected)
        #expect(draws.last == true)
    }

    @Test func `draws nothing wrong about nothing`() {
        #expect(ProgressBar(.output, total: 0).drawn(columns: 80).hasSuffix("] 0 of 0, 100 %"))
    }
}
