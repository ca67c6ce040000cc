internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Endpoints: bodies", .timeLimit(.minutes(60)), .paced)
struct EndpointBodyTests {
    private func sent(_ body: RequestBody) async throws -> HTTPRequest.Body {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        _ = try await world.client.send(
            FixtureText("a") {
                $0.method = .post
                $0.body = body
            })
        return try #require(world.transport.received.first).body
    }

    private func bytes(_ body: RequestBody) async throws -> Data? {
        guard case .bytes(let data) = try await self.sent(body) else { return nil }
        return data
    }

    @Test func `send JSON`() async throws {
        struct Item: Codable, Equatable { let name: String }
        let data = try #require(try await self.bytes(.json(Item(name: "a/ü"))))
        #expect(try JSONDecoder().decode(Item.self, from: data) == Item(name: "a/ü"))
    }

    @Test func `send JSON as the encoder at hand makes it`() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try await self.bytes(.json(["b": 1, "a": 2], encoder: encoder)) == Data(#"{"a":2,"b":1}"#.utf8))
    }

    @Test func `send text and bytes as they are`() async throws {
        #expect(try await self.bytes(.text("grüße")) == Data("grüße".utf8))
        #expect(try await self.bytes(.bytes(Data([0, 255]))) == Data([0, 255]))
        #expect(try await self.bytes(.bytes(Data())) == Data())
    }

    @Test func `hand a file on to the transport`() async throws {
        guard case .file(let url) = try await self.sent(.file(URL(filePath: "/tmp/x"))) else {
            Issue.record("not a file")
            return
        }
        #expect(url.path == "/tmp/x")
    }

    @Test func `hand a stream on to the transport, which may read it more than once`() async throws {
        let stream = BodyStream(isRepeatable: true) {
            var rest = [Data([1]), Data([2, 3])]
            return { () async throws(ErrandError) -> Data? in rest.isEmpty ? nil : rest.removeFirst() }
        }
        guard case .stream(let sent, let length) = try await self.sent(.stream(stream, length: 3)) else {
            Issue.record("not a stream")
            return
        }
        #expect(length == 3)
        for _ in 1...2 {
            var data = Data()
            for try await chunk in sent { data += chunk }
            #expect(data == Data([1, 2, 3]))
        }
    }

    @Test func `that cannot be encoded fail the request with their error as the cause`() async throws {
        let world = FixtureWorld(isRecording: true)
        let endpoint = FixtureText("a") { $0.body = RequestBody { throw FixtureError() } }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.cause is FixtureError)
        #expect(world.transport.receivedCount == 0)
        #expect(world.recorder.entries.isEmpty)
        await world.expectAtRest()
    }

    @Test func `that JSON has no form for are encoding failures`() async {
        let world = FixtureWorld()
        let endpoint = FixtureText("a") { $0.body = .json([Double.infinity]) }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.cause is EncodingError)
    }

    @Test func `keep an Errand error of their own`() async {
        let world = FixtureWorld()
        let endpoint = FixtureText("a") { $0.body = RequestBody { throw ErrandError(.unsupported, "no") } }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(error?.code == .unsupported)
    }

    @Test func `are made once for each request, when it starts`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        let log = FixtureLog()
        let request = world.client.request(
            FixtureText("a") {
                $0.body = RequestBody {
                    log.add("made")
                    return RequestBody.Encoded(.bytes(Data()))
                }
            })
        #expect(log.lines.isEmpty)
        _ = try await request.value
        _ = try await request.value
        #expect(log.lines == ["made"])
    }
}
