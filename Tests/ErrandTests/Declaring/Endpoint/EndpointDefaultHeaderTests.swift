internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Endpoints: default header fields", .timeLimit(.minutes(60)), .paced)
struct EndpointDefaultHeaderTests {
    private let defaults = DefaultHeaders(userAgent: "me", acceptLanguage: "de", sendsAccept: true)

    private func sent<E: Endpoint>(
        _ endpoint: E, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) async throws -> HTTPFields {
        let world = FixtureWorld {
            $0.options = $0.options.defaultHeaders(self.defaults)
            configure(&$0)
        }
        world.transport.route("*", .json("1"))
        _ = try await world.client.send(endpoint)
        return try #require(world.transport.received.first).headers
    }

    @Test func `say who asks and what is taken`() async throws {
        let others: HTTPFields = ["Accept-Language": "de", "User-Agent": "me"]
        for fields in [
            try await self.sent(FixtureText()), try await self.sent(FixtureData()), try await self.sent(FixtureVoid()),
            try await self.sent(FixtureCustom { _ in 1 }),
        ] {
            #expect(fields == HTTPFields([HTTPField(name: "Accept", value: "*/*")] + others))
        }
        let json = try await self.sent(FixtureJSON("a", Int.self))
        #expect(json == HTTPFields([HTTPField(name: "Accept", value: "application/json")] + others))
    }

    @Test func `give way to the client's, and those to the endpoint's`() async throws {
        let endpoint = FixtureText { $0.headers = ["accept": "text/csv"] }
        let fields = try await self.sent(endpoint) { $0.headers = ["User-Agent": "app", "Accept": "text/html"] }
        #expect(fields == ["accept": "text/csv", "User-Agent": "app", "Accept-Language": "de"])
    }

    @Test func `are left out by the client, or by an endpoint`() async throws {
        #expect(try await self.sent(FixtureText()) { $0.options = .defaultHeaders(.off) }.isEmpty)
        #expect(try await self.sent(FixtureText { $0.options = .defaultHeaders(DefaultHeaders.off) }).isEmpty)
        let fields = try await self.sent(FixtureText { $0.options = .defaultHeaders(DefaultHeaders.off) }) {
            $0.headers = ["X-App": "1"]
        }
        #expect(fields == ["X-App": "1"])
        let own = FixtureText {
            $0.options = $0.options.defaultHeaders(
                DefaultHeaders(userAgent: "own", acceptLanguage: nil, sendsAccept: false))
        }
        #expect(try await self.sent(own) == ["User-Agent": "own"])
    }

    @Test func `do not set the content codings, which are for the transport to know`() async throws {
        #expect(try await self.sent(FixtureText())["Accept-Encoding"] == nil)
        let fields = try await self.sent(FixtureText { $0.headers = ["Accept-Encoding": "identity"] })
        #expect(fields["Accept-Encoding"] == "identity")
    }

    @Test func `that must not be sent fail each request`() async {
        let world = FixtureWorld {
            var headers = DefaultHeaders.standard
            headers.userAgent = "a\r\nX-Evil: 1"
            $0.options = $0.options.defaultHeaders(headers)
        }
        world.transport.route("*", .text("x"))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }
}
