internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Typed responses: what is printed", .timeLimit(.minutes(60)), .paced)
struct TypedResponseTests {
    private let world = FixtureWorld { $0.cache = MemoryCache() }

    private func response(_ endpoint: FixtureText) async throws -> TypedResponse<String> {
        try await self.world.client.response(for: endpoint)
    }

    @Test func `a printed response shows status, source, attempts, URL and value`() async throws {
        self.world.transport.route("a", .text("hello", status: 201))
        let response = try await self.response(FixtureText())
        #expect("\(response)" == "201 Created, from the network, 1 attempt [https://api.test/a]: hello")
    }

    @Test func `a printed response counts its attempts`() async throws {
        self.world.transport.route("a", .status(307, headers: ["Location": "/b"]))
        self.world.transport.route("b", .text("there"))
        let response = try await self.response(FixtureText())
        #expect("\(response)" == "200 OK, from the network, 2 attempts [https://api.test/b]: there")
    }

    @Test func `a printed response of the cache says so`() async throws {
        self.world.transport.route("a", .text("kept"))
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        _ = try await self.response(endpoint)
        let text = "\(try await self.response(endpoint))"
        #expect(text.hasPrefix("200 OK, from the cache, 0"), "\(text)")
        #expect(text.hasSuffix(" old, 0 attempts [https://api.test/a]: kept"), "\(text)")
    }

    @Test(arguments: [
        (ResponseSource.network, "from the network"), (.coalesced, "from an equal request"),
        (.revalidated, "from the cache, validated"), (.cache(age: .seconds(3)), "from the cache, 3.0 seconds old"),
        (.stale(age: .seconds(3)), "from the cache, stale, 3.0 seconds old"),
    ])
    func `a source is printed in words`(source: ResponseSource, words: String) {
        #expect("\(source)" == words)
    }

    @Test func `a printed or dumped response shows no secret of its URL and header fields`() async throws {
        self.world.transport.route(
            "a", .text("hello", headers: ["Set-Cookie": "a=hunter2", "X-Auth-Token": "hunter2"]))
        let response = try await self.response(FixtureText("a?token=hunter2"))
        var dumped = ""
        dump(response, to: &dumped)
        #expect(!"\(response) \(String(reflecting: response)) \(dumped)".contains("hunter2"))
        #expect(dumped.contains("network") && dumped.contains("200") && dumped.contains("hello"))
    }
}
