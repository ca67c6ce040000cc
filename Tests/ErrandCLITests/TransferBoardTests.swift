internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// Lines of progress while files come and go.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TransferBoardTests {
    private let scene: FileScene

    init() throws {
        self.scene = try FileScene()
    }

    private var place: String { self.scene.folder.file("out").path }

    private func url(_ path: String) -> String { self.scene.server.baseURL + path }

    /// The program on a terminal, which opens a gate once something was drawn there.
    private func harness(opening gate: LoopbackGate, after texts: String...) -> ProgramHarness {
        ProgramHarness(
            errors: MemorySink(isTerminal: true, columns: 100) {
            } onWrite: { text in
                if texts.allSatisfy({ text.contains("\u{1B}[K\($0) ") }) { gate.open() }
            })
    }

    @Test func `each file under way has a line, and all have one in sum`() async throws {
        let gate = LoopbackGate()
        self.scene.server.route("GET", "/a.txt", .text("first").held(by: gate))
        self.scene.server.route("GET", "/b.txt", .text("second").held(by: gate))
        let harness = self.harness(opening: gate, after: "a.txt", "b.txt", "0 of 3 files")
        let urls = ["a.txt", "b.txt", "c.txt"].map(self.url)
        #expect(await harness.program.run(["get", "--output", self.place, "--parallel", "2"] + urls) == 0)
        #expect(harness.output.lines.count == 3)
    }

    @Test func `the batch of all files is none of them`() async {
        let board = TransferBoard(.received, count: 2)
        let end = RequestActivity.End(
            result: .finished, head: nil, bodySize: nil, body: nil, attempts: 1, timings: ExchangeMetrics.Timings(),
            trace: nil)
        for kind in [RequestActivity.Kind.request, .request, .batch] {
            board.didStop(RequestActivity(id: .next(), kind: kind), end)
        }
        #expect(board.lines.map(\.name) == ["2 of 2 files"])
    }

    @Test func `one file has one line`() async throws {
        let gate = LoopbackGate()
        self.scene.server.route("GET", "/a.txt", .text("first").held(by: gate))
        let harness = self.harness(opening: gate, after: "a.txt")
        let file = self.scene.folder.file("b").path
        #expect(await harness.run("get", self.url("a.txt"), "-o", file) == 0)
        #expect(!harness.errors.text.contains(" files"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "first")
    }

    @Test func `an upload has one line, with what was sent`() async throws {
        let gate = LoopbackGate()
        self.scene.server.route("POST", "/files", .text("uploaded").held(by: gate))
        let file = self.scene.folder.file("tour.bin")
        try Data(repeating: 7, count: 2048).write(to: file)
        let harness = ProgramHarness(
            errors: MemorySink(isTerminal: true, columns: 100) {
            } onWrite: { text in
                if text.contains("\u{1B}[Ktour.bin ") && text.contains(" 100 %     2.0 KiB ") { gate.open() }
            })
        #expect(await harness.run("upload", file.path, self.url("files")) == 0)
        #expect(harness.errors.text.hasSuffix(Terminal.eraseLine))
        #expect(harness.output.text == "uploaded")
    }

    @Test(arguments: [true, false])
    func `nothing is drawn when it shall be quiet, or where nobody looks`(isTerminal: Bool) async {
        let harness = ProgramHarness(errors: MemorySink(isTerminal: isTerminal))
        let code = await harness.program.run(
            ["get", "--output", self.place, self.url("a"), self.url("b")]
                + (isTerminal ? ["-q"] : []))
        #expect(code == 0)
        #expect(harness.errors.text.isEmpty)
    }

    @Test func `files come four at a time unless it is said otherwise`() async {
        let gate = LoopbackGate()
        self.scene.server.route("GET", "/held/*", .text("x").held(by: gate))
        let urls = (0..<9).map { self.url("held/\($0)") }
        async let code = ProgramHarness().program.run(["get", "-q", "--output", self.place] + urls)
        await gate.waitUntilReached(times: 4)
        #expect(self.scene.server.receivedCount == 4)
        gate.open()
        #expect(await code == 0)
        #expect(self.scene.server.receivedCount == 9)
    }
}
