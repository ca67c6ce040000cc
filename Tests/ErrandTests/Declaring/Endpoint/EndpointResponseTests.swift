internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Endpoints: responses (G12)", .timeLimit(.minutes(60)), .paced)
struct EndpointResponseTests {
    private struct User: Decodable, Sendable, Equatable {
        struct Address: Decodable, Sendable, Equatable { let city: String }
        let name: String
        let addresses: [Address]
    }

    private func world(_ reply: StubReply) -> FixtureWorld {
        let world = FixtureWorld()
        world.transport.route("*", reply)
        return world
    }

    @Test func `are decoded from JSON`() async throws {
        let world = self.world(.json(#"{"name":"Ann","addresses":[{"city":"Rom"}]}"#))
        let user = try await world.client.send(FixtureJSON("a", User.self))
        #expect(user == User(name: "Ann", addresses: [User.Address(city: "Rom")]))
    }

    @Test func `may be an optional that is null`() async throws {
        let value = try await self.world(.json("null")).client.send(FixtureJSON("a", Int?.self))
        #expect(value == nil)
        let response = try await self.world(.json("null")).client.response(for: FixtureJSON("a", Int?.self))
        #expect(response.value == nil)
    }

    @Test func `may be bytes, text, nothing, or made by the endpoint`() async throws {
        let world = self.world(.text("äö"))
        #expect(try await world.client.send(FixtureData()) == Data("äö".utf8))
        #expect(try await world.client.send(FixtureText()) == "äö")
        try await world.client.send(FixtureVoid())
        let count = try await world.client.send(FixtureCustom { $0.data.count })
        #expect(count == 4)
    }

    @Test func `carry the head, the source and the number of attempts`() async throws {
        let world = self.world(.data(Data("x".utf8), status: 201, headers: ["X-A": "1"]))
        let request = world.client.request(FixtureText())
        let response = try await request.response
        #expect(response.value == "x")
        #expect(response.head.status == .created)
        #expect(response.head.headers["x-a"] == "1")
        #expect(response.source == .network)
        #expect(response.attempts == 1)
        #expect(response.requestID == request.id)
        #expect(response.timings == ExchangeMetrics.Timings())
    }

    @Test(arguments: [
        ("text/plain", Data([0xC3, 0xA4]), "ä"),
        ("text/plain; charset=UTF-8", Data([0xC3, 0xA4]), "ä"),
        ("text/plain; charset=\"utf8\"", Data([0xC3, 0xA4]), "ä"),
        ("text/plain; charset=ISO-8859-1", Data([0xE4]), "ä"),
        ("text/plain; charset=latin1", Data([0xE4]), "ä"),
        ("text/plain; charset=us-ascii", Data([0x61]), "a"),
        ("not a type", Data([0x61]), "a"),
        ("", Data(), ""),
    ])
    func `text is decoded as its charset says`(type: String, bytes: Data, text: String) async throws {
        let world = self.world(.data(bytes, headers: type.isEmpty ? [:] : ["Content-Type": type]))
        #expect(try await world.client.send(FixtureText()) == text)
    }

    @Test(arguments: [
        ("text/plain", Data([0xE4, 0x20])),
        ("text/plain; charset=us-ascii", Data([0xE4])),
        ("text/plain; charset=utf-16", Data([0x61])),
        ("text/plain; charset=klingon", Data([0x61])),
    ])
    func `text that its charset does not allow is a decoding failure`(type: String, bytes: Data) async {
        let world = self.world(.data(bytes, headers: ["Content-Type": type]))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.context.status == .ok)
        #expect(error?.context.body == bytes)
    }

    @Test func `an empty body is no JSON`() async {
        let world = self.world(.status(204))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureJSON("a", User.self))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("empty") == true)
    }

    @Test(arguments: [
        (#"{"name":"Ann"}"#, "addresses"),
        (#"{"name":1,"addresses":[]}"#, "at $.name expected String, found number"),
        (
            #"{"name":"Ann","addresses":[{"city":"Rom"},{"city":null}]}"#,
            "$.addresses[1].city expected String, found null"
        ),
        (#"{"name":"#, "not JSON"),
        ("\u{FEFF}<html>", "not JSON"),
    ])
    func `JSON of another shape is a decoding failure that says where`(json: String, hint: String) async {
        let world = self.world(.json(json))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureJSON("a", User.self))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.cause is DecodingError)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
        await world.expectAtRest()
    }

    @Test func `what an endpoint's own decoding throws is the cause`() async {
        let world = self.world(.text("x"))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureCustom<Int> { _ in throw FixtureError() })
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.cause is FixtureError)
        let own = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureCustom<Int> { _ in throw ErrandError(.invalidResponse, "mine") })
        }
        #expect(own?.code == .invalidResponse)
        #expect(own?.message == "mine")
    }

    @Test(arguments: [
        (ResponseValidation.success, 299, true), (.success, 300, false), (.success, 199, false),
        (.any, 500, true), (.any, 600, true),
        (ResponseValidation(statusCodes: [200, 404] as Set), 404, true),
        (ResponseValidation(statusCodes: 200..<205), 205, false),
    ])
    func `are accepted by their status`(validation: ResponseValidation, status: Int, isAccepted: Bool) async {
        let world = self.world(.text("x", status: HTTPStatus(rawValue: status)))
        let request = world.client.request(FixtureText { $0.validation = validation })
        if isAccepted {
            await #expect(throws: Never.self) { try await request.value }
        } else {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.status?.rawValue == status)
            #expect(error?.context.body == Data("x".utf8))
        }
    }

    @Test(arguments: [
        ("application/json", "x", true), ("application/json; charset=utf-8", "x", true), ("text/csv", "x", true),
        ("application/xml", "x", false), ("", "x", false), ("application/xml", "", true),
    ])
    func `are accepted by their content type`(type: String, body: String, isAccepted: Bool) async {
        let world = self.world(.data(Data(body.utf8), headers: type.isEmpty ? [:] : ["Content-Type": type]))
        let validation = ResponseValidation(contentTypes: [.json, "text/*"])
        let request = world.client.request(FixtureText { $0.validation = validation })
        if isAccepted {
            await #expect(throws: Never.self) { try await request.value }
        } else {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .unacceptableContentType)
        }
    }
}
