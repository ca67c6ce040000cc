internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// What `errand get` does not send, and what it says instead.
@Suite(.timeLimit(.minutes(60)), .paced)
struct GetRefusalTests {
    private let server: LoopbackServer
    private let folder: TestFolder

    init() throws {
        self.server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
        self.folder = try TestFolder()
    }

    /// Runs the command and answers what it complains about; nothing may be sent or printed.
    private func refusal(_ arguments: [String]) async throws -> String {
        let harness = ProgramHarness()
        #expect(await harness.program.run(["get", self.server.baseURL] + arguments) == 2)
        #expect(self.server.connectionsAccepted == 0)
        #expect(harness.output.text.isEmpty)
        #expect(harness.errors.lines.count == 1)
        let words = try #require(harness.errors.text.wholeMatch(of: #/errand: (.*); see errand get --help\n/#))
        return String(words.1)
    }

    @Test(arguments: [
        (["--method", ""], "--method cannot use \"\": it is not a token"),
        (["--method", "GE T"], "--method cannot use \"GE T\": it is not a token"),
        (["--method", "GET\r\nX: y"], "--method cannot use \"GET\\u{D}\\u{A}X: y\": it is not a token"),
        (["--method", "CONNECT"], "--method cannot be CONNECT"),
        (["--header", "s3cret"], "--header needs a name, a colon and a value"),
        (["--query", "s3cret"], "--query needs a name, an equals sign and a value"),
        (["--query", "=s3cret"], "--query needs a name, an equals sign and a value"),
        (["--form", "s3cret"], "--form needs a name, an equals sign and a value"),
        (["--form", "=s3cret"], "--form needs a name, an equals sign and a value"),
        (["--file", "photo"], "--file needs a name, an equals sign, an @ and the path of a file"),
        (["--file", "photo=a.png"], "--file needs a name, an equals sign, an @ and the path of a file"),
        (["--file", "photo=@"], "--file needs a name, an equals sign, an @ and the path of a file"),
        (["--file", "=@a.png"], "--file needs a name, an equals sign, an @ and the path of a file"),
        (["--basic", "s3cret"], "--basic needs a user, a colon and a password"),
        (["--basic", "u:s3c\nret"], "--basic: a basic credential contains a control character"),
        (["--digest", "s3cret"], "--digest needs a user, a colon and a password"),
        (["--digest", "u:s3c\nret"], "--digest: a basic credential contains a control character"),
        (["--output", ""], "--output needs a folder"),
        (["--output"], "--output needs a value"),
        (["--curl=x"], "--curl takes no value"),
    ])
    func `an option that makes no sense, without what may be secret`(
        _ arguments: [String], _ message: String
    ) async throws {
        #expect(try await self.refusal(arguments) == message)
    }

    @Test(arguments: [
        (["--json-body", "1", "--form", "a=b"], "--json-body cannot go with --form or --file: a request has one body"),
        (
            ["--file", "a=@/dev/null", "--json-body", "1"],
            "--json-body cannot go with --form or --file: a request has one body"
        ),
        (["--method", "HEAD", "--form", "a=b"], "--method HEAD cannot go with a body"),
        (["--json-body", "1", "--method", "TRACE"], "--method TRACE cannot go with a body"),
        (["--basic", "u:p", "--header", "authorization: x"], "--basic and a header Authorization cannot go together"),
        (
            ["--header", "content-type: multipart/form-data", "--file", "a=@/dev/null"],
            "--file and a header Content-Type cannot go together: the form has its own"
        ),
        (["--digest", "u:p", "--basic", "u:p"], "--digest cannot go with --basic or a header Authorization"),
        (["--digest", "u:p", "--curl"], "--curl cannot go with --digest: no server has asked"),
        (["--digest", "u:p", "-"], "--digest is for URLs of the command line, not for those of the standard input"),
        (["--show-secrets"], "--show-secrets is for --curl"),
        (["--curl", "--output", "x"], "--curl cannot go with --output or --json: nothing is sent"),
        (["--json", "--curl"], "--curl cannot go with --output or --json: nothing is sent"),
    ])
    func `options that do not go together`(_ arguments: [String], _ message: String) async throws {
        #expect(try await self.refusal(arguments) == message)
    }

    // MARK: - Files

    @Test func `a file that is not there`() async throws {
        let path = self.folder.file("gone").path
        #expect(
            try await self.refusal(["--file", "a=@\(path)"])
                == "--file \(path): the file \"\(URL(filePath: path).lastPathComponent)\" for the request cannot be opened: No such file or directory"
        )
        #expect(
            try await self.refusal(["--json-body", "@\(path)"])
                == "--json-body @\(path): the file cannot be read: No such file or directory")
    }

    @Test func `a folder in place of a file`() async throws {
        let path = self.folder.url.path
        #expect(
            try await self.refusal(["--file", "a=@\(path)"])
                == "--file \(path): \"\(URL(filePath: path).lastPathComponent)\", the body of the request, is not a regular file"
        )
        #expect(
            try await self.refusal(["--json-body", "@\(path)"]).hasPrefix(
                "--json-body @\(path): the file cannot be read: "))
    }

    @Test func `a folder for bodies that cannot be made`() async throws {
        let file = self.folder.file("file")
        try Data().write(to: file)
        for path in [file.path, file.path + "/below"] {
            #expect(try await self.refusal(["--output", path]) == "--output \(path): the folder cannot be created")
        }
    }

    @Test func `no folder is made when something else is wrong`() async throws {
        let place = self.folder.file("new")
        #expect(try await self.refusal(["--output", place.path, "--json-body", "{"]).contains("not JSON"))
        #expect(try await self.refusal(["--output", place.path, "not a URL"]).contains("is not a URL"))
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    // MARK: - JSON

    static let notJSON = [
        "", " ", "{", "{\"a\":1}}", "{'a': 1}", "nul", "NaN", "01", "+1", "[1] 2", "[1,]", "\u{FEFF}1", "\"a\nb\"",
        "// c\n1",
        String(repeating: "[", count: 100_000),
    ]

    @Test(arguments: notJSON.indices)
    func `a text that is not JSON`(_ index: Int) async throws {
        let text = Self.notJSON[index]
        #expect(try await self.refusal(["--json-body", text]).hasPrefix("--json-body: the text is not JSON: "))
    }

    @Test func `where a text is not JSON`() async throws {
        let refusal = try await self.refusal(["--json-body", "{\"a\":\n  x}"])
        #expect(refusal.hasPrefix("--json-body: the text is not JSON: line 2, column 3: "))
    }

    @Test(arguments: [Data([0x22, 0xFF, 0x22]), Data("1\0".utf8), Data([0xFF, 0xFE, 0x31, 0x00]), Data("{".utf8)])
    func `a file that is not JSON in UTF-8`(_ content: Data) async throws {
        let file = self.folder.file("a.json")
        try content.write(to: file)
        let refusal = try await self.refusal(["--json-body", "@\(file.path)"])
        #expect(refusal.hasPrefix("--json-body @\(file.path): the text is not JSON: "))
    }
}
