internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Endpoints: header fields (G9)", .timeLimit(.minutes(60)), .paced)
struct EndpointHeaderTests {
    private func sent(
        defaults: HTTPFields = [:], _ configure: (inout FixtureText) -> Void
    ) async throws -> HTTPRequest {
        let world = FixtureWorld {
            $0.headers = defaults
            $0.options = $0.options.defaultHeaders(.off)
        }
        world.transport.route("*", .text(""))
        _ = try await world.client.send(FixtureText("a", configure))
        return try #require(world.transport.received.first)
    }

    @Test func `replace the client's defaults of the same name, whatever its case`() async throws {
        let request = try await self.sent(defaults: ["Accept": "text/plain", "X-App": "1"]) {
            $0.headers = ["accept": "application/json", "X-Own": "2"]
        }
        #expect(request.headers.values(for: "Accept") == ["application/json"])
        #expect(request.headers["X-App"] == "1")
        #expect(request.headers["X-Own"] == "2")
        #expect(request.headers.count == 3)
    }

    @Test func `keep a field that is repeated`() async throws {
        let request = try await self.sent(defaults: ["X-A": "0"]) { $0.headers = ["X-A": "1", "X-A": "2"] }
        #expect(request.headers.values(for: "X-A") == ["1", "2"])
    }

    @Test(arguments: [
        (RequestBody.json(["a": 1]), "application/json"),
        (.text("a"), "text/plain; charset=utf-8"),
        (.bytes(Data([1])), "application/octet-stream"),
        (.bytes(Data([1]), contentType: "image/png"), "image/png"),
    ])
    func `take the content type from the body`(body: RequestBody, type: String) async throws {
        let request = try await self.sent(defaults: ["Content-Type": "text/html"]) {
            $0.method = .post
            $0.body = body
        }
        #expect(request.headers.values(for: "Content-Type") == [type])
    }

    @Test func `set the content type themselves before the body does`() async throws {
        let request = try await self.sent {
            $0.method = .post
            $0.headers = ["content-type": "application/vnd.api+json"]
            $0.body = .json(["a": 1])
        }
        #expect(request.headers.values(for: "Content-Type") == ["application/vnd.api+json"])
    }

    @Test func `have no content type without a body`() async throws {
        #expect(try await self.sent { $0.method = .post }.headers.isEmpty)
    }

    @Test(
        arguments: [
            ["X-A": "a\r\nX-Evil: 1"], ["X-A": "a\nb"], ["X-A": "a\rb"], ["X-A": "a\u{0}b"], ["X-A": "\u{7F}"],
            ["X A": "1"], ["": "1"], ["X-A:": "1"], ["X-A\r\nX-Evil": "1"], ["Ünicode": "1"],
        ] as [HTTPFields])
    func `are refused where they could break out of their line`(headers: HTTPFields) async throws {
        for isDefault in [false, true] {
            let world = FixtureWorld { if isDefault { $0.headers = headers } }
            world.transport.route("*", .text(""))
            let endpoint = FixtureText("a") { if !isDefault { $0.headers = headers } }
            let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("Evil: 1") == false)
            #expect(world.transport.receivedCount == 0)
            await world.expectAtRest()
        }
    }

    @Test(arguments: ["a\tb", "  a  ", "ä", "\"quoted, with comma\""])
    func `may have any value that stays on its line`(value: String) async throws {
        let request = try await self.sent { $0.headers = ["X-A": value] }
        #expect(request.headers["X-A"] == value.trimmingCharacters(in: .whitespaces))
    }

    @Test(arguments: ["", "GE T", "GET\r\n", "GÉT", "GET/"])
    func `a method that is not a token is refused`(method: String) async {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        let endpoint = FixtureText("a") { $0.method = HTTPMethod(rawValue: method) }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(error?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 0)
    }

    @Test(arguments: ["PURGE", "get", "M-SEARCH"])
    func `any token is a method`(method: String) async throws {
        #expect(try await self.sent { $0.method = HTTPMethod(rawValue: method) }.method.rawValue == method)
    }

    @Test func `a content type with a line break in it is refused`() async {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        let endpoint = FixtureText("a") {
            $0.method = .post
            $0.body = .bytes(Data(), contentType: "text/plain\r\nX-Evil: 1")
        }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(error?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 0)
    }
}
