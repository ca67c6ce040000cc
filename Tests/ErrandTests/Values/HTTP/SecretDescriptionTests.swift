internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Secrets: nothing that is printed shows one", .timeLimit(.minutes(60)), .paced)
struct SecretDescriptionTests {
    /// What must not be seen, also as a number of bytes or in Base64.
    private static let secret = "hunter2"
    private static let encoded = Data("ann:hunter2".utf8).base64EncodedString()

    private static let fields: HTTPFields = [
        "Authorization": "Bearer hunter2", "Proxy-Authorization": "Basic \(Self.encoded)", "Cookie": "a=hunter2",
        "X-Api-Key": "hunter2", "Set-Cookie": "b=hunter2", "Referer": "https://ann:hunter2@b.test/?token=hunter2",
        "X-Shown": "shown",
    ]

    private static func request() throws -> HTTPRequest {
        HTTPRequest(
            method: .post, url: try HTTPURL("https://ann:hunter2@b.test/a?token=hunter2#hunter2"),
            headers: Self.fields, body: .bytes(Data("hunter2".utf8)))
    }

    private static var configuration: Client.Configuration {
        var configuration = Client.Configuration(baseURL: "https://ann:hunter2@api.test/v1?token=hunter2")
        configuration.transport = StubTransport()
        configuration.baseURLs.cdn = "https://ann:hunter2@cdn.test"
        configuration.baseURLs.named = ["images": "https://ann:hunter2@images.test"]
        configuration.headers = Self.fields
        configuration.headers["X-Tenant"] = "hunter2"
        configuration.credentials.secretHeaders = ["x-tenant"]
        configuration.credentials.origin = .basic(user: "ann", password: "hunter2")
        configuration.credentials.otherOrigins = ["https://b.test": .bearer("hunter2")]
        configuration.baseURLs.pathFilters = [.query(["api_key": "hunter2"])]
        configuration.interceptors = [FixtureKey(value: "hunter2")]
        return configuration
    }

    private static func table() async throws -> [(name: String, value: Any)] {
        let request = try Self.request()
        let head = HTTPResponse.Head(status: 200, headers: Self.fields)
        let jar = CookieJar()
        let cookie = try StoredCookie(name: "a", value: "hunter2", domain: "b.test", creationDate: Date())
        await jar.insert(cookie)
        let client = Client(Self.configuration)
        var network = TransportSettings()
        network.proxy = .url("http://ann:hunter2@proxy.test")
        let sent = client.request(FixtureSecret(value: "hunter2"))
        return [
            ("URLs", [request.url]), ("path", ["https://ann:hunter2@b.test/?token=hunter2"] as [EndpointPath]),
            ("field", HTTPField(name: "Authorization", value: "hunter2")),
            ("fields", request.headers), ("request", request), ("body", request.body), ("head", head),
            ("response", HTTPResponse(head: head, body: .bytes(Data("hunter2".utf8)))),
            ("configuration", Self.configuration), ("defaults", client.defaults), ("client", client),
            ("client's cache", client.cache), ("sent", sent), ("record", client.record),
            ("batch", client.batch(of: [FixtureSecret(value: "hunter2")])),
            ("basic", HTTPCredential.basic(user: "hunter2", password: "hunter2")),
            ("bearer", HTTPCredential.bearer("hunter2")),
            ("cookie", cookie), ("jar", jar), ("policy of cookies", CookiePolicy.store(jar)),
            ("network", network), ("base", BaseURL.url("https://ann:hunter2@b.test/")),
            ("parameters", ["password": "hunter2", "a": ["secret": "hunter2"]] as Parameters),
            ("filter", URLFilter(query: ["token": "hunter2"], headers: Self.fields)),
            ("form", MultipartForm(["password": "hunter2"])),
            (
                "redirection",
                RedirectPolicy.Redirection(source: request.url, target: request.url, status: 302, request: request)
            ),
        ]
    }

    private static func words(about value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        let wrapped = [value]
        var dumpedInside = ""
        dump((value, Optional(value)), to: &dumpedInside)
        return ["\(value)", String(describing: value), String(reflecting: value), "\(wrapped)", dumped, dumpedInside]
    }

    @Test func `neither print nor dump nor interpolation`() async throws {
        for (name, value) in try await Self.table() {
            for text in Self.words(about: value) {
                #expect(!text.contains(Self.secret) && !text.contains(Self.encoded), "\(name): \(text)")
            }
        }
    }

    @Test func `but what is no secret`() throws {
        let request = try Self.request()
        #expect(String(reflecting: request.url) == "https://b.test/a?token=***")
        // Whoever builds a text with a URL means all of it, but for who asks.
        #expect("\(request.url)" == "https://b.test/a?token=hunter2#hunter2")
        #expect("\(request.headers)".contains("X-Shown: shown"))
        #expect("\(request.headers)".contains("Authorization: Bearer ***"))
        let text = "\(request)"
        #expect(text.contains("POST") && text.contains("https://b.test/a?token=***") && text.contains("7 bytes"))
        let response = "\(HTTPResponse(status: .notFound, headers: ["X-Shown": "shown"]))"
        #expect(response.contains("404") && response.contains("X-Shown: shown") && response.contains("0 bytes"))
        #expect("\(Self.configuration)".contains("https://api.test/v1?token=***"))
        #expect("\(Self.configuration)".contains("X-Tenant: ***"))
    }

    @Test func `what a hook is told shows none, whatever the client takes for secret`() async throws {
        let log = FixtureLog()
        let world = FixtureWorld {
            $0.headers = Self.fields
            $0.headers["X-Tenant"] = "hunter2"
            $0.credentials.secretHeaders = ["X-Tenant"]
            $0.accessories = [FixturePrinter(log: log)]
        }
        world.transport.route("*", .text("hunter2"))
        _ = try await world.client.send(FixtureSecret(value: "hunter2"))
        #expect(log.lines.count == 1)
        #expect(log.lines.allSatisfy { !$0.contains("hunter2") && $0.contains("X-Tenant: ***") }, "\(log.lines)")
    }
}

/// An interceptor that holds a secret.
private struct FixtureKey: Interceptor {
    let value: String

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        try await next(request)
    }
}

/// A call that holds a secret.
private struct FixtureSecret: Endpoint {
    typealias Response = String
    let value: String
    var path: EndpointPath { "a" }
    var headers: HTTPFields { ["X-Own-Token": self.value] }
}

/// Writes down what activities look like.
private struct FixturePrinter: Accessory {
    let log: FixtureLog

    func willStart(_ activity: RequestActivity) {
        var text = "\(activity)"
        dump(activity, to: &text)
        self.log.add(text)
    }
}
