internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Downloads into a folder", .timeLimit(.minutes(60)), .paced)
struct FolderDownloadTests {
    private let world = FixtureWorld()
    private let scene: StreamingScene

    init() throws {
        self.scene = try StreamingScene()
    }

    private func download(
        _ path: String = "a", _ fields: HTTPFields = [:], existing: ResponseDestination.ExistingFile = .keepBoth
    ) async throws -> DownloadedFile {
        self.world.transport.route("*", .text("content", headers: fields))
        return try await self.world.client.download(FixtureText(path), into: self.scene.folder, existing: existing)
    }

    @Test(arguments: [
        ("attachment; filename=\"report.pdf\"", "report.pdf"), ("attachment; filename=report.pdf", "report.pdf"),
        ("inline; filename=\"a b.txt\"", "a b.txt"), ("ATTACHMENT; FILENAME=a", "a"),
        ("attachment; filename=\"plain\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
        ("attachment; filename*=utf-8'en'a.txt; filename=b", "a.txt"),
        ("attachment; filename*=ISO-8859-1''%a3; filename=b", "b"),
        ("attachment; filename*=UTF-8''%ff; filename=b", "b"),
        ("attachment; filename=\"a\\\"b\"", "a\"b"),
        // A flaw costs its parameter alone.
        ("attachment; filename=a b.pdf; filename*=UTF-8''c.pdf", "c.pdf"), ("attachment; size; filename=a", "a"),
        ("attachment; filename=\"a\"x; filename*=UTF-8''c", "c"), ("attachment; =b; filename=a; x=(", "a"),
        ("attachment; filename*=UTF-8''%zz; filename=\"a;b\"", "a;b"), ("attachment;;filename=a;", "a"),
        ("attachment; x=\"b; filename=a", "a"), ("attachment; filename=\"b; filename*=UTF-8''a", "a"),
        ("attachment; filename=a; filename=b", "a"), ("attachment; filename=\"caf\u{10FEE9}.txt\"", "café.txt"),
        // Nothing but a name, whatever it says.
        ("attachment; filename=\"../../etc/passwd\"", "passwd"), ("attachment; filename=\"/etc/passwd\"", "passwd"),
        ("attachment; filename=\"C:\\\\Users\\\\a.txt\"", "a.txt"), ("attachment; filename=\".bashrc\"", "bashrc"),
        ("attachment; filename*=UTF-8''..%2f..%2fa", "a"), ("attachment; filename*=UTF-8''a%00b%0d", "ab"),
        ("attachment; filename*=UTF-8''a%e2%80%aetxt.exe", "atxt.exe"), ("attachment; filename=\" . a. \"", "a"),
        // No name: the one of the URL.
        ("attachment; filename=\"..\"", "last.bin"), ("attachment; filename=\"a/\"", "last.bin"),
        ("attachment", "last.bin"), ("attachment; filename", "last.bin"), ("; filename=a", "last.bin"),
        ("", "last.bin"),
    ])
    func `have the name that the server suggests`(disposition: String, name: String) async throws {
        let file = try await self.download("some/last.bin", ["Content-Disposition": disposition])
        #expect(file.url.lastPathComponent == name)
        #expect(try self.scene.names == [name])
        #expect(try Data(contentsOf: file.url) == Data("content".utf8))
    }

    @Test(arguments: [
        ("a/b.txt", "b.txt"), ("a/", "download"), ("", "download"), ("a%2F..%2F..%2Fb", "b"), ("%2E%2E%2F.c", "c"),
        ("a%20b", "a b"), ("a?b=/c", "a"),
    ])
    func `have the name of the URL otherwise`(path: String, name: String) async throws {
        #expect(try await self.download(path).url == self.scene.place(name))
        #expect(try self.scene.names == [name])
    }

    /// One character may have any number of scalars, and so of bytes.
    @Test(arguments: ["", ".txt"])
    func `stay in the folder, whatever characters their names have`(ending: String) async throws {
        let marks = String(repeating: "%CC%81", count: 150)
        let file = try await self.download(
            "a", ["Content-Disposition": "attachment; filename*=UTF-8''a\(marks)\(ending)"])
        #expect(file.url.deletingLastPathComponent().standardizedFileURL == self.scene.folder.standardizedFileURL)
        #expect(file.url.lastPathComponent.hasSuffix(ending))
        #expect(file.url.lastPathComponent.utf8.count > 100)
        #expect(try self.scene.names.count == 1)
    }

    @Test func `have a name that a file can have`() async throws {
        let long = String(repeating: "字", count: 200) + ".tar"
        let name = try await self.download("a", ["Content-Disposition": "attachment; filename=\"\(long)\""])
            .url.lastPathComponent
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("字.tar"))
    }

    @Test func `have the name of where a redirection led`() async throws {
        self.world.transport.route("a", .status(302, headers: ["Location": "/files/real.txt"]))
        self.world.transport.route("files/real.txt", .text("content"))
        let file = try await self.world.client.download(FixtureText("a"), into: self.scene.folder)
        #expect(file.url.lastPathComponent == "real.txt")
    }

    // MARK: - Files that are there

    @Test func `leave files that are there, unless they are to replace them`() async throws {
        for (number, name) in ["b.txt", "b-2.txt", "b-3.txt"].enumerated() {
            #expect(try await self.download("b.txt").url.lastPathComponent == name)
            try Data("\(number)".utf8).write(to: self.scene.place(name))
        }
        #expect(try await self.download("b.txt", existing: .replace).url.lastPathComponent == "b.txt")
        #expect(try Data(contentsOf: self.scene.place("b.txt")) == Data("content".utf8))
        let error = await streamingFailure { _ = try await self.download("b.txt", existing: .fail) }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.contains("\"b.txt\"") == true)
        #expect(try self.scene.names == ["b-2.txt", "b-3.txt", "b.txt"])
        #expect(try Data(contentsOf: self.scene.place("b-3.txt")) == Data("2".utf8))
    }

    @Test(arguments: [(".hidden", ".hidden-2"), ("a", "a-2"), ("a.tar.gz", "a.tar-2.gz")])
    func `put the number before the ending`(name: String, other: String) async throws {
        self.world.transport.route("*", .text("content"))
        for expected in [name, other] {
            let file = try await self.world.client.download(
                FixtureText(), to: self.scene.place(name), existing: .keepBoth)
            #expect(file.url.lastPathComponent == expected)
        }
    }

    @Test func `are all there, however many come at once`() async throws {
        self.world.transport.route("*", .text("content"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask { _ = try await self.world.client.download(FixtureText("b"), into: self.scene.folder) }
            }
            try await group.waitForAll()
        }
        #expect(try self.scene.names == (["b"] + (2...32).map { "b-\($0)" }).sorted())
    }

    @Test func `need a folder that exists`() async throws {
        self.world.transport.route("*", .text("content"))
        let folder = self.scene.folder.appending(path: "none/")
        let error = await streamingFailure { _ = try await self.world.client.download(FixtureText(), into: folder) }
        #expect(error?.code == .fileFailed)
        let remote = try #require(URL(string: "https://a.test/"))
        let other = await streamingFailure { _ = try await self.world.client.download(FixtureText(), into: remote) }
        #expect(other?.code == .fileFailed)
    }

    @Test func `a place that cannot be is told before anything is sent`() async throws {
        self.world.transport.route("*", .text("content"))
        try self.scene.putOldFile()
        let client = self.world.client
        let taken = await streamingFailure {
            _ = try await client.download(FixtureText(), to: self.scene.place(), existing: .fail)
        }
        #expect(taken?.code == .fileFailed)
        let name = self.scene.place("folder")
        try FileManager.default.createDirectory(at: name, withIntermediateDirectories: false)
        let isFolder = await streamingFailure { _ = try await client.download(FixtureText(), to: name) }
        #expect(isFolder?.code == .fileFailed)
        #expect(self.world.transport.receivedCount == 0)
    }

    @Test func `of one name, from two URLs, are kept apart`() async throws {
        let body = streamingBytes(300_000)
        let isCut = Locked(true)
        self.scene.server.route("GET", "/1/app") { request in
            isCut.withLock { $0 }
                ? request.headers["Range"] == nil ? .range(of: body, for: request, cutAfter: 100_000) : .close
                : .range(of: body, for: request)
        }
        self.scene.server.route("GET", "/2/app") { .range(of: Data("2".utf8), for: $0) }
        let (client, folder) = (self.scene.client(), self.scene.folder)
        _ = await streamingFailure {
            _ = try await client.download(FixtureText("1/app"), into: folder, resuming: .automatic)
        }
        let second = try await client.download(FixtureText("2/app"), into: folder, resuming: .automatic)
        #expect(second.url.lastPathComponent == "app")
        isCut.withLock { $0 = false }
        let first = try await client.download(FixtureText("1/app"), into: folder, resuming: .automatic)
        #expect(first.url.lastPathComponent == "app-2")
        #expect(try Data(contentsOf: first.url) == body)
        #expect(self.scene.server.received.last?.headers["Range"] == "bytes=100000-")
        #expect(try self.scene.names == ["app", "app-2"])
    }

    @Test func `can be resumed`() async throws {
        let body = streamingBytes(300_000)
        self.scene.server.route("GET", "/x") { request in
            .range(
                of: body, for: request, cutAfter: 100_000,
                headers: ["Content-Disposition": "attachment; filename=y.bin"])
        }
        let client = self.scene.client()
        let file = try await client.download(FixtureText("x"), into: self.scene.folder, resuming: .automatic)
        #expect(file.url == self.scene.place("y.bin"))
        #expect(try Data(contentsOf: file.url) == body)
        #expect(try self.scene.names == ["y.bin"])
    }
}
