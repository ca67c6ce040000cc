internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The permissions of downloads", .timeLimit(.minutes(60)), .paced)
struct DownloadModeTests {
    private let scene: StreamingScene

    init() throws {
        self.scene = try StreamingScene()
        self.scene.server.route("GET", "/a", .text("content"))
    }

    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(unsafe lstat(self.scene.place(name).path, &status) == 0)
        return status.st_mode & 0o7777
    }

    /// What the system gives to a new file: the umask is that of all tests.
    private func modeOfNewFiles() throws -> mode_t {
        let descriptor = unsafe open(self.scene.place("other").path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
        try #require(descriptor >= 0)
        close(descriptor)
        return try self.mode("other")
    }

    private func download() async throws {
        let client = self.scene.client()
        _ = try await client.download(FixtureData(), to: self.scene.place())
        #expect(try Data(contentsOf: self.scene.place()) == Data("content".utf8))
        #expect(try self.scene.names.allSatisfy { !$0.hasPrefix(".") })
        await client.shutdown()
    }

    @Test func `are those of new files`() async throws {
        try await self.download()
        #expect(try self.mode("file") == self.modeOfNewFiles())
    }

    @Test func `are those of new files for what did not come over the network`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("content"))
        _ = try await world.client.download(FixtureData(), to: self.scene.place())
        var form = MultipartForm()
        form.append("a", "text")
        try await form.write(to: self.scene.place("form"))
        let mode = try self.modeOfNewFiles()
        #expect(try self.mode("file") == mode)
        #expect(try self.mode("form") == mode)
    }

    @Test(arguments: [0o600, 0o640, 0o644, 0o666, 0o400, 0o444, 0o755] as [mode_t])
    func `are those of the file that is replaced`(mode: mode_t) async throws {
        try self.scene.putOldFile()
        try #require(unsafe chmod(self.scene.place().path, mode) == 0)
        try await self.download()
        #expect(try self.mode("file") == mode)
    }

    @Test(arguments: [0o4755, 0o2755, 0o1644] as [mode_t])
    func `let nobody run new content as somebody else`(mode: mode_t) async throws {
        try self.scene.putOldFile()
        try #require(unsafe chmod(self.scene.place().path, mode) == 0)
        try await self.download()
        #expect(try self.mode("file") == mode & 0o777)
    }

    @Test func `are those of new files where a link is replaced`() async throws {
        try self.scene.putOldFile("target")
        try #require(unsafe chmod(self.scene.place("target").path, 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            at: self.scene.place(), withDestinationURL: self.scene.place("target"))
        try await self.download()
        #expect(try self.mode("file") == self.modeOfNewFiles())
        #expect(try Data(contentsOf: self.scene.place("target")) == Data("old".utf8))
        #expect(try self.mode("target") == 0o600)
    }
}
