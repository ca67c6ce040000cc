internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Secrets: which origins they go to", .timeLimit(.minutes(60)), .paced)
struct SecretOriginTests {
    private static let secrets: HTTPFields = [
        "Authorization": "Bearer s", "Proxy-Authorization": "Basic s", "Cookie": "a=s", "X-Api-Key": "s",
    ]

    private func world(_ configure: @escaping (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        let world = FixtureWorld {
            $0.options = $0.options.defaultHeaders(.off)
            $0.headers = Self.secrets
            $0.headers["X-Tenant"] = "blue"
            $0.credentials.secretHeaders = ["x-api-key"]
            $0.baseURLs.cdn = "https://cdn.test/assets"
            $0.baseURLs.named = ["images": "https://images.test"]
            configure(&$0)
        }
        world.transport.route("*", .text("x"))
        return world
    }

    private func sent(_ world: FixtureWorld, _ endpoint: FixtureText) async throws -> HTTPFields {
        _ = try await world.client.send(endpoint)
        return try #require(world.transport.received.last).headers
    }

    private static var all: HTTPFields {
        var all = Self.secrets
        all["X-Tenant"] = "blue"
        return all
    }

    // MARK: - What endpoints ask for

    @Test(arguments: [
        "a", "https://api.test/b", "https://API.test:443/b", "https://cdn.test/b", "https://images.test:443/b",
    ])
    func `what is secret in the headers of a client goes to its own origins`(path: String) async throws {
        #expect(try await self.sent(self.world(), FixtureText(path)) == Self.all)
    }

    @Test(arguments: [
        "https://evil.test/b", "http://api.test/b", "https://api.test:8443/b", "https://api.test.evil.test/",
        "//evil.test/",
        "https://sub.api.test/",
    ])
    func `and nowhere else`(path: String) async throws {
        #expect(try await self.sent(self.world(), FixtureText(path)) == ["X-Tenant": "blue"])
    }

    @Test func `nor to a base URL that an endpoint brings along`() async throws {
        let endpoint = FixtureText { $0.baseURL = "https://mine.test" }
        #expect(try await self.sent(self.world(), endpoint) == ["X-Tenant": "blue"])
    }

    @Test func `unless the endpoint says so`() async throws {
        let endpoint = FixtureText("https://partner.test/") { $0.options = .sendingSecretsToAllOrigins() }
        #expect(try await self.sent(self.world(), endpoint) == Self.all)
    }

    @Test func `what an endpoint brings itself goes where it goes`() async throws {
        let endpoint = FixtureText("https://partner.test/") {
            $0.headers = ["X-Api-Key": "own"]
            $0.options = $0.options.credentials(.own(.bearer("own")))
        }
        let fields = try await self.sent(self.world(), endpoint)
        #expect(fields == ["X-Api-Key": "own", "Authorization": "Bearer own", "X-Tenant": "blue"])
    }

    @Test func `a client without a base URL has no origin of its own, and may name one`() async throws {
        let world = self.world {
            $0.baseURLs.main = nil
            $0.baseURLs.cdn = nil
        }
        #expect(try await self.sent(world, FixtureText("https://api.test/")) == ["X-Tenant": "blue"])
        #expect(try await self.sent(world, FixtureText("https://images.test/")) == Self.all)
    }

    @Test func `what is streamed or downloaded makes no difference`() async throws {
        let world = self.world()
        let folder = try TestFolder()
        for path in ["a", "https://evil.test/"] {
            _ = try await world.client.download(FixtureText(path), to: folder.file("x"))
        }
        // Files are asked for as they were published.
        let sent = world.transport.received.map { $0.headers.filter { $0.name != "Accept-Encoding" } }
        #expect(sent.map(\.count) == [5, 1])
    }

    // MARK: - On the way

    @Test func `an interceptor that changes the origin leaves them behind`() async throws {
        let elsewhere = FixtureInterceptor { request, _, next in
            var request = request
            request.url = try HTTPURL("https://evil.test/")
            return try await next(request)
        }
        let world = self.world { $0.interceptors = [elsewhere] }
        #expect(try await self.sent(world, FixtureText()) == ["X-Tenant": "blue"])
        #expect(try await self.sent(world, FixtureText { $0.options = .sendingSecretsToAllOrigins() }) == Self.all)
        let own = FixtureText { $0.headers = ["X-Api-Key": "own"] }
        #expect(try await self.sent(world, own) == ["X-Api-Key": "own", "X-Tenant": "blue"])
    }

    @Test func `an interceptor may go to another of the client's origins, and may set a secret anew`() async throws {
        let mirror = FixtureInterceptor { request, _, next in
            var request = request
            request.url = try HTTPURL("https://images.test/")
            return try await next(request)
        }
        #expect(try await self.sent(self.world { $0.interceptors = [mirror] }, FixtureText()) == Self.all)
        let other = FixtureInterceptor { request, _, next in
            var request = request
            request.url = try HTTPURL("https://partner.test/")
            request.headers["X-Api-Key"] = "partner"
            return try await next(request)
        }
        let fields = try await self.sent(self.world { $0.interceptors = [other] }, FixtureText())
        #expect(fields == ["X-Api-Key": "partner", "X-Tenant": "blue"])
    }

    @Test func `a hook of an endpoint that changes the origin leaves them behind`() async throws {
        let world = self.world()
        _ = try await world.client.send(FixtureMoved(url: "https://evil.test/"))
        #expect(world.transport.received.last?.headers == ["X-Tenant": "blue"])
        _ = try await world.client.send(FixtureMoved(url: "https://cdn.test/"))
        #expect(world.transport.received.last?.headers == Self.all)
    }

    @Test(arguments: [false, true])
    func `a redirection takes them to no other origin`(intercepted: Bool) async throws {
        let pass = FixtureInterceptor { request, _, next in try await next(request) }
        let world = self.world { if intercepted { $0.interceptors = [pass] } }
        world.transport.removeRoutes()
        world.transport.route("a", .redirect("https://evil.test/b"))
        world.transport.route("*", .text("x"))
        #expect(try await self.sent(world, FixtureText()) == ["X-Tenant": "blue"])
    }

    // MARK: - Fields that nobody named

    @Test(arguments: [false, true])
    func `a field whose name says that it is secret is, whoever sends it on`(intercepted: Bool) async throws {
        let world = self.world {
            $0.credentials.secretHeaders = []
            $0.headers = ["X-Api-Key": "s", "X-Auth-Token": "s", "X-Tenant": "blue"]
            if intercepted { $0.interceptors = [FixtureInterceptor { try await $2($0) }] }
        }
        #expect(try await self.sent(world, FixtureText()).count == 3)
        #expect(try await self.sent(world, FixtureText("https://images.test/")).count == 3)
        #expect(try await self.sent(world, FixtureText("https://evil.test/")) == ["X-Tenant": "blue"])
        world.transport.removeRoutes()
        world.transport.route("a", .redirect("https://evil.test/b"))
        world.transport.route("*", .text("x"))
        let own = FixtureText { $0.headers = ["X-Session-ID": "s", "X-Page": "1"] }
        #expect(try await self.sent(world, own) == ["X-Page": "1", "X-Tenant": "blue"])
    }

    // MARK: - Credentials that change

    @Test func `a credential can be changed while the client is used`() async throws {
        let world = self.world {
            $0.headers = [:]
            $0.credentials.origin = .bearer("1")
        }
        func authorization(_ path: String = "a") async throws -> String? {
            try await self.sent(world, FixtureText(path))["Authorization"]
        }
        #expect(try await authorization() == "Bearer 1")
        world.client.updateDefaults { $0.credentials.origin = .bearer("2") }
        #expect(try await authorization() == "Bearer 2")
        world.client.updateDefaults { $0.credentials.otherOrigins["https://files.test"] = .bearer("f") }
        #expect(try await authorization("https://files.test/") == "Bearer f")
        #expect(world.client.defaults.credentials.origin == .bearer("2"))
        world.client.updateDefaults { $0.credentials.origin = nil }
        #expect(try await authorization() == nil)
    }

    @Test func `a credential belongs to the base URL that it is set for`() async throws {
        let world = self.world {
            $0.headers = [:]
            $0.credentials.origin = .bearer("1")
        }
        func authorization(_ path: String = "a") async throws -> String? {
            try await self.sent(world, FixtureText(path))["Authorization"]
        }
        world.client.updateDefaults { $0.baseURLs.main = "https://new.test" }
        #expect(try await authorization() == nil)
        #expect(try await authorization("https://api.test/") == "Bearer 1")
        world.client.updateDefaults { $0.credentials.origin = .bearer("1") }
        #expect(try await authorization() == "Bearer 1")
        #expect(try await authorization("https://api.test/") == nil)
        world.client.updateDefaults {
            $0.credentials.origin = .bearer("3")
            $0.baseURLs.main = "https://third.test"
        }
        #expect(try await authorization() == "Bearer 3")
    }

    @Test func `a request that runs keeps the credential that it started with`() async throws {
        let gate = FixtureGate()
        let world = FixtureWorld {
            $0.credentials.origin = .bearer("1")
            $0.interceptors = [
                FixtureInterceptor { request, _, next in
                    await gate.pass()
                    return try await next(request)
                }
            ]
        }
        world.transport.route("*", .text("x"))
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        world.client.updateDefaults { $0.credentials.origin = .bearer("2") }
        gate.open()
        _ = try await request.value
        #expect(world.transport.received.map { $0.headers["Authorization"] } == ["Bearer 1"])
    }

    @Test func `a credential that cannot be sent fails later requests, until it is changed again`() async throws {
        let world = self.world()
        world.client.updateDefaults { $0.credentials.origin = .bearer("") }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidRequest)
        world.client.updateDefaults { $0.credentials.origin = nil }
        #expect(try await self.sent(world, FixtureText()) == Self.all)
    }
}

/// A call whose hook moves it elsewhere.
private struct FixtureMoved: ProcessingEndpoint {
    typealias Response = String
    var path: EndpointPath = "a"
    let url: String

    func prepare(_ request: inout HTTPRequest) async throws {
        request.url = try HTTPURL(self.url)
    }
}
