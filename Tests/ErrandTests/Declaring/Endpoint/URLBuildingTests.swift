internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Endpoints: how URLs are built", .timeLimit(.minutes(60)), .paced)
struct URLBuildingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let base: String?
        let path: String
        let url: String
        var testDescription: String { "\(self.id): \(self.path)" }

        init(_ id: String, _ base: String?, _ path: String, _ url: String) {
            self.id = id
            self.base = base
            self.path = path
            self.url = url
        }
    }

    private func url(
        _ path: String, _ configure: (inout Client.Configuration) -> Void,
        _ change: (inout FixtureText) -> Void = { _ in }
    ) throws -> String {
        try FixtureWorld(configure).client.httpRequest(for: FixtureText(path, change)).url.string
    }

    private func problem(
        _ path: String, _ configure: (inout Client.Configuration) -> Void,
        _ change: (inout FixtureText) -> Void = { _ in }
    ) -> ErrandError? {
        #expect(throws: ErrandError.self) { try self.url(path, configure, change) }
    }

    @Test(arguments: [
        Case("T1", "http://www.example.com", "get", "http://www.example.com/get"),
        Case("T2", "http://www.example.com/", "get", "http://www.example.com/get"),
        Case("T3", "https://www.example.com", "get", "https://www.example.com/get"),
        Case("T4", "http://www.example.com", "get/val", "http://www.example.com/get/val"),
        Case("T4", "http://www.example.com", "get/val/", "http://www.example.com/get/val/"),
        Case("T5", "https://www.example.com", "httpEndpoint", "https://www.example.com/httpEndpoint"),
        Case("T6", nil, "http://www.example.com/a?b#c", "http://www.example.com/a?b#c"),
        Case("T6", nil, "https://www.example.com/a", "https://www.example.com/a"),
        Case("T7", "http://www.something.com", "https://www.example.com", "https://www.example.com/"),
        // YTKNetwork's rule: a base without a slash at its end gets one.
        Case("1.6", "http://h/v1", "foo", "http://h/v1/foo"),
        Case("1.6", "http://h/v1", "/foo", "http://h/foo"),
        Case("1.6", "http://h/v1/", "foo", "http://h/v1/foo"),
        Case("1.6", "http://h/v1?x=1", "foo", "http://h/v1/foo"),
        Case("1.6", "http://u:p@h:81/v1#f", "foo?a=b", "http://h:81/v1/foo?a=b"),
        Case("1.6", "http://h/v1", "../foo", "http://h/foo"),
        Case("1.6", "http://h/v1", "//other/foo", "http://other/foo"),
        // AFNetworking's examples.
        Case("2.2", "http://example.com/v1/", "foo", "http://example.com/v1/foo"),
        Case("2.2", "http://example.com/v1/", "foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
        Case("2.2", "http://example.com/v1/", "/foo", "http://example.com/foo"),
        Case("2.2", "http://example.com/v1/", "foo/", "http://example.com/v1/foo/"),
        Case("2.2", "http://example.com/v1/", "/foo/", "http://example.com/foo/"),
        Case("2.2", "http://example.com/v1/", "http://example2.com/", "http://example2.com/"),
    ])
    func `a path is resolved against the base URL`(row: Case) throws {
        #expect(try self.url(row.path) { $0.baseURLs.main = row.base } == row.url)
    }

    // MARK: - Which base

    private static func configure(_ configuration: inout Client.Configuration) {
        configuration.baseURLs.main = "https://api.test/v1"
        configuration.baseURLs.cdn = "https://cdn.test/assets"
        configuration.baseURLs.named = ["images": "https://images.test/i/", "broken": "nowhere"]
    }

    @Test func `an endpoint chooses what its path is resolved against`() throws {
        let rows: [(String, @Sendable (inout FixtureText) -> Void)] = [
            ("https://api.test/v1/a", { _ in }),
            ("https://cdn.test/assets/a", { $0.baseURL = .cdn }),
            ("https://images.test/i/a", { $0.baseURL = .named("images") }),
            ("https://other.test/x/a", { $0.baseURL = "https://other.test/x" }),
        ]
        for (url, change) in rows { #expect(try self.url("a", Self.configure, change) == url) }
    }

    @Test func `a base that is missing or cannot be parsed fails what needs it, and nothing else`() throws {
        let noNetwork = self.problem("a", { $0.baseURLs.main = "https://api.test" }) { $0.baseURL = .cdn }
        #expect(noNetwork?.code == .invalidURL)
        #expect(noNetwork?.message.contains("content delivery network") == true)
        let noName = self.problem("a", Self.configure) { $0.baseURL = .named("videos") }
        #expect(noName?.code == .invalidURL)
        #expect(noName?.message.contains("\"videos\"") == true)
        for base in [BaseURL.named("broken"), "nowhere", "ftp://a.test"] {
            let error = self.problem("a", Self.configure) { $0.baseURL = base }
            #expect(error?.code == .invalidURL)
            #expect(error?.message.contains("base URL") == true)
            #expect(try self.url("https://api.test/a", Self.configure) { $0.baseURL = base } == "https://api.test/a")
        }
    }

    @Test func `a base that is written as a literal has no values in it, which would not be checked`() {
        let type: Any.Type = BaseURL.self
        #expect(type is any ExpressibleByStringLiteral.Type)
        #expect(!(type is any ExpressibleByStringInterpolation.Type))
    }

    // MARK: - Filters

    @Test func `T14: a filter adds arguments`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/get") { .text($0.queryValue("key") ?? "missing") }
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.baseURLs.pathFilters = [.query(["key": "value"])]
        }
        #expect(try await client.send(FixtureText("get")) == "value")
        server.stop()
    }

    @Test(arguments: [
        ("a", "https://api.test/a?app=1&b=2&z=9&own=3"),
        ("a?p=0", "https://api.test/a?p=0&app=1&b=2&z=9&own=3"),
        ("a?", "https://api.test/a?app=1&b=2&z=9&own=3"),
        ("a#end?", "https://api.test/a?app=1&b=2&z=9&own=3#end?"),
        ("a?p#end", "https://api.test/a?p&app=1&b=2&z=9&own=3#end"),
        ("", "https://api.test/?app=1&b=2&z=9&own=3"),
        // These are not resolved against the base: what is shared does not go there.
        ("https://other.test/a", "https://other.test/a?own=3"),
        ("HTTP://other.test/a", "http://other.test/a?own=3"),
        ("//other.test/a", "https://other.test/a?own=3"),
    ])
    func `filters are asked in order, before the call's own arguments`(path: String, url: String) throws {
        let filters: [PathFilter] = [.query(["b": 2, "app": 1]), .query([:]), .query(["z": 9])]
        #expect(try self.url(path, { $0.baseURLs.pathFilters = filters }) { $0.parameters = ["own": 3] } == url)
    }

    @Test(
        arguments: [
            ("https://mine.test/v1", false, "https://mine.test/v1/a"),
            ("https://mine.test/v1", true, "https://mine.test/v1/a?app=1"),
            ("https://api.test/v1", false, "https://api.test/v1/a?app=1"),
            (.named("images"), false, "https://images.test/i/a?app=1"),
        ] as [(BaseURL, Bool, String)])
    func `filters share nothing with a base that an endpoint brings along, unless it says so`(
        base: BaseURL, sendsSecretsElsewhere: Bool, url: String
    ) throws {
        func configure(_ configuration: inout Client.Configuration) {
            Self.configure(&configuration)
            configuration.baseURLs.pathFilters = [.query(["app": 1])]
        }
        let built = try self.url("a", configure) {
            $0.baseURL = base
            if sendsSecretsElsewhere { $0.options = $0.options.sendingSecretsToAllOrigins() }
        }
        #expect(built == url)
    }

    @Test func `a filter may change the path, knowing the call`() throws {
        let filters = [
            PathFilter { path, endpoint in "\(endpoint.method.rawValue.lowercased())/\(path)" },
            PathFilter { path, _ in "\(path)/end" },
        ]
        #expect(try self.url("a", { $0.baseURLs.pathFilters = filters }) == "https://api.test/get/a/end")
    }

    @Test func `what a filter throws, and a path it makes that is none, fail the call`() {
        let thrown = self.problem("a", { $0.baseURLs.pathFilters = [PathFilter { _, _ in throw FixtureError() }] })
        #expect(thrown?.code == .callbackFailed)
        #expect(thrown?.cause is FixtureError)
        #expect(self.problem("a", { $0.baseURLs.pathFilters = [PathFilter { _, _ in "a b" }] })?.code == .invalidURL)
        #expect(
            self.problem("a", { $0.baseURLs.pathFilters = [.query(["a": .double(.nan)])] })?.code == .encodingFailed)
    }

    @Test func `what filters add is a part of what a cache knows an answer by`() async throws {
        let world = FixtureWorld { $0.baseURLs.pathFilters = [.query(["lang": "de"])] }
        world.transport.route("*", .text("x"))
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        _ = try await world.client.send(endpoint)
        #expect(try await world.client.response(for: endpoint).source.isCache)
        world.client.updateDefaults { $0.baseURLs.pathFilters = [.query(["lang": "en"])] }
        #expect(try await world.client.response(for: endpoint).source == .network)
        #expect(world.transport.received.map(\.url.query) == ["lang=de", "lang=en"])
    }
}
