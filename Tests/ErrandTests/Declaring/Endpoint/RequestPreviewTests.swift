internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Requests before and as they are sent", .timeLimit(.minutes(60)), .paced)
struct RequestPreviewTests {
    private let jar = CookieJar()

    private func world(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        FixtureWorld(isRecording: true) {
            $0.cookies = .store(self.jar)
            $0.credentials.origin = .bearer("s3cret")
            $0.options = $0.options.defaultHeaders(.off)
            configure(&$0)
        }
    }

    private static func cookie(_ name: String, _ value: String, _ domain: String) throws -> StoredCookie {
        try StoredCookie(name: name, value: value, domain: domain, creationDate: Date(timeIntervalSince1970: 0))
    }

    @Test func `httpRequest has the credential and the cookies that are sent`() async throws {
        let world = self.world()
        world.transport.route("*", .text("x"))
        await self.jar.insert(try Self.cookie("id", "c00kie", "api.test"))
        let request = try world.client.httpRequest(for: FixtureText())
        #expect(request.headers == ["Authorization": "Bearer s3cret", "Cookie": "id=c00kie"])
        _ = try await world.client.send(FixtureText())
        #expect(world.transport.received.last?.headers == request.headers)
        #expect(!"\(request) \(String(reflecting: request))".contains("s3cret"))
        let other = try world.client.httpRequest(for: FixtureText("https://other.test/"))
        #expect(other.headers.isEmpty)
    }

    @Test func `curlCommand has them too, hidden unless they are asked for`() async throws {
        let client = self.world().client
        await self.jar.insert(try Self.cookie("id", "c00kie", "api.test"))
        let hidden = try client.curlCommand(for: FixtureText())
        #expect(hidden.contains("--header 'Authorization: Bearer ***' --header 'Cookie: ***'"))
        let shown = try client.curlCommand(for: FixtureText(), showingSecrets: true)
        #expect(shown.contains("--header 'Authorization: Bearer s3cret' --header 'Cookie: id=c00kie'"))
    }

    @Test func `a preview uses up nothing`() async throws {
        let jar = CookieJar(limit: 2)
        let client = self.world { $0.cookies = .store(jar) }.client
        for name in ["old", "new"] {
            await jar.insert(try Self.cookie(name, "1", name == "old" ? "api.test" : "b.test"))
        }
        _ = try client.httpRequest(for: FixtureText())
        await jar.insert(try Self.cookie("third", "1", "c.test"))
        #expect(await jar.cookies.map(\.name) == ["new", "third"], "the least used one went")
    }

    // MARK: - What was sent

    private func heads(_ world: FixtureWorld) -> [HTTPRequest] {
        world.recorder.entries.compactMap { if case .event(.requestHead(let head)) = $0.call { head } else { nil } }
    }

    @Test func `an accessory sees each head that is another one than the request began with`() async throws {
        let world = self.world {
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    var request = request
                    request.headers["X-Signed"] = "1"
                    return try await next(request)
                }
            ]
        }
        world.transport.route("/a", .redirect("https://b.test/z"))
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText())
        let heads = self.heads(world)
        #expect(heads.map(\.url.string) == ["https://api.test/a", "https://b.test/z"])
        #expect(heads.map { $0.headers["Authorization"] } == ["Bearer s3cret", nil])
        #expect(heads.allSatisfy { $0.headers["X-Signed"] == "1" })
    }

    @Test func `a head that is sent as it began is not told twice`() async throws {
        let world = FixtureWorld(isRecording: true)
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText())
        #expect(self.heads(world).isEmpty)
    }
}
