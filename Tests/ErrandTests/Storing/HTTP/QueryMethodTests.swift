internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("QUERY (RFC 10008, G15, G16)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct QueryMethodTests {
    private static let hour: HTTPFields = ["Cache-Control": "max-age=3600"]

    private static func call(
        _ text: String = "one", path: String = "a", type: MIMEType = "text/plain", caching: CachePolicy = .http,
        _ configure: (inout FixtureText) -> Void = { _ in }
    ) -> FixtureText {
        FixtureText(path) {
            $0.method = .query
            $0.body = .text(text, contentType: type)
            $0.options = $0.options.caching(caching)
            configure(&$0)
        }
    }

    /// A client over a transport that answers `1`, `2`, … with the same fields.
    private static func world(
        _ fields: HTTPFields = Self.hour, cache: any ResponseCache = MemoryCache(),
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        let world = FixtureWorld(isRecording: true) {
            $0.cache = cache
            configure(&$0)
        }
        world.transport.route(where: { _ in true }) { request, number in
            request.headers["If-None-Match"] != nil
                ? .status(304, headers: fields) : .text("\(number)", headers: fields)
        }
        return world
    }

    // MARK: - Caching (§2.7)

    @Test(arguments: [CachePolicy.http, .fresh(for: .seconds(3600))])
    func `a response is stored for its URL and its content`(caching: CachePolicy) async throws {
        let client = Self.world().client
        #expect(try await client.send(Self.call("one", caching: caching)) == "1")
        #expect(try await client.send(Self.call("two", caching: caching)) == "2")
        #expect(try await client.send(Self.call("one", path: "b", caching: caching)) == "3")
        #expect(try await client.send(Self.call("one", caching: caching)) == "1")
        #expect(try await client.send(Self.call("two", caching: caching)) == "2")
        #expect(
            try await client.send(FixtureText("a") { $0.options = .caching(caching) }) == "4",
            "a GET is another request")
        #expect(try await client.send(Self.call("one", caching: caching)) == "1")
    }

    @Test(arguments: [CachePolicy.http, .fresh(for: .seconds(3600), fields: .only("X-A"))])
    func `what says what the content is counts, too`(caching: CachePolicy) async throws {
        let client = Self.world().client
        #expect(try await client.send(Self.call("select", type: "application/sql", caching: caching)) == "1")
        #expect(try await client.send(Self.call("select", type: "text/plain", caching: caching)) == "2")
        let coded = Self.call("select", type: "text/plain", caching: caching) {
            $0.headers = ["Content-Language": "de"]
        }
        #expect(try await client.send(coded) == "3")
        #expect(try await client.send(Self.call("select", type: "application/sql", caching: caching)) == "1")
    }

    @Test func `a stored response is validated`() async throws {
        let world = Self.world(["Cache-Control": "no-cache", "ETag": "\"a\""])
        for source in [ResponseSource.network, .revalidated] {
            let response = try await world.client.response(for: Self.call())
            #expect(response.value == "1" && response.source == source)
        }
        #expect(world.transport.received.map { $0.headers["If-None-Match"] } == [nil, "\"a\""])
        #expect(world.transport.received.allSatisfy { $0.method == .query && $0.headers.contains("Content-Type") })
    }

    @Test func `variants of a response are kept for each content`() async throws {
        let client = Self.world(["Cache-Control": "max-age=3600", "Vary": "X-A"]).client
        let calls = ["one", "two"].flatMap { text in
            ["1", "2"].map { value in Self.call(text) { $0.headers = ["X-A": value] } }
        }
        for (index, call) in calls.enumerated() { #expect(try await client.send(call) == "\(index + 1)") }
        for (index, call) in calls.enumerated() { #expect(try await client.send(call) == "\(index + 1)") }
    }

    @Test func `a rule about the query of the URL joins no two contents`() async throws {
        let client = Self.world(["Cache-Control": "max-age=3600", "No-Vary-Search": "params"]).client
        #expect(try await client.send(Self.call("one", path: "a?x=1")) == "1")
        #expect(try await client.send(Self.call("two", path: "a?x=2")) == "2")
        #expect(try await client.send(Self.call("one", path: "a?x=1")) == "1")
    }

    @Test func `an unsafe request to the URL removes what is stored for all contents`() async throws {
        let world = Self.world()
        let texts = ["one", "two", "three"]
        for text in texts { _ = try await world.client.send(Self.call(text)) }
        _ = try await world.client.send(Self.call("one", path: "b"))
        _ = try await world.client.send(FixtureText("a") { $0.method = .post })
        for text in texts { #expect(await !world.client.cache.contains(Self.call(text))) }
        #expect(await world.client.cache.contains(Self.call("one", path: "b")))
    }

    @Test func `a query removes nothing, and can be removed by itself`() async throws {
        let client = Self.world().client
        _ = try await client.send(FixtureText("a") { $0.options = .caching(.http) })
        for text in ["one", "two"] { _ = try await client.send(Self.call(text)) }
        #expect(await client.cache.contains(FixtureText("a") { $0.options = .caching(.http) }))
        try await client.cache.remove(Self.call("one"))
        #expect(await !client.cache.contains(Self.call("one")))
        #expect(await client.cache.contains(Self.call("two")))
        #expect(await client.cache.contains(FixtureText("a") { $0.options = .caching(.http) }))
    }

    @Test func `of many contents the newest are kept`() async throws {
        let client = Self.world().client
        for number in 0..<70 { _ = try await client.send(Self.call("\(number)")) }
        #expect(await !client.cache.contains(Self.call("0")))
        #expect(await client.cache.contains(Self.call("69")))
    }

    @Test func `what an interceptor has made of the content is not stored`() async throws {
        let client = Self.world {
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    var request = request
                    request.body = .bytes(Data("other".utf8))
                    return try await next(request)
                }
            ]
        }.client
        for value in ["1", "2"] { #expect(try await client.send(Self.call()) == value) }
    }

    @Test func `is known by its method`() async throws {
        let client = Self.world().client
        _ = try await client.send(Self.call())
        #expect(try await client.cache.remove(where: { $0.method == .query }) > 0)
        #expect(await !client.cache.contains(Self.call()))
    }

    // MARK: - Repeating and sharing

    @Test func `is sent again after a failure`() async throws {
        let world = FixtureWorld {
            $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: Backoff(base: .zero)))
        }
        world.transport.route("a", .failure(.connectionLost), .text("x"))
        #expect(try await world.client.send(Self.call(caching: .never)) == "x")
        #expect(world.transport.received.map(\.method) == [.query, .query])
    }

    @Test func `shares an exchange with an equal one, and with no other`() async throws {
        let gate = StubGate()
        let world = FixtureWorld(isRecording: true) { $0.options = $0.options.coalescing(true) }
        world.transport.route(where: { _ in true }, .text("x").held(by: gate))
        let requests = ["one", "one", "two"].map { world.client.request(Self.call($0, caching: .never)) }
        for request in requests { await request.start() }
        await gate.waitUntilReached(2)
        await fixtureUntil {
            world.recorder.entries.contains { if case .event(.coalesced) = $0.call { true } else { false } }
        }
        gate.open()
        for request in requests { #expect(try await request.value == "x") }
        #expect(world.transport.receivedCount == 2)
    }

    // MARK: - Redirections (§2.5)

    @Test(arguments: [301, 302, 307, 308]) func `goes with its content where it is sent`(status: Int) async throws {
        let world = FixtureWorld()
        world.transport.route("a", .redirect("b", HTTPStatus(rawValue: status)))
        world.transport.route("b", .text("x"))
        #expect(try await world.client.send(Self.call(caching: .never)) == "x")
        let last = try #require(world.transport.received.last)
        #expect(last.method == .query && last.headers["Content-Type"] == "text/plain")
        guard case .bytes(Data("one".utf8)) = last.body else { return #expect(Bool(false), "\(last.body)") }
    }

    @Test func `becomes a GET where the result is elsewhere`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .redirect("b", 303))
        world.transport.route("b", .text("x"))
        #expect(try await world.client.send(Self.call(caching: .never)) == "x")
        let last = try #require(world.transport.received.last)
        #expect(last.method == .get && !last.headers.contains("Content-Type"))
    }

    // MARK: - Words

    @Test func `parameters become its content`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(
            FixtureText("a") {
                $0.method = .query
                $0.parameters = ["name": "x"]
            })
        let sent = try #require(world.transport.received.last)
        #expect(sent.url.string == "https://api.test/a" && sent.headers.contains("Content-Type"))
    }

    @Test func `curl commands and the names of fields know it`() throws {
        let request = HTTPRequest(
            method: .query, url: try HTTPURL("https://api.test/a"), headers: ["Content-Type": "text/plain"],
            body: .bytes(Data("one".utf8)))
        let command = request.curlCommand()
        #expect(command.contains("QUERY") && command.contains("one"))
        #expect(HTTPField.Name.acceptQuery == "Accept-Query")
        #expect(RetryPolicy.idempotentMethods.contains(.query))
    }
}
