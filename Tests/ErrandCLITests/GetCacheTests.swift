internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite("The command line: answers that are kept", .timeLimit(.minutes(60)), .paced)
struct GetCacheTests {
    private let server: LoopbackServer
    private let folder: TestFolder
    private let path: String

    init() throws {
        self.server = try LoopbackServer()
        self.server.route("GET", "/ok", .text("hello"))
        self.server.route("GET", "/gone", .text("no", status: 410))
        self.folder = try TestFolder()
        self.path = self.folder.file("answers").path
    }

    private func url(_ path: String) -> String { self.server.baseURL + path }

    /// Runs a command; answers the exit code and the lines of the results, without what nobody can foretell.
    private func run(_ arguments: String...) async -> (code: Int32, lines: [String], errors: [String]) {
        let harness = ProgramHarness()
        let code = await harness.program.run(arguments)
        let lines = harness.output.lines.map {
            $0.replacing(#/[0-9]+\.[0-9]{3}/#, with: "_").replacing(#/ +_ s  /#, with: " ")
                .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#, with: "TIME")
        }
        return (code, lines, harness.errors.lines)
    }

    @Test func `come from the network, then from the cache, in other processes too`() async {
        for source in ["the network", "the cache, _ s old"] {
            let result = await self.run("get", self.url("ok"), "--cache", self.path)
            #expect(result.code == 0)
            #expect(result.lines == ["200          5 B \(self.url("ok"))  from \(source)"])
            #expect(result.errors.isEmpty)
        }
        #expect(self.server.connectionsAccepted == 1)
    }

    @Test func `say so in JSON`() async {
        for members in [#""source":"network""#, #""source":"cache","age":_"#] {
            let result = await self.run("get", self.url("ok"), "--cache", self.path, "--json")
            #expect(result.lines.first?.hasSuffix(",\"error\":null,\(members)}") == true, "\(result)")
        }
    }

    @Test func `are all there is when offline`() async {
        _ = await self.run("get", self.url("ok"), "--cache", self.path)
        let result = await self.run("get", self.url("ok"), self.url("gone"), "--cache", self.path, "--offline")
        #expect(result.code == 1)
        #expect(result.lines.count == 2)
        #expect(result.lines.first?.hasSuffix("from the cache, _ s old") == true)
        #expect(result.lines.last?.hasSuffix("notInCache: no response is cached") == true)
        #expect(self.server.connectionsAccepted == 1)
    }

    @Test func `are no errors of the server`() async {
        for _ in 1...2 {
            let result = await self.run("get", self.url("gone"), "--cache", self.path)
            #expect(result.lines == ["410          2 B \(self.url("gone"))  from the network"])
        }
    }

    @Test func `are not used when they are too old`() async throws {
        _ = await self.run("get", self.url("ok"), "--cache", self.path, "--max-age", "1e9")
        let result = await self.run("get", self.url("ok"), "--cache", self.path, "--max-age", "0.000001")
        #expect(result.lines.first?.hasSuffix("from the network") == true)
    }

    @Test func `cannot be kept in a file, and the answer is printed all the same`() async throws {
        try Data("x".utf8).write(to: URL(filePath: self.path))
        let result = await self.run("get", self.url("ok"), "--cache", self.path)
        #expect(result.code == 0)
        #expect(result.lines.first?.hasPrefix("200") == true)
        #expect(result.errors.count == 1, "\(result.errors)")
        #expect(try Data(contentsOf: URL(filePath: self.path)) == Data("x".utf8))
    }

    @Test func `can be listed, removed and cleared`() async throws {
        _ = await self.run("get", self.url("ok"), self.url("ok?a"), self.url("ok?b"), "--cache", self.path)
        let listed = await self.run("cache", "list", self.path)
        #expect(listed.lines.count == 3)
        #expect(listed.lines.contains { $0.hasPrefix("200 ") && $0.hasSuffix(" B  TIME  GET \(self.url("ok?a"))") })
        let json = await self.run("cache", "list", self.path, "--json")
        #expect(json.lines.contains { $0.hasSuffix(#""stored":"TIME","method":"GET","url":"\#(self.url("ok"))"}"#) })
        #expect(await self.run("cache", "remove", self.path, self.url("ok?a")).lines == ["removed 1 entry"])
        #expect(await self.run("cache", "remove", self.path, "--host", "other").lines == ["removed 0 entries"])
        #expect(await self.run("cache", "remove", self.path, "--older-than", "1e6").lines == ["removed 0 entries"])
        #expect(await self.run("cache", "clear", self.path).lines == ["removed 2 entries"])
        #expect(await self.run("cache", "list", self.path).lines.isEmpty)
    }

    @Test func `are looked for in a folder only`() async {
        for action in ["list", "clear"] {
            let result = await self.run("cache", action, self.path)
            #expect(result.code == 1)
            #expect(result.errors == ["errand: there is no readable folder \(self.path)"])
        }
    }

    @Test(arguments: [
        (["cache"], "name an action: list, remove, clear or explain"),
        (["cache", "list"], "name a folder"),
        (["cache", "burn"], "there is no \"errand cache burn\""),
        (["cache", "list", "a", "b"], "only remove takes URLs, --host and --older-than"),
        (["cache", "clear", "a", "--host", "b"], "only remove takes URLs, --host and --older-than"),
        (["cache", "remove", "a"], "name what to remove, or use clear"),
        (["cache", "clear", "a", "--json"], "only list takes --json"),
        (["cache", "remove", "a", "--older-than", "x"], "--older-than needs a number of seconds, not \"x\""),
        (["get", "http://x/", "--offline"], "--offline is for --cache"),
        (["get", "http://x/", "--max-age", "1"], "--max-age is for --cache"),
        (
            ["get", "http://x/", "--cache", "a", "--method", "DELETE"],
            "--cache is for GET: anything else has to reach the server"
        ),
        (
            ["get", "http://x/", "--cache", "a", "--form", "a=b"],
            "--cache is for GET: anything else has to reach the server"
        ),
        (["get", "http://x/", "--cache", ""], "--cache needs the name of a folder"),
        (
            ["get", "http://x/", "--cache", "a", "--max-age", "0"],
            "--max-age needs a number of seconds above 0, not \"0\""
        ),
        (
            ["get", "http://x/", "--cache", "a", "--output", "b"],
            "--cache cannot go with --output: files are not cached"
        ),
    ])
    func `are not meant by a line that makes no sense`(_ arguments: [String], _ message: String) async {
        let harness = ProgramHarness()
        #expect(await harness.program.run(arguments) == 2)
        #expect(harness.errors.text == "errand: \(message); see errand \(arguments[0]) --help\n")
        #expect(harness.output.text.isEmpty)
    }

    // MARK: - By the rules of HTTP

    @Test func `are used as they say themselves`() async {
        self.server.route("GET", "/fresh", .text("hello", headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""]))
        self.server.route("GET", "/never", .text("hello", headers: ["Cache-Control": "no-store"]))
        for source in ["the network", "the cache, _ s old"] {
            let result = await self.run("get", self.url("fresh"), "--cache", self.path, "--http-cache")
            #expect(result.lines == ["200          5 B \(self.url("fresh"))  from \(source)"])
            let never = await self.run("get", self.url("never"), "--cache", self.path, "--http-cache")
            #expect(never.lines.first?.hasSuffix("from the network") == true)
        }
        let listed = await self.run("cache", "list", self.path)
        #expect(listed.lines.count == 1)
        #expect(
            listed.lines.first?.hasSuffix("GET \(self.url("fresh"))  fresh until TIME, etag \"a\"") == true, "\(listed)"
        )
        let json = await self.run("cache", "list", self.path, "--json")
        #expect(json.lines.first?.contains(#""fresh until":"TIME","etag":"\"a\"""#) == true, "\(json)")
    }

    @Test func `are validated`() async {
        self.server.add(
            LoopbackRoute("GET", "/stale") { request, _ in
                let fields: LoopbackFields = ["Cache-Control": "no-cache", "ETag": "\"a\""]
                return request.headers["If-None-Match"] == nil
                    ? .text("hello", headers: fields) : .status(304, headers: fields)
            })
        for source in ["from the network", "from the cache, validated"] {
            let result = await self.run("get", self.url("stale"), "--cache", self.path, "--http-cache")
            #expect(result.lines.first?.hasSuffix(source) == true, "\(result)")
        }
    }

    @Test func `are explained`() async {
        self.server.route(
            "GET", "/a",
            .text("hello", headers: ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Vary": "Accept-Language"]))
        let none = await self.run(
            "get", self.url("a"), "--cache", self.path, "--http-cache", "--header", "Accept-Language: de")
        #expect(none.code == 0)
        let hit = await self.run("cache", "explain", self.path, self.url("a"), "--header", "Accept-Language: de")
        #expect(hit.lines.last == "the stored response is used", "\(hit)")
        #expect(hit.lines.contains("max-age sets a lifetime of 60 s (RFC 9111 §5.2.2.1)"))
        let miss = await self.run("cache", "explain", self.path, self.url("a"), "--header", "Accept-Language: en")
        #expect(miss.lines.first == "no stored response matches the fields named by Vary (RFC 9111 §4.1)")
        let unknown = await self.run("cache", "explain", self.path, self.url("b"))
        #expect(unknown.lines == ["no response is stored for the URL (RFC 9111 §4)", "the request is sent"])
        #expect(await self.run("cache", "explain", self.path).code == 2)
        #expect(await self.run("cache", "list", self.path, "--header", "A: b").code == 2)
    }

    @Test func `are refused where they make no sense`() async {
        #expect(await self.run("get", self.url("ok"), "--http-cache").code == 2)
        #expect(await self.run("get", self.url("ok"), "--cache", self.path, "--http-cache", "--max-age", "5").code == 2)
    }
}
