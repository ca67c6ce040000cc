internal import Errand
internal import ErrandCLI
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Bodies that go into files.
@Suite(.timeLimit(.minutes(60)), .paced)
struct GetOutputTests {
    private let scene: FileScene

    init() throws {
        self.scene = try FileScene()
    }

    private var place: URL { self.scene.folder.file("out") }

    private func run(_ paths: String..., options: [String] = []) async -> Int32 {
        await self.scene.get(paths, ["--output", self.place.path] + options)
    }

    /// What there is in the folder, hidden files too, with the texts.
    private func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: self.place.path) {
            files[name] = String(decoding: try Data(contentsOf: self.place.appending(path: name)), as: UTF8.self)
        }
        return files
    }

    @Test func `each body has a file of its own, in the order of the URLs`() async throws {
        #expect(await self.run("a.txt", "b/a.txt?1", "", "c/", options: ["--width", "4"]) == 0)
        #expect(
            try self.files() == [
                "a.txt": "body of /a.txt", "a-2.txt": "body of /b/a.txt?1", "index": "body of /",
                "index-2": "body of /c/",
            ])
    }

    @Test func `lines say which file`() async throws {
        #expect(await self.run("a.txt") == 0)
        let line = try #require(self.scene.harness.output.lines.first)
        #expect(line.hasPrefix("200         14 B "))
        #expect(line.hasSuffix("  \(self.scene.server.baseURL)a.txt  in \(self.place.path)/a.txt"))
    }

    @Test func `JSON objects say which file`() async throws {
        self.scene.server.route("GET", "/close", .close)
        #expect(await self.run("a.txt", "close", options: ["--json"]) == 1)
        let objects = try self.scene.harness.output.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["file"] as? String } == [self.place.path + "/a.txt", nil])
        #expect(objects.map { $0["bytes"] as? Int } == [14, nil])
    }

    @Test func `a download goes on where it was interrupted`() async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let digest = SHA256(of: body)
        self.scene.server.route("GET", "/a.bin") { request in
            request.headers["Range"] == nil ? .range(of: body, for: request, cutAfter: 100_000) : .close
        }
        #expect(await self.run("a.bin", options: ["--continue"]) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.place.path).allSatisfy { $0.hasPrefix(".") })
        self.scene.server.route("GET", "/a.bin") { .range(of: body, for: $0) }
        #expect(await self.run("a.bin", options: ["--continue", "--checksum", "sha256:\(digest)"]) == 0)
        #expect(try Data(contentsOf: self.place.appending(path: "a.bin")) == body)
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.place.path) == ["a.bin"])
        #expect(self.scene.server.received.map { $0.headers["Range"] } == [nil, "bytes=100000-", "bytes=100000-"])
    }

    @Test func `a download comes in segments`() async throws {
        let body = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        self.scene.server.route("GET", "/a.bin") { .range(of: body, for: $0) }
        #expect(await self.run("a.bin", options: ["--segments", "3"]) == 0)
        #expect(try Data(contentsOf: self.place.appending(path: "a.bin")) == body)
        #expect(self.scene.server.received.count == 4)
        #expect(self.scene.server.received.allSatisfy { $0.headers["Range"] != nil })
    }

    @Test func `a body with another digest is no file`() async throws {
        let digest = String(repeating: "0", count: 64)
        #expect(await self.run("a.txt", options: ["--checksum", "sha256:\(digest)"]) == 1)
        #expect(try self.files() == [:])
        #expect(self.scene.harness.output.lines.first?.contains("digestMismatch") == true)
    }

    @Test(arguments: [
        ["--checksum", "md5:00"], ["--checksum", "sha256:00"], ["--continue", "-X", "POST"], ["--continue", "-d", "a"],
        ["--segments", "0"], ["--segments", "17"], ["--segments", "x"], ["--segments", "2", "-X", "POST"],
    ])
    func `downloads that cannot be resumed or compared are refused`(options: [String]) async throws {
        #expect(await self.run("a.txt", options: options) == 2)
        #expect(self.scene.server.received.isEmpty)
    }

    @Test func `no file is outside of the folder`() async throws {
        #expect(await self.run("..%2Fescaped", "%2e%2e", "a/..%2f..%2fescaped", "%2Ftmp%2Fescaped") == 0)
        #expect(try self.files().keys.sorted() == ["escaped", "escaped-2", "escaped-3", "index"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.scene.folder.url.path) == ["out"])
    }

    @Test func `a redirection does not change the name`() async throws {
        self.scene.server.route("GET", "/from", .redirect(to: "/to"))
        #expect(await self.run("from") == 0)
        #expect(try self.files() == ["from": "body of /to"])
    }

    @Test func `a file whose URL begins its name with a dot is not hidden, and replaces no hidden one`() async throws {
        try FileManager.default.createDirectory(at: self.place, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: self.place.appending(path: ".bashrc"))
        #expect(await self.run(".bashrc", "a%2F.profile") == 0)
        #expect(
            try self.files() == [".bashrc": "mine", "bashrc": "body of /.bashrc", "profile": "body of /a%2F.profile"])
    }

    @Test(arguments: [404, 410, 500])
    func `the body of an error is no file, and replaces none`(status: HTTPStatus) async throws {
        self.scene.server.route("GET", "/old", .json(#"{"why":"moved away","token":"hunter2"}"#, status: status))
        self.scene.server.route("GET", "/new", .text("no", status: status))
        try FileManager.default.createDirectory(at: self.place, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: self.place.appending(path: "old"))
        #expect(await self.run("old", "new") == 1)
        #expect(try self.files() == ["old": "mine"])
        let line = try #require(self.scene.harness.output.lines.first)
        #expect(line.hasPrefix("\(status.code) ") && line.contains("unacceptableStatus: the server answered \(status)"))
        #expect(line.contains(#"{"why":"moved away""#) && !line.contains("hunter2"))
    }

    @Test func `an empty body is an empty file, and a redirection that is not followed has a body too`() async throws {
        self.scene.server.route("GET", "/empty", .status(204))
        self.scene.server.route("GET", "/choices", .text("choose", status: 300))
        #expect(await self.run("empty", "choices") == 0)
        #expect(try self.files() == ["empty": "", "choices": "choose"])
    }

    @Test func `half a body leaves nothing, and an old file as it was`() async throws {
        self.scene.server.route("GET", "/half", .shortBody(declared: 100, sent: Data("half".utf8)))
        self.scene.server.route("GET", "/half/old", .shortBody(declared: 100, sent: Data("half".utf8)))
        try FileManager.default.createDirectory(at: self.place, withIntermediateDirectories: false)
        try Data("old".utf8).write(to: self.place.appending(path: "old"))
        try Data("old".utf8).write(to: self.place.appending(path: "new"))
        #expect(await self.run("half", "half/old", "new") == 1)
        #expect(try self.files() == ["old": "old", "new": "body of /new"])
    }

    @Test func `a folder that has the name of a file fails that one only`() async throws {
        try FileManager.default.createDirectory(
            at: self.place.appending(path: "taken"), withIntermediateDirectories: true)
        #expect(await self.run("taken", "free") == 1)
        #expect(self.scene.harness.output.lines.first?.contains("  fileFailed: ") == true)
        #expect(self.scene.harness.output.lines.last?.hasPrefix("200 ") == true)
        let names = try FileManager.default.contentsOfDirectory(atPath: self.place.path)
        #expect(names.sorted() == ["free", "taken"])
    }

    @Test func `a body larger than memory may have goes into a file`() async throws {
        let body = Data(repeating: 0x61, count: 65 << 20)
        self.scene.server.route("GET", "/large", .data(body))
        #expect(await self.run("large") == 0)
        #expect(try Data(contentsOf: self.place.appending(path: "large")).count == body.count)
    }

    @Test func `what is sent is the same as without files`() async throws {
        #expect(await self.run("a", options: ["--form", "a=b", "--query", "c=d", "--basic", "u:p"]) == 0)
        let request = try #require(self.scene.server.received.first)
        #expect(request.method == "POST" && request.target == "/a?c=d" && request.body == Data("a=b".utf8))
        #expect(request.header("Authorization") == "Basic dTpw")
    }
}
