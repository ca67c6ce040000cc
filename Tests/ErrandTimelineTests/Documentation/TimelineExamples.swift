internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation
internal import TestEffort
internal import Testing

/// The examples of the article, compiled and run: each of its blocks stands in this file word for word.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TimelineExamples {
    private static func makeTimeline() async throws -> Timeline {
        let world = TimelineWorld()
        world.stub.route("/v1/*", .text("x"))
        _ = try await world.client.batch(of: [GetText("a"), GetText("b")]).value
        return world.accessory.timeline
    }

    @Test func `an accessory for a client`() {
        let accessory = TimelineAccessory()
        let client = Client(baseURL: "https://api.example.com/v1/") {
            $0.accessories = [accessory]
        }
        #expect(client.defaults.baseURLs.main == "https://api.example.com/v1/")
        #expect(accessory.timeline == Timeline())
    }

    @Test func `files to look at`() async throws {
        let (files, accessory) = (try TestFolder(), TimelineAccessory())
        let folder = files.url
        let stub = StubTransport()
        stub.route("/*", .text("x"))
        let client = Client(baseURL: "https://api.example.com/v1/") {
            $0.transport = stub
            $0.accessories = [accessory]
        }
        _ = try await client.send(GetText("a"))

        let timeline = accessory.timeline
        try timeline.svg().write(to: folder.appending(path: "waterfall.svg"), atomically: true, encoding: .utf8)
        try timeline.html().write(to: folder.appending(path: "waterfall.html"), atomically: true, encoding: .utf8)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["waterfall.html", "waterfall.svg"])
    }

    @Test func `a timeline is kept and read again`() async throws {
        let timeline = try await Self.makeTimeline()

        let data = try JSONEncoder().encode(timeline)
        let slow = try JSONDecoder().decode(Timeline.self, from: data).spans.filter {
            $0.kind == .request && $0.interval.duration > .seconds(1)
        }
        #expect(slow.isEmpty)
    }

    @Test func `a rendering of one's own`() async throws {
        let timeline = try await Self.makeTimeline()

        var rendering = TimelineRendering()
        rendering.title = "Start of the app"
        rendering.width = 1200
        rendering.childLimit = 10
        let picture = timeline.svg(rendering)
        #expect(picture.contains("Start of the app") && picture.contains("width=\"1200\""))
    }

    @Test func `a picture in virtual time`() async throws {
        let picture = try await Simulation.run(seed: 1) { simulation in
            let accessory = TimelineAccessory(clock: simulation.clock)
            let transport = StubTransport()
            transport.route("/*", .text("x").delayed(by: .milliseconds(20), on: simulation.clock))
            let client = Client(baseURL: "https://api.example.com/") {
                $0.transport = transport
                $0.environment.clock = simulation.clock
                $0.accessories = [accessory]
            }
            _ = try await client.batch(of: [GetText("a"), GetText("b")]).value
            return accessory.timeline.svg()
        }
        #expect(picture.contains("20.0 ms"))
    }
}

/// That nothing in the article is left out here.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TimelineArticleTests {
    @Test func `every Swift block of the article is compiled`() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = root.appending(path: "Sources/ErrandTimeline/ErrandTimeline.docc/ErrandTimeline.md")
        let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        let examples = Self.normalized(try String(contentsOf: here, encoding: .utf8))
        #expect(blocks.count == 5)
        for block in blocks { #expect(examples.contains(Self.normalized(block)), "\(block)") }
    }

    private static func normalized(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
