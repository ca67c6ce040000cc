internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// What arrives at a server is what the command line asked for.
@Suite(.timeLimit(.minutes(60)), .paced)
struct GetRequestTests {
    private let server: LoopbackServer
    private let folder: TestFolder
    private let harness = ProgramHarness()

    init() throws {
        self.server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
        self.folder = try TestFolder()
    }

    /// Runs the command for one URL and answers what arrived.
    private func arrived(_ arguments: String..., url: String = "x") async throws -> LoopbackRequest {
        let code = await self.harness.program.run(["get", self.server.baseURL + url] + arguments)
        #expect(code == 0, "\(self.harness.errors.text)\(self.harness.output.text)")
        #expect(self.server.receivedCount == 1)
        return try #require(self.server.received.first)
    }

    private func file(_ name: String, _ content: Data) throws -> String {
        let file = self.folder.file(name)
        try content.write(to: file)
        return file.path
    }

    // MARK: - Head

    @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "PUT", "PURGE", "post"])
    func `a method`(_ method: String) async throws {
        let request = try await self.arrived("--method", method)
        #expect(request.method == method)
        #expect(request.body.isEmpty)
    }

    @Test(arguments: [
        ([], "GET"), (["--query", "a=b"], "GET"), (["--form", "a=b"], "POST"), (["--json-body", "1"], "POST"),
        (["--form", "a=b", "--method", "GET"], "GET"), (["--json-body", "1", "--method", "PUT"], "PUT"),
        (["--method", "DELETE", "--form", "a=b"], "DELETE"),
    ])
    func `POST for a body and GET elsewhere, if no method is named`(_ arguments: [String], _ method: String) async {
        #expect(await self.harness.program.run(["get", self.server.baseURL] + arguments) == 0)
        #expect(self.server.received.map(\.method) == [method])
        #expect(
            self.server.received.map(\.body.isEmpty) == [
                !arguments.contains { $0.hasSuffix("-body") || $0 == "--form" }
            ])
    }

    @Test func `query items, encoded, in their order, behind those of the URL`() async throws {
        let request = try await self.arrived(
            "--query", "z=1", "--query=a b=c&d=e", "--query", "z=é+%", "--query", "empty=", url: "x?own=1#fragment")
        #expect(request.target == "/x?own=1&z=1&a%20b=c%26d%3De&z=%C3%A9%2B%25&empty=")
        #expect(request.queryItems.map(\.name) == ["own", "z", "a b", "z", "empty"])
        #expect(request.queryItems.map(\.value) == ["1", "1", "c&d=e", "é+%", ""])
    }

    @Test func `header fields, in place of what would be added`() async throws {
        let request = try await self.arrived(
            "--header", "X-A: 1", "--header", "x-a: 2", "--header", "User-Agent: me", "--json-body", "{}",
            "--header", "Content-Type: application/vnd.api+json")
        #expect(request.headers.filter { $0.name.lowercased() == "x-a" }.map(\.value) == ["1", "2"])
        #expect(request.headers.filter { $0.name.lowercased() == "user-agent" }.map(\.value) == ["me"])
        #expect(
            request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value)
                == ["application/vnd.api+json"])
    }

    @Test(arguments: [
        ("Aladdin:open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test:123£", "Basic dGVzdDoxMjPCow=="),
        ("a:b:c", "Basic YTpiOmM="), (":", "Basic Og=="),
    ])
    func `a user and a password, as RFC 7617 says`(_ argument: String, _ value: String) async throws {
        #expect(try await self.arrived("--basic", argument).header("Authorization") == value)
    }

    @Test func `a digest where the server asks for one, and nowhere else`() async throws {
        let other = try LoopbackServer(routes: [
            LoopbackRoute("GET", "/*") { _ in
                .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
            }
        ])
        self.server.replaceRoutes(with: [
            LoopbackRoute("GET", "/x") { request in
                request.header("Authorization")?.hasPrefix("Digest username=\"ann\"") == true
                    ? .redirect(to: other.baseURL)
                    : .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
            }
        ])
        #expect(await self.harness.program.run(["get", self.server.baseURL + "x", "--digest", "ann:s3cret"]) == 1)
        #expect(self.server.received.map { $0.header("Authorization") == nil } == [true, false])
        #expect(other.received.map { $0.header("Authorization") } == [nil])
        other.stop()
    }

    // MARK: - Forms

    @Test func `a form, its fields in their order`() async throws {
        let request = try await self.arrived(
            "--form", "z=1", "--form", "a b=c&d=e+f", "--form", "z=é", "--form", "file=@/etc/hostname", "--form", "n=")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "z=1&a+b=c%26d%3De%2Bf&z=%C3%A9&file=%40/etc/hostname&n=")
        #expect(request.header("Content-Length") == "\(request.body.count)")
    }

    @Test func `a form with files, its parts in their order`() async throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let (photo, note) = (try self.file("it's \"a\".png", bytes), try self.file("empty.txt", Data()))
        let request = try await self.arrived(
            "--form", "first=a=b", "--file", "photo=@\(photo)", "--form", "b\"=é", "--file", "note=@\(note)")
        let type = try #require(request.header("Content-Type"))
        let boundary = try #require(type.wholeMatch(of: #/multipart/form-data; boundary=([a-z0-9-]+)/#)?.1)
        let head = """
            --\(boundary)
            Content-Disposition: form-data; name="first"

            a=b
            --\(boundary)
            Content-Disposition: form-data; name="photo"; filename="it's %22a%22.png"
            Content-Type: image/png


            """
        let tail = """

            --\(boundary)
            Content-Disposition: form-data; name="b%22"

            é
            --\(boundary)
            Content-Disposition: form-data; name="note"; filename="empty.txt"
            Content-Type: text/plain


            --\(boundary)--

            """
        let wire = { (text: String) in Data(text.replacing("\n", with: "\r\n").utf8) }
        #expect(request.body == wire(head) + bytes + wire(tail))
        #expect(request.header("Content-Length") == "\(request.body.count)")
        #expect(request.method == "POST")
    }

    @Test func `a form with files to each URL, read anew for each`() async throws {
        let file = try self.file("a.bin", Data("content".utf8))
        let urls = (0..<5).map { self.server.baseURL + "\($0)" }
        #expect(await self.harness.program.run(["get", "--file", "f=@\(file)", "--width", "2"] + urls) == 0)
        #expect(self.server.received.map(\.path).sorted() == (0..<5).map { "/\($0)" })
        #expect(
            self.server.received.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains("\r\ncontent\r\n") })
    }

    // MARK: - JSON

    @Test(arguments: [
        #"{"b": 1.10,  "a": "é\u00e9"}"#, "[]", "null", #""text""#, " 1\n", "-0.0e-7", "12345678901234567890123",
        "1e999",
    ])
    func `JSON as it was written`(_ text: String) async throws {
        let request = try await self.arrived("--json-body", text)
        #expect(request.body == Data(text.utf8))
        #expect(request.header("Content-Type") == "application/json")
    }

    @Test func `JSON from a file as it was written`() async throws {
        let text = "{\"list\": [\(String(repeating: "1, ", count: 1_000_000))2]}\n"
        let path = try self.file("a b.json", Data(text.utf8))
        #expect(try await self.arrived("--json-body", "@\(path)").body == Data(text.utf8))
    }
}
