internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens of an authorization server (RFC 6749)", .timeLimit(.minutes(60)), .paced)
struct OAuthGrantTests {
    private let url = "https://login.test/token"
    private let transport = StubTransport()
    private let date = Date(timeIntervalSince1970: 1_000_000)
    private let old = OAuthToken(accessToken: "old", refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA", user: "ann")

    private var client: Client {
        Client(baseURL: "https://login.test/") {
            $0.transport = self.transport
            $0.credentials.origin = .bearer("client")
            $0.environment.date = { self.date }
        }
    }

    private func form(_ index: Int = 0) throws -> [String] {
        let request = try #require(self.transport.received.dropFirst(index).first)
        #expect(request.method == .post)
        #expect(request.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
        #expect(request.headers["Accept"] == "application/json")
        guard case .bytes(let body) = request.body else { return [] }
        return String(decoding: body, as: UTF8.self).split(separator: "&").map(String.init).sorted()
    }

    private func error(_ grant: OAuthGrant) async -> ErrandError? {
        await #expect(throws: ErrandError.self) { _ = try await grant.token(renewing: self.old, with: self.client) }
    }

    // MARK: - What is sent

    @Test func `are renewed with their refresh token`() async throws {
        self.transport.route(
            "*", .json(#"{"access_token":"new","token_type":"bearer","expires_in":3600,"scope":"a b"}"#))
        let grant = OAuthGrant.refreshToken(
            at: self.url, clientID: "s6Bh dRkqt3:+", clientSecret: "7Fjf/p0~ü", scope: "a b",
            parameters: ["audience": "x"])
        let token = try await grant.token(renewing: self.old, with: self.client)
        #expect(
            token
                == OAuthToken(
                    accessToken: "new", refreshToken: "tGzv3JOkF0XG5Qx2TlKWIA", expiresAt: self.date + 3_600,
                    scope: "a b", user: "ann"))
        #expect(
            try self.form() == [
                "audience=x", "grant_type=refresh_token", "refresh_token=tGzv3JOkF0XG5Qx2TlKWIA", "scope=a+b",
            ])
        let basic = Data("s6Bh+dRkqt3%3A%2B:7Fjf%2Fp0%7E%C3%BC".utf8).base64EncodedString()
        #expect(self.transport.received.first?.headers["Authorization"] == "Basic \(basic)")
    }

    @Test func `of a public client are asked for with its id in the body`() async throws {
        self.transport.route(
            "*", .json(#"{"access_token":"new","token_type":"Bearer","refresh_token":"rotated","expires_in":"60"}"#))
        let grant = OAuthGrant.refreshToken(at: self.url, clientID: "app")
        let token = try await grant.token(renewing: self.old, with: self.client)
        #expect(token?.refreshToken == "rotated")
        #expect(token?.expiresAt == self.date + 60)
        #expect(try self.form().contains("client_id=app"))
        #expect(self.transport.received.first?.headers["Authorization"] == nil)
    }

    @Test func `of the client itself need no user`() async throws {
        self.transport.route("*", .json(#"{"access_token":"new","token_type":"Bearer"}"#))
        let basic = OAuthGrant.clientCredentials(at: self.url, clientID: "a", clientSecret: "b")
        let body = OAuthGrant.clientCredentials(at: self.url, clientID: "a", clientSecret: "b", authentication: .body)
        for grant in [basic, body] {
            #expect(
                try await grant.token(renewing: nil, with: self.client) == OAuthToken(accessToken: "new"))
        }
        #expect(try self.form() == ["grant_type=client_credentials"])
        #expect(try self.form(1) == ["client_id=a", "client_secret=b", "grant_type=client_credentials"])
        #expect(self.transport.received.map { $0.headers["Authorization"] } == ["Basic YTpi", nil])
    }

    @Test func `of a user are asked for with a user name and a password`() async throws {
        self.transport.route("*", .json(#"{"access_token":"new","token_type":"Bearer","refresh_token":"r"}"#))
        let grant = OAuthGrant.password(
            at: self.url, user: "ann@a.test", password: "a b&c", clientID: "app", scope: "mail")
        #expect(try await grant.token(with: self.client) == OAuthToken(accessToken: "new", refreshToken: "r"))
        #expect(
            try self.form() == [
                "client_id=app", "grant_type=password", "password=a+b%26c", "scope=mail", "username=ann%40a.test",
            ])
        #expect(self.transport.received.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func `are refused for a wrong password with a code that says to log in`() async throws {
        self.transport.route("*", .json(#"{"error":"invalid_grant"}"#, status: 400))
        let error = await self.error(.password(at: self.url, user: "ann", password: "wrong", clientID: "app"))
        #expect(error?.code == .loginRequired)
    }

    @Test func `without a user, or a refresh token, are not asked for`() async throws {
        let grant = OAuthGrant.refreshToken(at: self.url, clientID: "app")
        #expect(try await grant.token(renewing: nil, with: self.client) == nil)
        let error = await #expect(throws: ErrandError.self) {
            _ = try await grant.token(renewing: OAuthToken(accessToken: "a"), with: self.client)
        }
        #expect(error?.code == .loginRequired)
        let first = await #expect(throws: ErrandError.self) { _ = try await grant.token(with: self.client) }
        #expect(first?.code == .loginRequired)
        #expect(self.transport.receivedCount == 0)
    }

    // MARK: - What comes back

    @Test func `that are over say that the user has to log in`() async throws {
        self.transport.route(
            "*", .json(#"{"error":"invalid_grant","error_description":"revoked"}"#, status: 400))
        let error = await self.error(.refreshToken(at: self.url, clientID: "app"))
        #expect(error?.code == .loginRequired)
        #expect(error?.message.contains("revoked") == true)
        #expect(
            error?.cause as? OAuthGrant.Failure == OAuthGrant.Failure(code: "invalid_grant", explanation: "revoked"))
    }

    /// Foundation's decoder ends the process there.
    @Test(arguments: [HTTPStatus.ok, .badRequest])
    func `of a server that says nothing but brackets are an error`(status: HTTPStatus) async throws {
        self.transport.route("*", .json(String(repeating: "[", count: 513), status: status))
        let error = await self.error(.refreshToken(at: self.url, clientID: "app"))
        #expect(error?.code == (status == .ok ? .decodingFailed : .unacceptableStatus))
    }

    @Test func `that are refused with the status of success are refused all the same`() async throws {
        self.transport.route("*", .json(#"{"error":"invalid_grant","error_description":"revoked"}"#))
        let error = await self.error(.refreshToken(at: self.url, clientID: "app"))
        #expect(error?.code == .loginRequired)
        #expect(
            error?.cause as? OAuthGrant.Failure == OAuthGrant.Failure(code: "invalid_grant", explanation: "revoked"))
        self.transport.removeRoutes()
        self.transport.route("*", .json(#"{"error":"slow_down","access_token":"a","token_type":"Bearer"}"#))
        let other = await self.error(.refreshToken(at: self.url, clientID: "app"))
        #expect(other?.code == .unacceptableStatus)
        #expect((other?.cause as? OAuthGrant.Failure)?.code == "slow_down")
    }

    @Test(arguments: [
        (#""refresh_token":"""#, "tGzv3JOkF0XG5Qx2TlKWIA"), (#""refresh_token":null"#, "tGzv3JOkF0XG5Qx2TlKWIA"),
        (#""error":"","refresh_token":"r""#, "r"), (#""error":null,"refresh_token":" ""#, " "),
    ])
    func `keep the refresh token before in place of an empty one`(fields: String, kept: String) async throws {
        self.transport.route("*", .json(#"{"access_token":"new","token_type":"Bearer",\#(fields)}"#))
        let grant = OAuthGrant.refreshToken(at: self.url, clientID: "app")
        #expect(try await grant.token(renewing: self.old, with: self.client)?.refreshToken == kept)
    }

    @Test(arguments: [
        ("3600", 3_600), ("59.5", 59.5), ("\"60\"", 60), ("\"1e2\"", 100), ("0", 0), ("-1", 0), ("\"-1\"", 0),
        ("1e300", 1e10), ("9223372036854775808", 1e10), ("null", nil), ("\"\"", nil), ("\"soon\"", nil),
        ("\"nan\"", nil), ("\"inf\"", nil), ("1e999", nil), ("true", nil), ("[60]", nil), ("{}", nil),
    ])
    func `live as long as can be made of what the server says`(text: String, seconds: Double?) async throws {
        self.transport.route("*", .json(#"{"access_token":"new","token_type":"Bearer","expires_in":\#(text)}"#))
        let grant = OAuthGrant.refreshToken(at: self.url, clientID: "app")
        let token = try #require(try await grant.token(renewing: self.old, with: self.client))
        #expect(token.expiresAt == seconds.map { self.date + $0 })
    }

    @Test(arguments: [
        ("refresh", #"{"error":"invalid_client","error_uri":"https://login.test/e"}"#, 401, "invalid_client"),
        ("client", #"{"error":"invalid_grant"}"#, 400, "invalid_grant"),
    ])
    func `that are refused for another reason say which`(
        kind: String, body: String, status: Int, code: String
    ) async throws {
        self.transport.route("*", .json(body, status: HTTPStatus(rawValue: status)))
        let grant: OAuthGrant =
            kind == "refresh"
            ? .refreshToken(at: self.url, clientID: "app")
            : .clientCredentials(at: self.url, clientID: "a", clientSecret: "b")
        let error = await self.error(grant)
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.status?.rawValue == status)
        #expect((error?.cause as? OAuthGrant.Failure)?.code == code)
    }

    @Test(arguments: [
        ("no JSON", 200, "decodingFailed"), (#"{"token_type":"Bearer"}"#, 200, "decodingFailed"),
        (#"{"access_token":"secret","token_type":"mac"}"#, 200, "unsupported"),
        (#"{"access_token":"","token_type":"Bearer"}"#, 200, "invalidResponse"),
        (#"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#, 200, "invalidResponse"),
        (#"{"access_token":"a\u0000","token_type":"Bearer"}"#, 200, "invalidResponse"),
        (#"{"access_token":"a b","token_type":"Bearer"}"#, 200, "invalidResponse"),
        (#"{"access_token":"ü","token_type":"Bearer"}"#, 200, "invalidResponse"),
        (#"{"access_token":null,"token_type":"Bearer"}"#, 200, "decodingFailed"),
        (#"{"access_token":"a","token_type":null}"#, 200, "decodingFailed"), ("[]", 200, "decodingFailed"),
        ("", 200, "decodingFailed"), (#"{"error":7}"#, 200, "decodingFailed"),
        ("<html>", 503, "unacceptableStatus"), ("{}", 400, "unacceptableStatus"), ("", 307, "unacceptableStatus"),
    ])
    func `that cannot be understood are none, and are not shown`(body: String, status: Int, code: String) async throws {
        self.transport.route(
            "*",
            .data(Data(body.utf8), status: HTTPStatus(rawValue: status), headers: ["Location": "https://evil.test/"]))
        let error = await self.error(.refreshToken(at: self.url, clientID: "app"))
        #expect(error?.code.description == code)
        #expect(error?.context.body == nil)
        #expect(self.transport.receivedCount == 1)
    }

    @Test func `come from grants that are never printed`() {
        let grant = OAuthGrant.clientCredentials(
            at: "https://a:secret@login.test/?token=secret", clientID: "a", clientSecret: "secret",
            parameters: ["password": "secret"])
        let password = OAuthGrant.password(at: self.url, user: "ann", password: "secret", clientID: "a")
        for grant in [grant, password] {
            var text = "\(grant) \(String(reflecting: grant))"
            dump(grant, to: &text)
            #expect(!text.contains("secret"))
        }
    }

    @Test func `are renewed by an authenticator until the server has had enough`() async throws {
        let store = TokenAuthenticator.MemoryStore(self.old)
        let grant = OAuthGrant.refreshToken(at: self.url, clientID: "app")
        let login = self.client
        let tokens = TokenAuthenticator(store: store) { try await grant.token(renewing: $0, with: login) }
        let api = Client(baseURL: "https://api.test/") {
            $0.transport = self.transport
            $0.credentials.authenticator = tokens
        }
        self.transport.route(
            "token",
            .json(#"{"access_token":"new","token_type":"Bearer","refresh_token":"rotated"}"#),
            .json(#"{"error":"invalid_grant"}"#, status: 400))
        self.transport.route("a", .status(401), .text("in"), .status(401))
        #expect(try await api.send(FixtureText()) == "in")
        #expect(store.load()?.refreshToken == "rotated")
        #expect(store.load()?.user == "ann")
        let error = await #expect(throws: ErrandError.self) { _ = try await api.send(FixtureText()) }
        #expect(error?.code == .loginRequired)
        #expect(store.load() == nil)
    }
}
