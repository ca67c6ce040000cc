internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// URLs from the standard input: each is sent as it comes, and fails alone.
@Suite(.timeLimit(.minutes(60)), .paced)
struct GetInputTests {
    private let scene: FileScene

    init() throws {
        self.scene = try FileScene()
        self.scene.server.route("GET", "/gone", .text("no", status: 410))
    }

    private func url(_ path: String) -> String { self.scene.server.baseURL + path }

    @Test func `lines stand in the place of their argument, in order, and empty ones are skipped`() async {
        let harness = ProgramHarness(input: ["", "  \(self.url("one"))\r", "\t", self.url("two")])
        #expect(await harness.run("get", "-", self.url("gone")) == 1)
        let ends = harness.output.lines.map { $0.split(separator: " ").last.map(String.init) }
        #expect(ends == [self.url("one"), self.url("two"), self.url("gone")])
    }

    @Test func `a bad line fails alone, and the rest is sent`() async throws {
        let harness = ProgramHarness(input: [self.url("one"), "not one", "ftp://a/", "/path", self.url("two")])
        #expect(await harness.run("get", "-") == 1)
        let lines = harness.output.lines
        #expect(lines.map { $0.prefix(3) } == ["200", "---", "---", "---", "200"])
        #expect(lines[1...3].allSatisfy { $0.contains("  invalidURL: ") })
        #expect(lines[1].contains("  not one  "))
        #expect(harness.errors.text.isEmpty)
        #expect(self.scene.server.receivedCount == 2)
    }

    /// The program with a pipe for its standard input, which one line has been written into.
    private func piped(_ output: MemorySink, _ pipe: Pipe, _ interruption: Interruption) -> Program {
        pipe.fileHandleForWriting.write(Data("\(self.url("one"))\n".utf8))
        let console = Console(output: output, errors: MemorySink())
        return Program(
            console: console, interruption: interruption, ownsProcess: false, timeouts: .unlimited,
            input: pipe.fileHandleForReading)
    }

    @Test func `a line is answered before the next one is there`() async {
        let pipe = Pipe()
        // The input ends when the first line was answered, and not before.
        let output = MemorySink { try? pipe.fileHandleForWriting.close() }
        #expect(await self.piped(output, pipe, Interruption()).run(["get", "-", "--width", "4"]) == 0)
        #expect(output.lines.count == 1)
    }

    @Test func `an interruption ends a program that waits for a line`() async throws {
        let (pipe, interruption) = (Pipe(), Interruption())
        let output = MemorySink { interruption.raise(.signal(2)) }
        #expect(await self.piped(output, pipe, interruption).run(["get", "-"]) == 130)
        #expect(output.lines.count == 1)
        try pipe.fileHandleForWriting.close()
    }

    @Test func `bodies of lines go into files of their own`() async throws {
        let place = self.scene.folder.file("out")
        let harness = ProgramHarness(input: [self.url("a.txt"), "no url", self.url("b/a.txt")])
        #expect(await harness.run("get", "-", "--output", place.path) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == ["a-2.txt", "a.txt"])
    }

    @Test func `commands for curl come line by line, without the bad ones`() async {
        let harness = ProgramHarness(input: ["http://a.test/", "not one", "b.test"])
        #expect(await harness.run("get", "-", "--curl") == 1)
        #expect(harness.output.lines.map { $0.split(separator: " ")[1] } == ["http://a.test/", "http://b.test/"])
        #expect(harness.errors.lines.count == 1)
    }

    @Test func `no line is no URL`() async {
        for arguments in [["get", "-"], ["get", "-", "--curl"]] {
            let harness = ProgramHarness(input: [" "])
            #expect(await harness.program.run(arguments) == 2)
            #expect(harness.errors.text == "errand: no URL given; see errand get --help\n")
        }
    }

    // MARK: - The lines

    @Test func `lines are read from a pipe, whatever pieces they come in`() throws {
        let pipe = Pipe()
        let input = LineInput(pipe.fileHandleForReading)
        pipe.fileHandleForWriting.write(Data("one\ntw".utf8))
        #expect(input.next() == "one")
        pipe.fileHandleForWriting.write(Data("o\r\n\n\u{FF}last".utf8))
        #expect(input.next() == "two\r")
        #expect(input.next() == "")
        try pipe.fileHandleForWriting.close()
        #expect(input.next() == "\u{FF}last")
        #expect(input.next() == nil)
        #expect(input.next() == nil)
    }
}
