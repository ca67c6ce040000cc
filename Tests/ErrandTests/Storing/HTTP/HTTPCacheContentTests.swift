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
