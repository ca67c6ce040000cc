internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("The URL filter", .timeLimit(.minutes(60)), .paced)
struct URLFilterTests {
    private func sent(_ filters: [URLFilter], _ endpoint: FixtureText) async throws -> HTTPRequest {
        let world = FixtureWorld {
            $0.interceptors = filters
            $0.options = $0.options.defaultHeaders(.off)
        }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(endpoint)
        return try #require(world.transport.received.first)
    }

    @Test(arguments: [
        ("a", "https://api.test/a?l=de&v=1.2"),
        ("a?x=1", "https://api.test/a?x=1&l=de&v=1.2"),
        ("a?v=0", "https://api.test/a?v=0&l=de&v=1.2"),
        ("a#end", "https://api.test/a?l=de&v=1.2#end"),
    ])
    func `appends to the query that is there`(path: String, url: String) async throws {
        let filter = URLFilter(query: ["v": "1.2", "l": "de"])
        #expect(try await self.sent([filter], FixtureText(path)).url.string == url)
    }

    @Test func `escapes what it adds`() async throws {
        let filter = URLFilter(query: ["q": "a&b #\r\n"])
        #expect(try await self.sent([filter], FixtureText()).url.string == "https://api.test/a?q=a%26b%20%23%0D%0A")
    }

    @Test func `adds header fields and leaves those that are there`() async throws {
        let filter = URLFilter(headers: ["X-App": "1", "Accept": "text/plain"])
        let request = try await self.sent([filter], FixtureText { $0.headers = ["accept": "text/html"] })
        #expect(request.headers["X-App"] == "1")
        #expect(request.headers.values(for: "Accept") == ["text/html"])
        #expect(request.url.string == "https://api.test/a")
    }

    @Test func `adds nothing when it has nothing`() async throws {
        let request = try await self.sent([URLFilter()], FixtureText("a?x=1"))
        #expect(request.url.string == "https://api.test/a?x=1")
        #expect(request.headers.isEmpty)
    }

    @Test func `adds behind another`() async throws {
        let request = try await self.sent([URLFilter(query: ["a": 1]), URLFilter(query: ["b": 2])], FixtureText())
        #expect(request.url.string == "https://api.test/a?a=1&b=2")
    }

    @Test func `that adds a field which is not legal fails the request`() async {
        let world = FixtureWorld { $0.interceptors = [URLFilter(headers: ["X-A": "1\n2"])] }
        world.transport.route("*", .text("x"))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 0)
    }
}
