internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Endpoints: what is sent (G9)", .timeLimit(.minutes(60)), .paced)
struct EndpointResolutionTests {
    @Test func `needs nothing but a path`() async throws {
        let world = FixtureWorld { $0.baseURLs.main = "https://api.test/v1/" }
        world.transport.route("*", .text("bytes"))
        let endpoint = FixtureData(path: "things")
        #expect(endpoint.method == .get)
        #expect(endpoint.parameters.items.isEmpty)
        #expect(endpoint.headers.isEmpty)
        #expect("\(endpoint.options)" == "RequestOptions()")
        #expect(try await world.client.send(endpoint) == Data("bytes".utf8))
        let sent = try #require(world.transport.received.first)
        #expect(sent.method == .get)
        #expect(sent.url.string == "https://api.test/v1/things")
        let standard = DefaultHeaders.standard
        let languages = standard.acceptLanguage.map { [HTTPField(name: "Accept-Language", value: $0)] } ?? []
        let agent = HTTPField(name: "User-Agent", value: standard.userAgent ?? "")
        #expect(sent.headers == HTTPFields([HTTPField(name: "Accept", value: "*/*")] + languages + [agent]))
        guard case .none = sent.body else {
            Issue.record("there is a body: \(sent.body)")
            return
        }
    }

    struct Resolution: Sendable, CustomTestStringConvertible {
        let path: String
        var parameters: Parameters = [:]
        let url: String
        var testDescription: String { "\"\(self.path)\"" }
    }

    @Test(arguments: [
        Resolution(path: "users", url: "https://api.test/v1/users"),
        Resolution(path: "/users", url: "https://api.test/users"),
        Resolution(path: "../users", url: "https://api.test/users"),
        Resolution(path: "./a/./b/../c", url: "https://api.test/v1/a/c"),
        Resolution(path: "", url: "https://api.test/v1/"),
        Resolution(path: "http://other.test/x", url: "http://other.test/x"),
        Resolution(path: "//other.test:8080/x", url: "https://other.test:8080/x"),
        Resolution(path: "a", parameters: ["x": 1, "y": "b c"], url: "https://api.test/v1/a?x=1&y=b%20c"),
        Resolution(path: "a?x=0", parameters: ["x": 1], url: "https://api.test/v1/a?x=0&x=1"),
        Resolution(path: "a?", parameters: ["x": 1], url: "https://api.test/v1/a?x=1"),
        Resolution(path: "a#end", parameters: ["x": 1], url: "https://api.test/v1/a?x=1#end"),
        Resolution(path: "a?x=0#end", parameters: ["y": true], url: "https://api.test/v1/a?x=0&y=1#end"),
        Resolution(path: "a", parameters: ["n": nil, "d": 1.5], url: "https://api.test/v1/a?d=1.5&n"),
        Resolution(path: "a", parameters: ["q": "&=+#%é"], url: "https://api.test/v1/a?q=%26%3D%2B%23%25%C3%A9"),
        Resolution(path: "a", parameters: ["k": 1, "k": 2], url: "https://api.test/v1/a?k=1&k=2"),
    ])
    func `resolves a path against the base URL and appends the parameters`(row: Resolution) async throws {
        let world = FixtureWorld { $0.baseURLs.main = "https://api.test/v1/" }
        world.transport.route("*", .text(""))
        _ = try await world.client.send(FixtureText(row.path) { $0.parameters = row.parameters })
        #expect(world.transport.received.map(\.url.string) == [row.url])
    }

    @Test func `needs no base URL for an absolute path`() async throws {
        let world = FixtureWorld { $0.baseURLs.main = nil }
        world.transport.route("*", .text("ok"))
        #expect(try await world.client.send(FixtureText("https://api.test/a")) == "ok")
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText("a")) }
        #expect(error?.code == .invalidURL)
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `a base URL that cannot be parsed fails what needs it, and nothing else`() async throws {
        let world = FixtureWorld { $0.baseURLs.main = "not a url" }
        world.transport.route("*", .text("ok"))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText("a")) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("base URL") == true)
        #expect(try await world.client.send(FixtureText("https://api.test/a")) == "ok")
    }

    @Test(arguments: [
        "a b", "a\r\nb", "ftp://api.test/", "mailto:a@b", "http://", "https://user@:80/", "%", "a%zz", "http://[::1/",
        "http://host:99999/", "a<b>", "ü",
    ])
    func `a path that is no URL reference is refused before anything is sent`(path: String) async {
        let world = FixtureWorld(isRecording: true)
        world.transport.route("*", .text(""))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText(path)) }
        #expect(error?.code == .invalidURL)
        #expect(error?.context.endpointName == "FixtureText")
        #expect(world.transport.receivedCount == 0)
        #expect(world.recorder.entries.isEmpty)
        await world.expectAtRest()
    }
}
