internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

/// A client of a cache that several share, which differs from all others in one thing.
struct CacheAsker: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether its answers are stored without a scope: the key knows who it is.
    var isKnown = true
    var settings = TransportSettings()
    var configure: @Sendable (inout Client.Configuration) -> Void = { _ in }

    var testDescription: String { self.name }

    /// Makes the client anew; the one of a turn answers for itself, with its name and the turn.
    func client(_ cache: any ResponseCache, turn: Int) -> Client {
        var configuration = Client.Configuration(baseURL: "https://api.test/")
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        (configuration.cache, configuration.environment.date) = (cache, { date })
        self.configure(&configuration)
        let stub = StubTransport()
        let asks = configuration.credentials.authenticator != nil
        stub.route(where: { _ in true }) { [name] request, _ in
            asks && request.headers["Authorization"] == nil
                ? .data(Data(), status: 401, headers: ["WWW-Authenticate": "Bearer"]) : .text("\(name) \(turn)")
        }
        configuration.transport = ReachingTransport(stub: stub, settings: self.settings)
        return Client(configuration)
    }

    /// A stub that says that it reaches servers by some settings.
    struct ReachingTransport: Transport {
        let stub: StubTransport
        let settings: TransportSettings

        var cachePartition: String { self.settings.cachePartition }

        func exchange(
            _ request: HTTPRequest, _ context: ExchangeContext
        ) async throws(ErrandError) -> HTTPResponse {
            try await self.stub.exchange(request, context)
        }
    }
}

// MARK: - All of them

extension CacheAsker {
    static let all =
        [CacheAsker(name: "nobody")] + ["ann", "bob"].flatMap { Self.persons($0) } + Self.ways + [
            CacheAsker(name: "another interceptor") { $0.interceptors = [Onward()] },
            CacheAsker(name: "insecure redirections") {
                $0.options = $0.options.redirects(.follow(allowsInsecure: true))
            },
            CacheAsker(name: "no redirections") { $0.options = $0.options.redirects(.never) },
        ]

    /// An interceptor that changes nothing.
    private struct Onward: Interceptor {
        func intercept(
            _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
        ) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    /// One that changes the URL, and says how.
    private struct Telling: Interceptor {
        let who: String

        var cachePartition: String { "user \(self.who)" }

        func intercept(
            _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
        ) async throws -> HTTPResponse {
            var request = request
            request.url = try HTTPURL("\(request.url.string)?user=\(self.who)")
            return try await next(request)
        }
    }

    private static func adding(_ name: String, _ value: String) -> FixtureInterceptor {
        FixtureInterceptor { request, _, next in
            var request = request
            request.headers[name] = value
            return try await next(request)
        }
    }

    private static func persons(_ who: String) -> [CacheAsker] {
        [
            CacheAsker(name: "\(who) by a default header") { $0.headers = ["Authorization": "Bearer default-\(who)"] },
            CacheAsker(name: "\(who) by a credential") { $0.credentials.origin = .bearer("credential-\(who)") },
            CacheAsker(name: "\(who) by a cookie") { $0.cookies = .store(Cookies(who: who)) },
            CacheAsker(name: "\(who) by a secret header") {
                ($0.headers, $0.credentials.secretHeaders) = (["X-Who": who], ["X-Who"])
            },
            CacheAsker(name: "\(who) by an interceptor", isKnown: false) {
                $0.interceptors = [Self.adding("Authorization", "Bearer interceptor-\(who)")]
            },
            CacheAsker(name: "\(who) by a cookie of an interceptor", isKnown: false) {
                $0.interceptors = [Self.adding("Cookie", "who=\(who)")]
            },
            CacheAsker(name: "\(who) by a secret header of an interceptor", isKnown: false) {
                ($0.interceptors, $0.credentials.secretHeaders) = ([Self.adding("X-Who", who)], ["X-Who"])
            },
            CacheAsker(name: "\(who) by the key of an app", isKnown: false) {
                $0.interceptors = [Self.adding("X-Api-Key", who)]
            },
            CacheAsker(name: "\(who) by a key in the URL", isKnown: false) {
                $0.interceptors = [
                    FixtureInterceptor { request, _, next in
                        var request = request
                        request.url = try HTTPURL("\(request.url.string)?api_key=\(who)")
                        return try await next(request)
                    }
                ]
            },
            CacheAsker(name: "\(who) by an argument", isKnown: false) {
                $0.interceptors = [
                    FixtureInterceptor { request, _, next in
                        var request = request
                        request.url = try HTTPURL("\(request.url.string)?user=\(who)")
                        return try await next(request)
                    }
                ]
            },
            CacheAsker(name: "\(who) by an argument that is told") { $0.interceptors = [Telling(who: who)] },
            CacheAsker(name: "\(who) by the answer to a challenge", isKnown: false) {
                $0.credentials.authenticator = Answering(who: who)
            },
            CacheAsker(name: "\(who) by the language") { $0.interceptors = [URLFilter(query: ["lang": .string(who)])] },
            CacheAsker(name: "\(who) by a certificate", settings: Self.settings { $0.tls = Self.certificate(who) }),
            CacheAsker(name: "\(who) by a proxy", settings: Self.settings { $0.proxy = .url("http://\(who).test:1") }),
        ]
    }

    private struct Answering: Authenticator {
        let who: String

        func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
            .bearer("asked-\(self.who)")
        }
    }

    private struct Cookies: CookieStore {
        let who: String

        func cookies(for url: HTTPURL) async -> [StoredCookie] {
            [try? StoredCookie(name: "who", value: "jar-\(self.who)", domain: url.host, creationDate: Date())]
                .compactMap(\.self)
        }

        func store(_ cookies: [StoredCookie], from url: HTTPURL) async {}

        func removeAll() async {}
    }

    // MARK: - Ways to the server

    static func settings(_ change: (inout TransportSettings) -> Void) -> TransportSettings {
        var settings = TransportSettings()
        change(&settings)
        return settings
    }

    private static func certificate(_ who: String) -> TLSPolicy {
        TLSPolicy(
            standard: TLSPolicy.Rules(
                clientCertificate: TLSPolicy.ClientCertificate(chain: .text(who), privateKey: .text("key"))))
    }

    private static func trusting(_ rules: TLSPolicy.Rules, host: String? = nil) -> TransportSettings {
        Self.settings { $0.tls = host.map { TLSPolicy(hosts: [$0: rules]) } ?? TLSPolicy(standard: rules) }
    }

    private static let ways = [
        CacheAsker(name: "no verification", settings: Self.trusting(.init(trust: .unverifiedDangerously))),
        CacheAsker(
            name: "no verification of one host",
            settings: Self.trusting(.init(trust: .unverifiedDangerously), host: "api.test")),
        CacheAsker(name: "a pin", settings: Self.trusting(.init(pins: ["sha256/a"]))),
        CacheAsker(name: "another pin", settings: Self.trusting(.init(pins: ["sha256/b"]))),
        CacheAsker(name: "own authorities", settings: Self.trusting(.init(trust: .authorities([.text("a")])))),
        CacheAsker(name: "TLS 1.3", settings: Self.trusting(.init(minimumVersion: .tls1_3))),
        CacheAsker(name: "no proxy", settings: Self.settings { $0.proxy = .none }),
        CacheAsker(name: "a socket", settings: Self.settings { $0.unixSocket = "/run/a" }),
        CacheAsker(name: "another socket", settings: Self.settings { $0.unixSocket = "/run/b" }),
        CacheAsker(name: "an interface", settings: Self.settings { $0.interface = "tun0" }),
        CacheAsker(name: "IPv6", settings: Self.settings { $0.addressFamily = .ipv6 }),
    ]
}
