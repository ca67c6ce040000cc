internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The JSON of a client", .timeLimit(.minutes(60)), .paced)
struct JSONCodingTests {
    private struct User: Codable, Sendable, Equatable {
        let nickName: String
        let bornAt: Date
    }

    private struct SendUser: Endpoint {
        typealias Response = User

        let user: User
        var path: EndpointPath { "users" }
        var method: HTTPMethod { .post }
        var body: RequestBody { .json(self.user) }
    }

    private static let user = User(nickName: "ann", bornAt: Date(timeIntervalSince1970: 86_400))

    private func world(_ json: JSONCoding, answering text: String) -> FixtureWorld {
        let world = FixtureWorld { $0.json = json }
        world.transport.route("users", .json(text))
        return world
    }

    private func sent(_ world: FixtureWorld) -> String? {
        guard case .bytes(let data)? = world.transport.received.first?.body else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `names and dates are spelt as it says, in both directions`() async throws {
        let world = self.world(
            JSONCoding(keys: .snakeCase, dates: .secondsSince1970), answering: #"{"nick_name":"ann","born_at":86400}"#)
        #expect(try await world.client.send(SendUser(user: Self.user)) == Self.user)
        #expect(self.sent(world) == #"{"born_at":86400,"nick_name":"ann"}"#)
    }

    @Test func `a client that says nothing spells names as they are, and dates by RFC 3339`() async throws {
        let text = #"{"bornAt":"1970-01-02T00:00:00Z","nickName":"ann"}"#
        let world = self.world(.standard, answering: text)
        #expect(try await world.client.send(SendUser(user: Self.user)) == Self.user)
        #expect(self.sent(world) == text)
    }

    @Test func `a decoder of the app's own has all strategies`() async throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .millisecondsSince1970
        let world = self.world(
            JSONCoding(decoder: decoder), answering: #"{"nick_name":"ann","born_at":86400000}"#)
        #expect(try await world.client.send(SendUser(user: Self.user)) == Self.user)
        #expect(self.sent(world) == #"{"bornAt":"1970-01-02T00:00:00Z","nickName":"ann"}"#)
    }

    @Test func `an endpoint with a decoder and a style of its own goes by those`() async throws {
        struct Own: Endpoint {
            typealias Response = User

            let user: User
            var path: EndpointPath { "users" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .json(self.user, style: .standard) }
            var decoder: ResponseDecoder<User> { .json(keys: .useDefaultKeys) }
        }
        // What it does not say is the client's.
        let world = self.world(
            JSONCoding(keys: .snakeCase, dates: .secondsSince1970), answering: #"{"nickName":"ann","bornAt":86400}"#)
        #expect(try await world.client.send(Own(user: Self.user)) == Self.user)
        #expect(self.sent(world) == #"{"bornAt":"1970-01-02T00:00:00Z","nickName":"ann"}"#)
    }

    @Test func `bytes and texts are not touched`() async throws {
        let world = FixtureWorld { $0.json = JSONCoding(keys: .snakeCase) }
        world.transport.route("a", .text("nick_name"))
        #expect(try await world.client.send(FixtureText()) == "nick_name")
        #expect(try await world.client.send(FixtureData()) == Data("nick_name".utf8))
    }

    @Test func `a large body, a stored response and a batch go by it as well`() async throws {
        let nick = String(repeating: "n", count: 40_000)
        let text = #"{"nick_name":"\#(nick)","born_at":86400}"#
        struct GetUser: Endpoint {
            typealias Response = User
            var path: EndpointPath { "users" }
            var options: RequestOptions { .caching(.fresh(for: .seconds(60))) }
        }
        let world = self.world(JSONCoding(keys: .snakeCase, dates: .secondsSince1970), answering: text)
        #expect(try await world.client.send(GetUser()).nickName == nick)
        #expect(try await world.client.cache.response(for: GetUser()).value.nickName == nick)
        let batch = try await world.client.batch(GetUser(), GetUser()).value
        #expect(batch.0 == batch.1)
        #expect(world.transport.receivedCount == 1)
    }
}
