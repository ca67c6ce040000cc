internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// What ran when, drawn into files.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TimelineFileTests {
    private let scene: FileScene

    init() throws {
        self.scene = try FileScene()
    }

    private func get(into file: String, _ paths: String..., options: [String] = []) async -> Int32 {
        await self.scene.get(paths, ["--timeline", self.scene.folder.file(file).path] + options)
    }

    private func text(of file: String) throws -> String {
        try String(contentsOf: self.scene.folder.file(file), encoding: .utf8)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.scene.folder.url.path).sorted() }
    }

    @Test(arguments: ["a.svg", "b.html", "c.SVG"])
    func `the requests of get are drawn, with their URLs and without secrets`(name: String) async throws {
        #expect(await self.get(into: name, "one?token=s3cret", "two", options: ["--basic", "u:s3cret"]) == 0)
        let text = try self.text(of: name)
        #expect(text.hasPrefix(name == "b.html" ? "<!DOCTYPE html>" : "<svg "))
        #expect(text.contains("/one?token=***") && text.contains("/two") && !text.contains("s3cret"))
        #expect(text.contains("2 requests"))
        #expect(self.scene.harness.output.lines.count == 2 && self.scene.harness.errors.text.isEmpty)
        #expect(try self.names == [name])
    }

    @Test func `what failed is drawn too, and lines and status are as without`() async throws {
        self.scene.server.route("GET", "/gone", .status(410))
        self.scene.server.route("GET", "/close", .close)
        #expect(await self.get(into: "a.svg", "gone", "close", "fine", options: ["--json"]) == 1)
        #expect(self.scene.harness.output.lines.count == 3)
        let text = try self.text(of: "a.svg")
        #expect(text.contains(">410<") && text.contains("connectionLost") && text.contains("3 requests"))
    }

    @Test func `a file that is there is replaced as a whole`() async throws {
        try Data("old".utf8).write(to: self.scene.folder.file("a.svg"))
        #expect(await self.get(into: "a.svg", "one") == 0)
        #expect(try self.text(of: "a.svg").hasSuffix("</svg>\n"))
        #expect(try self.names == ["a.svg"])
    }

    @Test(arguments: [
        ("a.png", "the name of the file must end with .svg or .html"),
        ("a", "the name of the file must end with .svg or .html"),
        (".svg", "the name of the file must end with .svg or .html"),
        ("missing/a.svg", "there is no folder "), ("folder.svg", "it is a folder"),
    ])
    func `a file that cannot be is refused before anything is sent`(name: String, reason: String) async throws {
        try FileManager.default.createDirectory(
            at: self.scene.folder.file("folder.svg"), withIntermediateDirectories: false)
        #expect(await self.get(into: name, "one") == 2)
        let path = self.scene.folder.file(name).path
        #expect(self.scene.harness.errors.text.hasPrefix("errand: --timeline \(path): \(reason)"))
        #expect(self.scene.harness.errors.text.hasSuffix("; see errand get --help\n"))
        #expect(self.scene.server.receivedCount == 0 && self.scene.harness.output.text.isEmpty)
        #expect(await self.scene.harness.program.run(["demo", "--timeline", path]) == 2)
        #expect(self.scene.harness.errors.text.hasSuffix("; see errand demo --help\n"))
    }

    @Test func `commands for curl have no timeline`() async {
        #expect(await self.get(into: "a.svg", "one", options: ["--curl"]) == 2)
        #expect(self.scene.harness.errors.text.contains("--curl cannot go with --timeline: nothing is sent"))
    }

    @Test func `a file that cannot be written in the end fails, and lines are there`() async throws {
        let place = self.scene.folder.file("sub/a.svg")
        let folder = place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        self.scene.server.route("GET", "/one") { _ in
            try? FileManager.default.removeItem(at: folder)
            return .text("x")
        }
        #expect(await self.get(into: "sub/a.svg", "one") == 1)
        #expect(self.scene.harness.output.lines.count == 1)
        #expect(
            self.scene.harness.errors.text
                == "errand: --timeline \(place.path): the file cannot be written: No such file or directory\n")
    }

    @Test func `the scenes of the demo are drawn, and the streamed batch is not`() async throws {
        let path = self.scene.folder.file("demo.html").path
        let code = await self.scene.harness.run("demo", "--requests", "100", "--timeline", path)
        #expect(code == 0, "\(self.scene.harness.output.text)\(self.scene.harness.errors.text)")
        let text = try self.text(of: "demo.html")
        for name in ["GetGreeting", "GetImage", "Register", "GetNothing", "cancelled", "decodingFailed"] {
            #expect(text.contains(name), "\(name)")
        }
        #expect(!text.contains("/stream/"))
        #expect(text.utf8.count < 150_000)
    }

    @Test func `the help of both commands says so`() {
        #expect(GetOptions.description.help.contains("  --timeline FILE "))
        #expect(DemoOptions.description.help.contains("  --timeline FILE "))
        #expect(DemoOptions.description.help.contains("  --simulated "))
    }

    // MARK: - The picture of the documentation

    @Test func `the picture of the documentation is the one that the program draws`() async throws {
        let path = self.scene.folder.file("waterfall.svg").path
        #expect(await self.scene.harness.run("demo", "--simulated", "--timeline", path) == 0)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let committed = root.appending(path: "Sources/Errand/Errand.docc/Resources/waterfall.svg")
        #expect(try self.text(of: "waterfall.svg") == String(contentsOf: committed, encoding: .utf8))
        #expect(try self.text(of: "waterfall.svg").utf8.count < 30_000)
    }

    @Test func `the simulated batch and chain show every kind of waiting`() async throws {
        let (timeline, user) = try await FarDemo.play()
        #expect(user.level == 7)
        #expect(timeline.spans.map(\.kind).filter { $0 != .request } == [.batch, .chain])
        #expect(timeline.spans.count == 9 && timeline.spans.allSatisfy { $0.outcome == .finished })
        let kinds = Set(timeline.spans.flatMap(\.phases).map(\.kind))
        #expect(kinds.isSuperset(of: [.queue, .lookup, .connect, .tls, .wait, .receive]))
    }
}
