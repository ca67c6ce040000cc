internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// What `errand upload` sends, and goes on with.
@Suite(.timeLimit(.minutes(60)), .paced)
struct UploadTests {
    private static let content = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private let folder: TestFolder
    private let harness = ProgramHarness()

    init() throws {
        self.folder = try TestFolder()
        try Self.content.write(to: self.file)
    }

    private var file: URL { self.folder.url.appending(path: "a.json") }

    private func run(_ server: ResumableUploadServer, _ options: String...) async -> Int32 {
        await self.harness.program.run(["upload", self.file.path, server.url] + options)
    }

    // MARK: - Sending

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a file is sent, and the response printed`(method: String) async throws {
        let server = try ResumableUploadServer()
        #expect(await self.run(server, "--method", method, "--header", "X-Own: a") == 0)
        #expect(self.harness.output.text == "uploaded")
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.headers["X-Own"] == "a")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Upload-Complete"] == nil)
        #expect(server.uploads.map(\.content) == [Self.content])
    }

    @Test func `a connection that is lost is an error without being told to resume`() async throws {
        let server = try ResumableUploadServer()
        server.cut(after: 1000)
        #expect(await self.run(server) == 1)
        #expect(self.harness.errors.text.hasPrefix("errand: connectionLost: "))
    }

    @Test func `so is a status that is no success, and its body is printed`() async throws {
        let server = try ResumableUploadServer()
        server.answerNext("POST", .text("no", status: 413))
        #expect(await self.run(server) == 1)
        #expect(self.harness.output.text == "no")
    }

    #if os(Linux)
        @Test func `it goes on by the draft`() async throws {
            let server = try ResumableUploadServer()
            server.cut(after: 100_000, 100_000)
            #expect(await self.run(server, "--resumable") == 0)
            #expect(self.harness.output.text == "uploaded")
            #expect(server.uploads.map(\.content) == [Self.content])
        }

        @Test(arguments: 3...8) func `the version that is offered can be chosen`(version: Int) async throws {
            let server = try ResumableUploadServer(.draft(interopVersion: version))
            server.cut(after: 100_000)
            #expect(await self.run(server, "--resumable", "--interop", "\(version)") == 0)
            #expect(server.requests.first?.headers["Upload-Draft-Interop-Version"] == "\(version)")
            #expect(server.uploads.map(\.content) == [Self.content])
        }

        @Test func `it goes on by the draft where the same command was ended`() async throws {
            let server = try ResumableUploadServer()
            let records = self.folder.url.appending(path: "records/deeper").path
            server.cut(after: 100_000)
            server.answerNext("HEAD", .status(204))
            #expect(await self.run(server, "--resumable", "--continue", records) == 1)
            #expect(await self.run(server, "--resumable", "--continue", records) == 0)
            #expect(server.uploads.map(\.content) == [Self.content])
            #expect(try FileManager.default.contentsOfDirectory(atPath: records) == [])
        }
    #endif

    @Test func `it goes on by tus`() async throws {
        let server = try ResumableUploadServer(.tus)
        server.cut(after: 100_000, 100_000)
        #expect(await self.run(server, "--tus", "-q") == 0)
        #expect(self.harness.output.text.isEmpty)
        #expect(self.harness.errors.text.isEmpty)
        #expect(server.uploads.map(\.content) == [Self.content])
    }

    // MARK: - What makes no sense

    @Test(arguments: [
        ([], "name a file and a URL"), (["FILE"], "name a file and a URL"),
        (["FILE", "http://a.test/", "more"], "only a file and a URL are accepted, not \"more\" as well"),
        (["FILE", "http://a.test/", "--method", "GET"], "--method is POST, PUT or PATCH, not \"GET\""),
        (["FILE", "http://a.test/", "--continue", "x"], "--continue is for --resumable and --tus"),
        (["FILE", "http://a.test/", "--tus", "--continue", ""], "--continue needs a folder"),
        (["FILE", "http://a.test/", "--tus", "--method", "PUT"], "--tus begins with a POST"),
        (["FILE", "http://a.test/", "--resumable", "--interop", "2"], "--interop is 3 to 8, not \"2\""),
        (["FILE", "http://a.test/", "--resumable", "--interop", "x"], "--interop is 3 to 8, not \"x\""),
        (["FILE", "http://a.test/", "--tus", "--interop", "6"], "--interop is for --resumable"),
        (["FILE", "http://a.test/", "--interop", "6"], "--interop is for --resumable"),
        (["FILE", "http://a.test/", "--header", "s3cret"], "--header needs a name, a colon and a value"),
    ])
    func `is said, and nothing is sent`(_ arguments: [String], _ message: String) async throws {
        let arguments = arguments.map { $0 == "FILE" ? self.file.path : $0 }
        #expect(await self.harness.program.run(["upload"] + arguments) == 2)
        #expect(self.harness.errors.text == "errand: \(message); see errand upload --help\n")
    }

    @Test func `is said of a file that is not there, and of a URL that is none`() async throws {
        #expect(await self.harness.run("upload", self.folder.url.appending(path: "no").path, "http://a.test/") == 2)
        #expect(await self.harness.run("upload", self.file.path, "ftp://a.test/") == 2)
        #expect(self.harness.errors.lines.count == 2)
    }

    @Test func `it explains itself`() async {
        #expect(await self.harness.run("upload", "--help") == 0)
        #expect(self.harness.output.text.hasPrefix("usage: errand upload FILE URL [options]\n"))
        let other = ProgramHarness()
        #expect(await other.run("help", "upload") == 0)
        #expect(other.output.text == self.harness.output.text)
    }
}
