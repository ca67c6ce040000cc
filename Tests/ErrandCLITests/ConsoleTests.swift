internal import Errand
internal import ErrandLocks
internal import Synchronization
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct ConsoleTests {
    @Test func `prints each line with one write, whoever prints`() async {
        let sink = MemorySink()
        let console = Console(output: sink, errors: sink)
        await withTaskGroup { group in
            for number in 0..<100 { group.addTask { await console.line("line \(number)") } }
        }
        #expect(sink.writes.count == 100)
        #expect(Set(sink.lines) == Set((0..<100).map { "line \($0)" }))
    }

    @Test func `colours results only when told to`() async {
        let (plain, colored) = (MemorySink(), MemorySink())
        await Console(output: plain, errors: plain).line("x", .good)
        await Console(output: colored, errors: plain, hasColor: true).line("x", .good)
        #expect(plain.text == "x\n")
        #expect(colored.text == "\u{1B}[32mx\u{1B}[0m\n")
    }

    @Test func `keeps a bar below the lines of a terminal`() async {
        let (output, errors) = (MemorySink(), MemorySink(isTerminal: true))
        let console = Console(output: output, errors: errors)
        await console.beginProgress(.errors, total: 2)
        await console.advanceProgress()
        await console.line("a result")
        await console.endProgress()
        let bar = { (text: String) in "\u{1B}[?7l" + Terminal.eraseLine + "[" + text }
        #expect(output.text == "a result\n")
        #expect(errors.writes.count == 5)
        #expect(errors.writes[0].hasPrefix(bar("-----")))
        #expect(errors.writes[1].hasPrefix(bar("#####")))
        #expect(errors.writes[2] == Terminal.eraseLine)
        #expect(errors.writes[3] == errors.writes[1])
        #expect(errors.writes[4] == Terminal.eraseLine)
    }

    @Test func `keeps a line of each transfer below, drawn over with one write`() async {
        let (output, errors) = (MemorySink(), MemorySink(isTerminal: true, columns: 60))
        let console = Console(output: output, errors: errors)
        let lines = ["a", "b", "all"].map { TransferLine(name: $0, bytes: 1) }
        await console.showTransfers(lines)
        await console.showTransfers(lines)
        await console.line("a result")
        await console.showTransfers([lines[2]])
        await console.endProgress()
        let (bare, all) = (
            lines.map { $0.drawn(columns: 60) },
            { (top: String, lines: [String], rest: String) in
                "\u{1B}[?7l\r" + top + lines.map { "\u{1B}[K" + $0 }.joined(separator: "\r\n") + rest + "\u{1B}[?7h"
            }
        )
        #expect(
            errors.writes == [
                all("", bare, ""), all("\u{1B}[2A", bare, ""), "\r\u{1B}[2A\u{1B}[J", all("", bare, ""),
                all("\u{1B}[2A", [bare[2]], "\u{1B}[J"), Terminal.eraseLine,
            ])
        #expect(output.text == "a result\n")
    }

    @Test(arguments: [(0, 1), (3, 2), (5, 4), (24, 10)])
    func `draws no more lines than the terminal has, and the last one always`(_ rows: Int, _ drawn: Int) async {
        let errors = MemorySink(isTerminal: true, rows: rows)
        let lines = (0..<10).map { TransferLine(name: "<\($0)>", bytes: 1) }
        await Console(output: errors, errors: errors).showTransfers(lines)
        #expect(errors.text.count { $0 == "<" } == drawn)
        #expect(errors.text.contains("<9>"))
    }

    @Test func `shows no transfers where complaints go to no terminal`() async {
        let sink = MemorySink()
        let console = Console(output: sink, errors: sink)
        #expect(!console.showsTransfers)
        await console.showTransfers([TransferLine(name: "a", bytes: 1)])
        await console.endProgress()
        #expect(sink.writes.isEmpty)
    }

    @Test func `prints ten plain lines where results go to no terminal`() async {
        let sink = MemorySink()
        let console = Console(output: sink, errors: sink)
        await console.beginProgress(.output, total: 50)
        for _ in 0..<50 { await console.advanceProgress() }
        await console.endProgress()
        #expect(sink.lines == stride(from: 5, through: 50, by: 5).map { "   \($0) of 50" })
    }

    @Test func `prints no progress where complaints go to no terminal`() async {
        let sink = MemorySink()
        let console = Console(output: sink, errors: sink)
        await console.beginProgress(.errors, total: 50)
        for _ in 0..<50 { await console.advanceProgress() }
        await console.endProgress()
        #expect(sink.writes.isEmpty)
    }

    @Test func `tells once that results cannot be written, and still complains`() async {
        let failures = Mutex<[FileProblem]>([])
        let error = FileProblem(32)
        let errors = MemorySink()
        let console = Console(output: MemorySink(error: error), errors: errors) { error in
            failures.withLock { $0.append(error) }
        }
        await console.line("one")
        await console.line("two")
        await console.complain("no\nway")
        #expect(failures.withLock { $0 } == [error])
        #expect(errors.text == "errand: no\\u{A}way\n")
    }

    @Test func `holds nothing against complaints that cannot be written`() async {
        let console = Console(output: MemorySink(), errors: MemorySink(error: FileProblem(5)))
        await console.complain("one")
        await console.complain("two")
    }
}
