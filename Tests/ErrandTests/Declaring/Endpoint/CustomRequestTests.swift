internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Endpoints: requests of their own", .timeLimit(.minutes(60)), .paced)
struct CustomRequestTests {
    /// A call that says everything twice; what it makes itself must be what counts.
    private struct Custom: Endpoint {
        typealias Response = String
        var make: @Sendable () throws -> HTTPRequest?
        var path: EndpointPath { "not a path" }
        var baseURL: BaseURL { .named("none") }
        var method: HTTPMethod { .post }
        var parameters: Parameters { ["a": .double(.nan)] }
        var headers: HTTPFields { ["X-Own": "1"] }
        var body: RequestBody { .text("x", charset: "klingon") }
        func customRequest() throws -> HTTPRequest? { try self.make() }
    }

    private func world() -> FixtureWorld {
        let world = FixtureWorld {
            $0.headers = ["X-Client": "1"]
            $0.baseURLs.pathFilters = [.query(["app": 1])]
            $0.credentials.origin = .bearer("t")
        }
        world.transport.route("*", .text("x"))
        return world
    }

    @Test func `are sent as they are`() async throws {
        let world = self.world()
        let url = try HTTPURL("https://other.test/b?c#d")
        let body = HTTPRequest.Body.bytes(Data("body".utf8))
        let value = try await world.client.send(
            Custom { HTTPRequest(method: .put, url: url, headers: ["X-Custom": "1"], body: body) })
        #expect(value == "x")
        let sent = try #require(world.transport.received.first)
        #expect(sent.method == .put)
        #expect(sent.url == url)
        #expect(sent.headers == ["X-Custom": "1"])
        guard case .bytes(Data("body".utf8)) = sent.body else {
            Issue.record("another body: \(sent.body)")
            return
        }
    }

    @Test func `go the way of all requests from there on`() async throws {
        let world = self.world()
        let url = try HTTPURL("https://api.test/b")
        _ = try await world.client.send(Custom { HTTPRequest(url: url) })
        #expect(world.transport.received.map(\.headers) == [["Authorization": "Bearer t"]])
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await world.client.download(Custom { HTTPRequest(url: url) }, to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "x")
    }

    @Test func `may be left to the properties`() async {
        let world = self.world()
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(Custom { nil }) }
        #expect(error?.code == .invalidURL)
    }

    @Test func `fail the call where they cannot be made or sent`() async throws {
        let world = self.world()
        let thrown = await #expect(throws: ErrandError.self) {
            try await world.client.send(Custom { throw FixtureError() })
        }
        #expect(thrown?.code == .callbackFailed)
        #expect(thrown?.cause is FixtureError)
        let url = try HTTPURL("https://api.test/b")
        let illegal = await #expect(throws: ErrandError.self) {
            try await world.client.send(Custom { HTTPRequest(url: url, headers: ["X-A": "1\r\nX-B: 2"]) })
        }
        #expect(illegal?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }

    // MARK: - Networks

    @Test func `a call says which networks it may use, or the client does`() async throws {
        let world = FixtureWorld { $0.options = $0.options.networks(AllowedNetworks(expensive: false)) }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText())
        _ = try await world.client.send(
            FixtureText { $0.options = .networks(AllowedNetworks(cellular: false)) })
        #expect(
            world.transport.received.map(\.allowedNetworks)
                == [AllowedNetworks(expensive: false), AllowedNetworks(cellular: false)])
    }
}
