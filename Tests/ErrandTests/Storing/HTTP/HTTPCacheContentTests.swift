internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: the age and the content of what is stored (G13)", .timeLimit(.minutes(60)), .paced)
struct HTTPCacheContentTests {
    private static func world(_ date: FixtureDate = FixtureDate()) -> FixtureWorld {
        FixtureWorld(isRecording: true) {
            $0.environment.date = { date.now }
            $0.cache = MemoryCache()
            $0.options = $0.options.caching(.http)
        }
    }

    // MARK: - Age

    @Test func `§4.2.3 the time that a response took counts for its age`() async throws {
        let date = FixtureDate()
        let world = Self.world(date)
        world.transport.route(where: { _ in true }) { request, number in
            date.advance(by: 10)
            let fields: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
            return request.headers.contains("If-None-Match")
                ? .status(304, headers: fields) : .text("\(number)", headers: fields)
        }
        for source in [ResponseSource.network, .revalidated] {
            #expect(try await world.client.response(for: FixtureText()).source == source)
            let hit = try await world.client.response(for: FixtureText())
            #expect(hit.source == .cache(age: .seconds(10)))
            #expect(hit.head.headers["Age"] == "10")
            date.advance(by: 49)
            #expect(try await world.client.response(for: FixtureText()).source == .cache(age: .seconds(59)))
            date.advance(by: 1)
        }
        #expect(world.transport.receivedCount == 2)
    }

    // MARK: - Content

    private static let chunks = (0..<64).map { Data(repeating: UInt8($0), count: 4096) }

    @Test(arguments: [false, true])
    func `the beginning that is read of a refused stream is not stored as the whole response`(
        isForMemory: Bool
    ) async throws {
        let world = Self.world()
        world.transport.route(where: { _ in true }) { _, _ in
            let head = HTTPResponse.Head(status: 404, headers: ["Cache-Control": "max-age=60"])
            return StubReply(.success(HTTPResponse(head: head, body: .stream(FixtureBody.stream(Self.chunks)))))
        }
        for count in 1...2 {
            let error = await #expect(throws: ErrandError.self) {
                if isForMemory { return _ = try await world.client.send(FixtureText()) }
                try await world.client.stream(FixtureText()) { _ in }
            }
            #expect(error?.context.status == 404)
            #expect(error?.context.body?.isEmpty == false)
            #expect(await !world.client.cache.contains(FixtureText()))
            #expect(world.transport.receivedCount == count)
        }
    }

    @Test func `a download is not served stale: what is refreshed behind its back could not go to its file`()
        async throws
    {
        let (date, folder) = (FixtureDate(), try TestFolder())
        let world = Self.world(date)
        let fields: HTTPFields = ["Cache-Control": "max-age=5, stale-while-revalidate=60", "ETag": "\"a\""]
        world.transport.route(where: { _ in true }) { request, number in
            request.headers["If-None-Match"] == "\"a\""
                ? .status(304, headers: fields) : .text("\(number)", headers: fields)
        }
        #expect(try await world.client.send(FixtureText()) == "1")
        date.advance(by: 6)
        let file = try await world.client.response(for: FixtureFile(file: folder.file("a")))
        #expect(file.source == .revalidated)
        #expect(try String(contentsOf: folder.file("a"), encoding: .utf8) == "1")
        await world.expectAtRest()
        #expect(world.transport.receivedCount == 2)
    }

    @Test func `a response to a request with content leaves what is stored for one without`() async throws {
        let world = Self.world()
        world.transport.route(where: { _ in true }) { _, number in
            .text("\(number)", headers: ["Cache-Control": "max-age=60"])
        }
        let withContent = FixtureText { $0.body = .text("secret") }
        for (call, value) in [(FixtureText(), "1"), (withContent, "2"), (FixtureText(), "1")] {
            #expect(try await world.client.send(call) == value)
        }
    }

    @Test func `a response that is removed while it is on its way is not said to be stored`() async throws {
        let world = Self.world()
        let gate = StubGate()
        world.transport.route(where: { _ in true }) { _, number in
            StubReply.text("\(number)", headers: ["Cache-Control": "max-age=60"]).held(by: gate)
        }
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        try await world.client.cache.remove(FixtureText())
        gate.open()
        #expect(try await request.response.cacheStatus?.isStored == false)
        #expect(await !world.client.cache.contains(FixtureText()))
        #expect(try await world.client.response(for: FixtureText()).cacheStatus?.isStored == true)
    }

    @Test func `responses are removed by their tags, also those that were validated and those that differ by a field`()
        async throws
    {
        let date = FixtureDate()
        let world = Self.world(date)
        world.transport.route(where: { _ in true }) { request, number in
            let fields: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Vary": "Foo"]
            return request.headers["If-None-Match"] == "\"a\"" && request.headers["Foo"] == nil
                ? .status(304, headers: fields) : .text("\(number)", headers: fields)
        }
        let plain = FixtureText { $0.options = .tag("t") }
        let other = FixtureText { ($0.headers, $0.options) = (["Foo": "1"], .tag("t")) }
        let untagged = FixtureText("b")
        for call in [plain, untagged] { _ = try await world.client.send(call) }
        date.advance(by: 60)
        #expect(try await world.client.response(for: plain).source == .revalidated)
        _ = try await world.client.send(other)
        try await world.client.cache.remove(tag: "t")
        for call in [plain, other] { #expect(await !world.client.cache.contains(call)) }
        #expect(try await world.client.response(for: untagged).source == .revalidated)
    }

    // MARK: - Redirections

    /// A client over a server whose `/a` is asked for once, and leads to `/b` later; both have the same tag.
    private static func movingWorld(_ date: FixtureDate) -> FixtureWorld {
        let world = Self.world(date)
        world.transport.route(where: { $0.url.path == "/a" }) { _, number in
            number == 1
                ? .text("a", headers: ["Cache-Control": "max-age=5", "ETag": "\"1\""])
                : .status(307, headers: ["Location": "/b"])
        }
        world.transport.route(where: { _ in true }) { request, _ in
            let fields: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
            return request.headers["If-None-Match"] == "\"1\""
                ? .status(304, headers: fields) : .text("b", headers: fields)
        }
        return world
    }

    @Test func `§4.3.4 a 304 that another URL answers says nothing of what is stored`() async throws {
        let date = FixtureDate()
        let world = Self.movingWorld(date)
        #expect(try await world.client.send(FixtureText()) == "a")
        date.advance(by: 6)
        #expect(try await world.client.send(FixtureText()) == "b")
    }

    @Test func `§4.3.5 a HEAD that another URL answers says nothing of what is stored`() async throws {
        let date = FixtureDate()
        let world = Self.movingWorld(date)
        #expect(try await world.client.send(FixtureText()) == "a")
        date.advance(by: 6)
        _ = try await world.client.response(for: FixtureText { $0.method = .head })
        #expect(try await world.client.send(FixtureText()) == "b")
    }

    // MARK: - Ranges

    static let ranges: [HTTPScript] = [
        HTTPScript(
            "§14 a range of content that was decoded",
            .asks("Cache-Control: max-age=60 | Content-Encoding: gzip"),
            .asks("", status: 206, "Range: bytes=0-3", sent: "Range: bytes=0-3"), .gets(of: 1)),
        HTTPScript(
            "§14 a range of content that was decoded, and is stale",
            .asks("Cache-Control: max-age=5 | Content-Encoding: gzip | ETag: \"a\""),
            .asks("", status: 206, "Range: bytes=0-3", after: 6, sent: "Range: bytes=0-3")),
        HTTPScript(
            "§14 a range of a status that is not 200", .asks("Cache-Control: max-age=60", status: 404),
            .asks("", status: 404, "Range: bytes=0-3", sent: "Range: bytes=0-3")),
    ]

    @Test(arguments: Self.ranges)
    func `a range is cut out of the content as the server has it`(script: HTTPScript) async throws {
        try await HTTPScriptPlayer().play(script)
    }
}
