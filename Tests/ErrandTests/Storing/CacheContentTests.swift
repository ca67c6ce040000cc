internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Caching: what is served", .timeLimit(.minutes(60)), .paced)
struct CacheContentTests {
    @Test func `differs where fields of one name are in another order`() async throws {
        let world = FixtureWorld()
        world.transport.route(where: { _ in true }) { _, use in .text("\(use)") }
        let (one, two): (HTTPFields, HTTPFields) = (["X-A": "1", "X-A": "2"], ["X-A": "2", "X-A": "1"])
        for (headers, answer) in [(one, "1"), (two, "2"), (one, "1")] {
            let endpoint = FixtureText {
                $0.headers = headers
                $0.options = $0.options.caching(.fresh(for: .seconds(3600)))
            }
            #expect(try await world.client.send(endpoint) == answer)
        }
    }

    @Test func `is never an answer that could not be decoded`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .json("{"), .json("7"))
        var endpoint = FixtureJSON("a", Int.self)
        endpoint.options = .caching(.fresh(for: .seconds(3600)))
        _ = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(try await world.client.send(endpoint) == 7)
    }
}
