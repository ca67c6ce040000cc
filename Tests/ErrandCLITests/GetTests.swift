internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct GetTests {
    private let server: LoopbackServer
    private let harness = ProgramHarness()

    init() throws {
        self.server = try LoopbackServer()
        self.server.route("GET", "/ok", .text("hello"))
        self.server.route("GET", "/empty", .status(204))
        self.server.route("GET", "/gone", .text("no", status: 410))
        self.server.route("GET", "/close", .close)
    }

    private func url(_ path: String) -> String { self.server.baseURL + path }

    /// The lines without their seconds, which nobody can foretell.
    private var lines: [String] {
        self.harness.output.lines.map { $0.replacing(#/ +[0-9.]+ s  /#, with: " ") }
    }

    // MARK: - Results

    @Test func `prints status, bytes and time in the order of the arguments`() async {
        let code = await self.harness.run("get", self.url("ok"), self.url("empty"), self.url("ok?again"))
        #expect(code == 0)
        #expect(
            self.lines == [
                "200          5 B \(self.url("ok"))", "204          0 B \(self.url("empty"))",
                "200          5 B \(self.url("ok?again"))",
            ])
        #expect(self.harness.output.lines.allSatisfy { $0.contains(#/ [0-9]+\.[0-9]{3} s /#) })
        #expect(self.harness.errors.text.isEmpty)
    }

    @Test func `waits with the lines of the quick for the line of the slow`() async {
        let gate = LoopbackGate()
        self.server.route("GET", "/slow", .text("at last").held(by: gate))
        async let code = self.harness.run("get", self.url("slow"), self.url("ok"), self.url("ok"), "--width", "2")
        // Both of the quick ones come while the slow one is held, although only two may be under way at once.
        await self.server.waitForRequests(3)
        #expect(self.harness.output.text.isEmpty)
        gate.open()
        #expect(await code == 0)
        #expect(self.lines.map { $0.hasSuffix("slow") } == [true, false, false])
    }

    @Test func `fails with a status from 400, and prints it`() async {
        #expect(await self.harness.run("get", self.url("gone"), self.url("ok")) == 1)
        #expect(self.lines == ["410          2 B \(self.url("gone"))", "200          5 B \(self.url("ok"))"])
    }

    @Test func `fails with an error, and says on the same line which`() async throws {
        #expect(await self.harness.run("get", self.url("close"), self.url("ok")) == 1)
        let line = try #require(self.lines.first)
        #expect(line.hasPrefix("---            - \(self.url("close"))  connectionLost: "))
        #expect(self.lines.count == 2)
    }

    @Test func `gives up when a server takes longer than the timeout`() async throws {
        self.server.route("GET", "/stall", .stall)
        #expect(await self.harness.run("get", self.url("stall"), "--timeout", "0.05") == 1)
        #expect(self.harness.errors.text.hasPrefix("errand: timedOut: "))
    }

    @Test func `prints JSON`() async throws {
        #expect(await self.harness.run("get", "--json", self.url("ok"), self.url("close")) == 1)
        let objects = try self.harness.output.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["url"] as? String } == [self.url("ok"), self.url("close")])
        #expect(objects.map { $0["status"] as? Int } == [200, nil])
        #expect(objects.map { $0["bytes"] as? Int } == [5, nil])
        #expect(objects.map { ($0["error"] as? [String: Any])?["code"] as? String } == [nil, "connectionLost"])
        #expect(objects.allSatisfy { $0["seconds"] is Double })
    }

    @Test func `sends header fields`() async {
        _ = await self.harness.run("get", self.url("ok"), "--header", "X-One: 1", "--header", "Accept: text/plain")
        #expect(self.server.received.map { $0.header("x-one") } == ["1"])
        #expect(self.server.received.map { $0.header("accept") } == ["text/plain"])
    }

    @Test func `has no more under way than the width`() async {
        let gate = LoopbackGate()
        self.server.route("GET", "/held/*", .text("x").held(by: gate))
        let urls = (0..<9).map { self.url("held/\($0)") }
        async let code = self.harness.program.run(["get", "--width", "3"] + urls)
        await gate.waitUntilReached(times: 3)
        #expect(self.server.receivedCount == 3)
        gate.open()
        #expect(await code == 0)
        #expect(self.server.receivedCount == 9)
    }

    // MARK: - Usage

    @Test(arguments: [
        "", "ftp://a/", "/path", "http://", "http://[::1/", "http://a:99999/", "http://a b/", "http://x/\n",
    ])
    func `sends nothing when a URL cannot be parsed`(_ text: String) async {
        #expect(await self.harness.run("get", self.url("ok"), text) == 2)
        #expect(self.harness.errors.lines.count == 1)
        // Errors have a space for a line break.
        let shown = Terminal.oneLine(String(text.map { $0.isNewline ? " " : $0 }))
        #expect(self.harness.errors.text.hasPrefix("errand: URL 2: \"\(shown)\" is not a URL: "))
        #expect(self.harness.output.text.isEmpty)
        #expect(self.server.receivedCount == 0)
    }

    @Test func `wants a URL`() async {
        #expect(await self.harness.run("get") == 2)
        #expect(await self.harness.run("get", "-") == 2)
        #expect(Set(self.harness.errors.lines) == ["errand: no URL given; see errand get --help"])
    }

    @Test func `prints help and version as results`() async {
        #expect(await self.harness.run("--version") == 0)
        #expect(await self.harness.run("get", "--help") == 0)
        #expect(self.harness.output.text == "errand \(Program.version)\n" + GetOptions.description.help)
    }

    // MARK: - Progress

    @Test func `shows progress on a terminal, and takes it away`() async {
        let harness = ProgramHarness(errors: MemorySink(isTerminal: true))
        #expect(await harness.run("get", self.url("ok"), self.url("ok")) == 0)
        #expect(harness.errors.text.contains("] 2 of 2, 100 %"))
        #expect(harness.errors.text.hasSuffix(Terminal.eraseLine))
    }

    @Test func `shows no progress when it shall be quiet`() async {
        let harness = ProgramHarness(errors: MemorySink(isTerminal: true))
        #expect(await harness.run("get", self.url("ok"), "-q") == 0)
        #expect(harness.errors.text.isEmpty)
    }
}
