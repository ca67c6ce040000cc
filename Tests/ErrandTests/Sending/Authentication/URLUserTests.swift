internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Secrets: user and password in a URL", .timeLimit(.minutes(60)), .paced)
struct URLUserTests {
    /// That of `ann` and `hunter2`.
    private static let authorization = "Basic YW5uOmh1bnRlcjI="

    private func world(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.defaultHeaders(.off)
            configure(&$0)
        }
        world.transport.route("*", .text("x"))
        return world
    }

    private func sent(_ world: FixtureWorld) -> [String] {
        world.transport.received.map { "\($0.url.string) \($0.headers["Authorization"] ?? "-")" }
    }

    // MARK: - Taken for a credential

    @Test func `of an absolute URL are the credential of that request, and not kept`() async throws {
        let world = self.world()
        let response = try await world.client.response(for: FixtureText("https://ann:hunter2@b.test/c?d=1"))
        #expect(response.url.string == "https://b.test/c?d=1")
        #expect(self.sent(world) == ["https://b.test/c?d=1 \(Self.authorization)"])
        _ = try await world.client.send(FixtureText("https://b.test/e"))
        #expect(self.sent(world).last == "https://b.test/e -")
    }

    @Test func `of the URLs of a client are the credentials for their origins`() async throws {
        let world = self.world {
            $0.baseURLs.main = "https://ann:hunter2@api.test/v1"
            $0.baseURLs.cdn = "https://cdn:pw@cdn.test"
        }
        for path in ["a", "https://api.test/b", "https://cdn.test/c", "https://b.test/d"] {
            _ = try await world.client.send(FixtureText(path))
        }
        _ = try await world.client.send(FixtureText { $0.baseURL = .cdn })
        #expect(
            self.sent(world) == [
                "https://api.test/v1/a \(Self.authorization)", "https://api.test/b \(Self.authorization)",
                "https://cdn.test/c Basic Y2RuOnB3", "https://b.test/d -", "https://cdn.test/a Basic Y2RuOnB3",
            ])
    }

    @Test func `of a base URL of an endpoint, and of a request that it makes, are its credential`() async throws {
        let world = self.world()
        _ = try await world.client.send(FixtureText { $0.baseURL = "https://ann:hunter2@mine.test/x" })
        _ = try await world.client.send(FixtureMade(url: "https://ann:hunter2@made.test/"))
        #expect(
            self.sent(world) == [
                "https://mine.test/x/a \(Self.authorization)", "https://made.test/ \(Self.authorization)",
            ])
    }

    @Test func `that an interceptor or a decision about a redirection sets are the credential`() async throws {
        let elsewhere = FixtureInterceptor { request, _, next in
            var request = request
            request.url = try HTTPURL("https://ann:hunter2@b.test/")
            return try await next(request)
        }
        let world = self.world()
        world.transport.removeRoutes()
        world.transport.route("r", .redirect("https://c.test/"))
        world.transport.route("*", .text("x"))
        let first = try await world.client.response(
            for: FixtureText { $0.options = .interceptors([elsewhere]) })
        let second = FixtureText("r") {
            $0.options = $0.options.redirects(
                .decide { redirection in
                    var request = redirection.request
                    guard let url = try? HTTPURL("https://ann:hunter2@d.test/") else { return .stop }
                    request.url = url
                    return .send(request)
                })
        }
        #expect(first.url.string == "https://b.test/")
        #expect(try await world.client.response(for: second).url.string == "https://d.test/")
        #expect(
            self.sent(world) == [
                "https://b.test/ \(Self.authorization)", "https://api.test/r -",
                "https://d.test/ \(Self.authorization)",
            ])
    }

    @Test func `give way to what is said otherwise`() async throws {
        let world = self.world {
            $0.baseURLs.main = "https://ann:hunter2@api.test/"
            $0.credentials.origin = .bearer("t")
        }
        _ = try await world.client.send(FixtureText())
        _ = try await world.client.send(
            FixtureText("https://ann:hunter2@b.test/") { $0.options = .credentials(.own(.bearer("own"))) })
        let own = FixtureText("https://ann:hunter2@b.test/") { $0.headers = ["authorization": "own"] }
        _ = try await world.client.send(own)
        #expect(
            self.sent(world) == [
                "https://api.test/a Bearer t", "https://b.test/ Bearer own", "https://b.test/ own",
            ])
    }

    @Test func `without a user are left out, and those that make no credential are refused`() async throws {
        let world = self.world()
        _ = try await world.client.send(FixtureText("https://@b.test/"))
        _ = try await world.client.send(FixtureText("https://ann@b.test/"))
        #expect(self.sent(world) == ["https://b.test/ -", "https://b.test/ Basic YW5uOg=="])
        for user in ["a%3Ab:hunter2", "a:hunter2%0A"] {
            let error = await #expect(throws: ErrandError.self) {
                try await world.client.send(FixtureText("https://\(user)@b.test/"))
            }
            #expect(error?.code == .invalidRequest)
            #expect(error.map { "\($0)" }?.contains("hunter2") == false)
        }
    }

    // MARK: - Not taken

    @Test func `of a Location are not used, and not kept`() async throws {
        let world = self.world { $0.credentials.origin = .bearer("t") }
        world.transport.removeRoutes()
        world.transport.route("a", .redirect("https://eve:hunter2@api.test/b"))
        world.transport.route("b", .redirect("//eve:hunter2@b.test/c"))
        world.transport.route("c", .text("x"))
        let log = FixtureLog()
        let endpoint = FixtureText {
            $0.options = $0.options.redirects(
                .decide { redirection in
                    log.add(redirection.target.string)
                    return .follow
                })
        }
        #expect(try await world.client.response(for: endpoint).url.string == "https://b.test/c")
        #expect(log.lines == ["https://api.test/b", "https://b.test/c"])
        #expect(
            self.sent(world) == ["https://api.test/a Bearer t", "https://api.test/b Bearer t", "https://b.test/c -"])
    }

    // MARK: - Kept nowhere

    @Test func `are in no key of the cache, and tell answers apart`() async throws {
        let cache = MemoryCache()
        let world = self.world { $0.cache = cache }
        for user in ["ann:hunter2", "bob:hunter2", "ann:hunter2"] {
            let endpoint = FixtureText("https://\(user)@b.test/") {
                $0.options = $0.options.caching(.fresh(for: .seconds(60)))
            }
            _ = try await world.client.send(endpoint)
        }
        #expect(world.transport.receivedCount == 2)
        #expect(await cache.summaries().map(\.url) == ["https://b.test/", "https://b.test/"])
    }

    @Test func `are in no command for curl, nor in what a client shows of a request`() throws {
        let endpoint = FixtureText("https://ann:hunter2@b.test/")
        let client = self.world().client
        let command = try client.curlCommand(for: endpoint)
        #expect(!command.contains("hunter2") && !command.contains("YW5u"))
        #expect(command.contains("'Authorization: Basic ***'"))
        #expect(try client.curlCommand(for: endpoint, showingSecrets: true).contains(Self.authorization))
        #expect(try client.httpRequest(for: endpoint).url.string == "https://b.test/")
    }
}

/// A call that makes its request itself.
private struct FixtureMade: Endpoint {
    typealias Response = String
    var path: EndpointPath = "a"
    let url: String

    func customRequest() throws -> HTTPRequest? {
        HTTPRequest(url: try HTTPURL(self.url))
    }
}
