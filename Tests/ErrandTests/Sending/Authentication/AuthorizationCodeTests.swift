internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Sign-in with an authorization code and PKCE (RFC 6749 §4.1, RFC 7636)", .timeLimit(.minutes(60)), .paced)
struct AuthorizationCodeTests {
    /// The verifier of RFC 7636 appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private let tokenURL = "https://login.test/token"
    private let transport = StubTransport()

    private var client: Client { Client(baseURL: "https://login.test/") { $0.transport = self.transport } }

    private func request(
        at url: String = "https://login.test/authorize", issuer: String? = nil, parameters: Parameters = [:]
    ) throws -> OAuthGrant.AuthorizationRequest {
        try OAuthGrant.AuthorizationRequest(
            at: url, clientID: "app", redirectURL: "com.example.app:/in", scope: "mail profile", issuer: issuer,
            parameters: parameters, state: "xyz", verifier: Self.verifier)
    }

    private func grant(_ redirect: String, _ request: OAuthGrant.AuthorizationRequest) throws -> OAuthGrant {
        try .authorizationCode(in: try #require(URL(string: redirect)), for: request, at: self.tokenURL)
    }

    private func error(_ redirect: String, issuer: String? = nil) throws -> ErrandError? {
        let request = try self.request(issuer: issuer)
        return #expect(throws: ErrandError.self) { _ = try self.grant(redirect, request) }
    }

    // MARK: - The request

    @Test func `the challenge is that of RFC 7636 appendix B`() {
        #expect(OAuthGrant.AuthorizationRequest.challenge(of: Self.verifier) == Self.challenge)
    }

    @Test(arguments: [("?state=a", [:]), ("", ["code_challenge_method": "plain"])] as [(String, Parameters)])
    func `a parameter of the protocol cannot be given twice`(query: String, parameters: Parameters) {
        let error = #expect(throws: ErrandError.self) {
            try self.request(at: "https://login.test/authorize\(query)", parameters: parameters)
        }
        #expect(error?.code == .invalidURL && error?.message.contains("twice") == true)
    }

    @Test func `the URL has the parameters of the request`() throws {
        let expected = """
            https://login.test/authorize?client_id=app&code_challenge=\(Self.challenge)&code_challenge_method=S256\
            &redirect_uri=com.example.app%3A/in&response_type=code&scope=mail%20profile&state=xyz
            """
        #expect(try self.request().url.absoluteString == expected)
        let long = try self.request(at: "https://login.test/authorize?tenant=1#top", parameters: ["z": "1"])
        #expect(long.url.absoluteString == expected.replacing("authorize?", with: "authorize?tenant=1&") + "&z=1")
    }

    @Test func `each request has a state and a verifier of its own`() throws {
        let requests = try (0..<20).map { _ in
            try OAuthGrant.AuthorizationRequest(at: "https://login.test/", clientID: "app", redirectURL: "a:/b")
        }
        for name in ["state", "code_challenge"] {
            let values = requests.map { request in
                URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems?
                    .first { $0.name == name }?.value ?? ""
            }
            #expect(Set(values).count == requests.count)
            // 256 bits in base64url.
            #expect(values.allSatisfy { $0.wholeMatch(of: #/[A-Za-z0-9_-]{43}/#) != nil })
        }
    }

    @Test func `an endpoint that is no URL is refused`() {
        let error = #expect(throws: ErrandError.self) { _ = try self.request(at: "login") }
        #expect(error?.code == .invalidURL)
    }

    // MARK: - The redirect

    @Test(arguments: [
        "com.example.app:/in?code=a%2Bb&state=xyz", "com.example.app:/in?state=xyz&code=a%2Bb#_=_",
        "com.example.app:in?state=xyz&code=a%2Bb&iss=https://other.test", "http://127.0.0.1:80/?code=a%2Bb&state=xyz",
    ])
    func `a code is exchanged for a token with the verifier`(redirect: String) async throws {
        self.transport.route("*", .json(#"{"access_token":"new","token_type":"Bearer","refresh_token":"r"}"#))
        let token = try await self.grant(redirect, try self.request()).token(with: self.client)
        #expect(token == OAuthToken(accessToken: "new", refreshToken: "r"))
        let sent = try #require(self.transport.received.first)
        #expect(sent.method == .post)
        #expect(sent.url.string == self.tokenURL)
        #expect(sent.headers["Authorization"] == nil)
        guard case .bytes(let body) = sent.body else { return #expect(Bool(false), "no body") }
        #expect(
            String(decoding: body, as: UTF8.self)
                == """
                client_id=app&code=a%2Bb&code_verifier=\(Self.verifier)&grant_type=authorization_code\
                &redirect_uri=com.example.app%3A/in
                """)
    }

    @Test(arguments: [
        "com.example.app:/in?code=a&state=other", "com.example.app:/in?code=a", "com.example.app:/in",
        "com.example.app:/in?code=a&state=xyz&state=xyz", "com.example.app:/in?code=a&state=",
        "com.example.app:/in#code=a&state=xyz", "com.example.app:/in?error=access_denied&state=other",
        "com.example.app:/in?state=xyz", "com.example.app:/in?state=xyz&code=",
        "com.example.app:/in?state=xyz&code=a&code=b",
    ])
    func `a redirect with another state, or without a code, is refused and not shown`(redirect: String) throws {
        let error = try self.error(redirect)
        #expect(error?.code == .invalidRedirect)
        #expect(error?.message.contains("xyz") == false)
        #expect(error?.message.contains("start a new authorization request") == true)
    }

    @Test func `an error in the redirect is the cause`() throws {
        let error = try self.error(
            "com.example.app:/in?error=access_denied&error_description=Ann+said%20no&error_uri=https://a.test/&state=xyz"
        )
        #expect(error?.code == .loginRequired)
        #expect(error?.message.contains("access_denied: Ann said no") == true)
        #expect(
            error?.cause as? OAuthGrant.Failure
                == OAuthGrant.Failure(code: "access_denied", explanation: "Ann said no", page: "https://a.test/"))
    }

    @Test(arguments: [("https%3A%2F%2Flogin.test", true), ("https://evil.test", false), ("", false)])
    func `the issuer is checked if it is known (RFC 9207)`(issuer: String, isRight: Bool) throws {
        let redirect = "com.example.app:/in?code=a&state=xyz&iss=\(issuer)"
        let request = try self.request(issuer: "https://login.test")
        if isRight {
            _ = try self.grant(redirect, request)
        } else {
            #expect(try self.error(redirect, issuer: "https://login.test")?.code == .invalidRedirect)
            #expect(
                try self.error("com.example.app:/in?code=a&state=xyz", issuer: "https://login.test")?.code
                    == .invalidRedirect)
        }
    }

    @Test func `a code that was used says to sign in again`() async throws {
        self.transport.route("*", .json(#"{"error":"invalid_grant"}"#, status: 400))
        let grant = try self.grant("com.example.app:/in?code=a&state=xyz", try self.request())
        let error = await #expect(throws: ErrandError.self) { _ = try await grant.token(with: self.client) }
        #expect(error?.code == .loginRequired)
    }

    @Test func `descriptions show neither state, verifier nor code`() throws {
        let request = try self.request()
        let grant = try self.grant("com.example.app:/in?code=splxlOBeZQQYbYS6&state=xyz", request)
        var text = "\(request) \(String(reflecting: request)) \(grant) \(String(reflecting: grant))"
        dump(request, to: &text)
        dump(grant, to: &text)
        for secret in ["xyz", Self.verifier, "splxlOBeZQQYbYS6"] { #expect(!text.contains(secret)) }
    }
}
