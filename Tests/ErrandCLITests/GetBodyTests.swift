internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Synchronization
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// One URL: its body is the result, and options mean what they do for curl.
@Suite(.timeLimit(.minutes(60)), .paced)
struct GetBodyTests {
    private let scene: FileScene

    init() throws {
        self.scene = try FileScene()
        self.scene.server.route("GET", "/gone", .text("no such thing\n", status: 410))
    }

    private var server: LoopbackServer { self.scene.server }
    private var harness: ProgramHarness { self.scene.harness }

    private func run(_ path: String, _ options: String...) async -> Int32 {
        await self.scene.get([path], options)
    }

    private func arrived(_ options: [String], input: [String] = []) async throws -> LoopbackRequest {
        let harness = ProgramHarness(input: input)
        #expect(await harness.program.run(["get", self.server.baseURL + "x"] + options) == 0, "\(harness.errors.text)")
        return try #require(self.server.received.last)
    }

    // MARK: - The body

    @Test func `the body is the output, byte for byte, and nothing else is`() async {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        self.server.route("GET", "/bytes", .data(bytes))
        #expect(await self.run("bytes") == 0)
        #expect(self.harness.output.data == bytes)
        #expect(self.harness.errors.text.isEmpty)
    }

    @Test func `a body larger than memory may have goes through`() async {
        let body = Data(repeating: 0x61, count: 65 << 20)
        self.server.route("GET", "/large", .data(body))
        let count = ByteCount()
        let program = Program(
            console: Console(output: count, errors: MemorySink()), interruption: Interruption(), ownsProcess: false,
            timeouts: .unlimited)
        #expect(await program.run(["get", self.server.baseURL + "large"]) == 0)
        #expect(count.total == body.count)
    }

    @Test func `a body is printed as it comes`() async {
        let gate = LoopbackGate()
        let head = LoopbackMessage(body: .declared(8, sent: Data("half".utf8)))
        self.server.route("GET", "/slow", LoopbackReply(.message(head), .hold(gate), .bytes(Data("rest".utf8))))
        // Were the first half held back until the second is there, this would never end.
        let output = MemorySink { gate.open() }
        #expect(await ProgramHarness(output: output).run("get", self.server.baseURL + "slow") == 0)
        #expect(output.text == "halfrest")
    }

    @Test func `a terminal is told the line beside it, below a last line without an end`() async {
        for isTerminal in [false, true] {
            let errors = MemorySink(isTerminal: true)
            let harness = ProgramHarness(output: MemorySink(isTerminal: isTerminal), errors: errors)
            #expect(await harness.run("get", self.server.baseURL + "x") == 0)
            #expect(harness.output.text == "body of /x")
            #expect(errors.text.hasPrefix(isTerminal ? "\n200 " : "200 "))
            #expect(errors.text.hasSuffix("  \(self.server.baseURL)x\n"))
        }
        let quiet = ProgramHarness(errors: MemorySink(isTerminal: true))
        #expect(await quiet.run("get", self.server.baseURL + "x", "-q") == 0)
        #expect(quiet.errors.text.isEmpty && quiet.output.text == "body of /x")
    }

    @Test func `the line shows no user and password of a URL`() async {
        let errors = MemorySink(isTerminal: true)
        let host = self.server.baseURL.dropFirst("http://".count)
        #expect(await ProgramHarness(errors: errors).run("get", "http://ann:s3cret@\(host)x") == 0)
        #expect(errors.text.hasSuffix("  \(self.server.baseURL)x\n"))
    }

    @Test func `a status from 400 fails, and its body is printed all the same`() async {
        #expect(await self.run("gone") == 1)
        #expect(self.harness.output.text == "no such thing\n")
        #expect(self.harness.errors.text.isEmpty)
    }

    @Test func `without a response there is no output, and the error says why`() async {
        self.server.route("GET", "/close", .close)
        #expect(await self.run("close") == 1)
        #expect(self.harness.output.text.isEmpty)
        #expect(self.harness.errors.text.hasPrefix("errand: connectionLost: "))
        #expect(self.harness.errors.lines.count == 1)
    }

    @Test func `a body that breaks off fails, with what came of it in the output`() async {
        self.server.route("GET", "/half", .shortBody(declared: 100, sent: Data("half".utf8)))
        #expect(await self.run("half") == 1)
        #expect(self.harness.output.text == "half")
        #expect(self.harness.errors.lines.count == 1)
    }

    @Test func `a file is asked for as it was published, and --raw leaves on what a server puts on it`() async throws {
        let odd = Data("odd".utf8)
        self.server.route("GET", "/odd", .data(odd, headers: ["Content-Encoding": "aws-chunked"]))
        let file = self.scene.folder.file("odd").path
        #expect(await self.run("odd", "-o", file) == 1)
        #expect(self.harness.errors.text.contains("aws-chunked"))
        #expect(await self.run("odd", "-o", file, "--raw") == 0)
        #expect(try Data(contentsOf: URL(filePath: file)) == odd)
        #expect(await self.run("odd", "--raw") == 0)
        #expect(self.harness.output.data == odd)
        #expect(await self.run("x", "-o", file, "-H", "Accept-Encoding: gzip") == 0)
        let asked = self.server.received.map { $0.header("Accept-Encoding") }
        #expect(asked == ["identity", "identity", "identity", "gzip"])
    }

    @Test func `redirections are followed`() async {
        self.server.route("GET", "/from", .redirect(to: "/to"))
        #expect(await self.run("from") == 0)
        #expect(self.harness.output.text == "body of /to")
    }

    @Test(arguments: [["--json"], ["--timeline", "FILE"], ["--cache", "FOLDER"]])
    func `what asks for lines gets lines`(options: [String]) async throws {
        let options = options.map {
            $0 == "FILE" ? self.scene.folder.file("a.svg").path : $0 == "FOLDER" ? self.scene.folder.file("c").path : $0
        }
        #expect(await self.scene.get(["x"], options) == 0)
        #expect(self.harness.output.lines.count == 1 && self.harness.output.text.contains("\(self.server.baseURL)x"))
    }

    // MARK: - As curl has it

    @Test func `-i prints the head before the body`() async {
        self.server.route("GET", "/x", .text("body", headers: ["X-A": "1", "x-a": "2"]))
        #expect(await self.run("x", "-i") == 0)
        let parts = self.harness.output.text.components(separatedBy: "\r\n\r\n")
        #expect(parts.last == "body")
        let head = parts[0].components(separatedBy: "\r\n")
        #expect(head.first == "HTTP/1.1 200 OK")
        #expect(head.contains("X-A: 1") && head.contains("x-a: 2") && head.contains("Content-Length: 4"))
    }

    @Test func `-o writes the body into a file, with the head if that is wanted`() async throws {
        let file = self.scene.folder.file("out.txt")
        try Data("something longer than the body".utf8).write(to: file)
        #expect(await self.run("x", "-o", file.path) == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) == "body of /x")
        #expect(await self.run("x", "-io\(file.path)") == 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\nbody of /x"))
        #expect(self.harness.output.text.isEmpty)
        #expect(await self.run("x", "-o", "-") == 0)
        #expect(self.harness.output.text == "body of /x")
        #expect(await self.run("x", "-o", "/dev/null") == 0)
    }

    @Test func `-o puts no error into a file, and says what the server said`() async throws {
        let (file, new) = (self.scene.folder.file("out.txt"), self.scene.folder.file("new.txt"))
        try Data("old".utf8).write(to: file)
        #expect(await self.run("gone", "-io\(file.path)") == 1)
        #expect(await self.run("gone", "-o", new.path) == 1)
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        #expect(!FileManager.default.fileExists(atPath: new.path))
        #expect(
            self.harness.errors.lines.last
                == "errand: unacceptableStatus: the server answered 410 Gone: no such thing")
        #expect(await self.run("gone", "-o", "-") == 1)
        #expect(self.harness.output.text == "no such thing\n")
    }

    @Test func `-o leaves the file alone when there is no response, and says when it cannot be written`() async throws {
        let file = self.scene.folder.file("out.txt")
        try Data("old".utf8).write(to: file)
        self.server.route("GET", "/close", .close)
        #expect(await self.run("close", "-o", file.path) == 1)
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        let folder = self.scene.folder.url.path
        #expect(await self.run("x", "-o", folder) == 1)
        #expect(self.harness.errors.lines.last == "errand: fileFailed: -o \(folder): Is a directory")
    }

    @Test(arguments: [
        (["-d", "a=b c&d"], "POST", "a=b c&d"), (["-da=1", "-d", "b=2"], "POST", "a=1&b=2"), (["-d", ""], "POST", ""),
        (["-XPUT", "-d", "x"], "PUT", "x"), (["-X", "GET", "-d", "x"], "GET", "x"), (["-X", "DELETE"], "DELETE", ""),
    ])
    func `-d implies POST and the type of a form, and -X another method`(
        options: [String], method: String, body: String
    ) async throws {
        let request = try await self.arrived(options)
        #expect(request.method == method)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        let hasBody = options.contains { $0.hasPrefix("-d") }
        #expect(request.header("Content-Type") == (hasBody ? "application/x-www-form-urlencoded" : nil))
    }

    @Test func `-d reads files and the standard input, without their line breaks`() async throws {
        let file = self.scene.folder.file("data")
        try Data("a=1\r\n&b=2\n\0".utf8).write(to: file)
        let request = try await self.arrived(["-d", "@\(file.path)", "-d", "@-"], input: ["c=", "3\r"])
        #expect(String(decoding: request.body, as: UTF8.self) == "a=1&b=2&c=3")
    }

    @Test func `-d sends the bytes of the standard input as they come, also those that are no UTF-8`() async throws {
        let harness = ProgramHarness(input: Data([0xFF, 0xC3, 0x0A, 0x28, 0x00, 0x80]))
        #expect(await harness.run("get", self.server.baseURL + "x", "-d", "@-") == 0, "\(harness.errors.text)")
        #expect(self.server.received.last?.body == Data([0xFF, 0xC3, 0x28, 0x80]))
    }

    @Test func `-H sends a field, another type too, an empty one, or none`() async throws {
        let request = try await self.arrived([
            "-H", "X-A: 1", "-HX-A: 2", "-H", "Content-Type: application/json", "-H", "X-Empty;", "-H", "User-Agent:",
            "-H", "Accept:", "-d", "{}",
        ])
        #expect(request.headers.values(of: "x-a") == ["1", "2"])
        #expect(request.headers.values(of: "content-type") == ["application/json"])
        #expect(request.header("X-Empty") == "")
        #expect(request.header("User-Agent") == nil && request.header("Accept") == nil)
    }

    @Test(arguments: [
        (["-d", "x", "--form", "a=b"], "-d cannot go with --form, --file or --json-body: a request has one body"),
        (["-d", "x", "--json-body", "1"], "-d cannot go with --form, --file or --json-body: a request has one body"),
        (["-d", "x", "-X", "HEAD"], "--method HEAD cannot go with a body"),
        (["-d", "x", "--cache", "c"], "--cache is for GET: anything else has to reach the server"),
        (["-d", "@-", "-"], "the standard input cannot be both the URLs and what -d sends"),
        (["-H", "nothing"], "--header needs a name, a colon and a value"), (["-o", ""], "-o needs the name of a file"),
        (["-i", "http://b/"], "-i and -o are for one URL, without --json, --output, --cache, --timeline and --curl"),
        (["-o", "f", "--json"], "-i and -o are for one URL, without --json, --output, --cache, --timeline and --curl"),
        (["-i", "--curl"], "-i and -o are for one URL, without --json, --output, --cache, --timeline and --curl"),
        (["-qx"], "unknown option \"-x\""),
    ])
    func `what cannot be is refused before anything is sent`(options: [String], message: String) async {
        #expect(await self.scene.get(["x"], options) == 2)
        #expect(self.harness.errors.text == "errand: \(message); see errand get --help\n")
        #expect(self.server.receivedCount == 0 && self.harness.output.text.isEmpty)
    }
}

/// Counts bytes and keeps none.
private final class ByteCount: TextSink {
    let isTerminal = false
    let columns = 80
    let rows = 24
    private let count = Mutex(0)

    var total: Int { self.count.withLock { $0 } }

    func write(_ data: Data) throws(FileProblem) {
        self.count.withLock { $0 += data.count }
    }
}
