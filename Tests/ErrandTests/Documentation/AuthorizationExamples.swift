internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Authorization".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct AuthorizationExamples {
        struct GetTerms: Endpoint {
            var path: EndpointPath { "terms" }
            var options: RequestOptions { .credentials(.none) }
        }

        @Test func `an endpoint without credentials`() async throws {
            let transport = Documented.makeTransport()
            transport.route("/v1/terms", .text("terms"))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.credentials.origin = .bearer("token")
            }
            _ = try await client.send(GetTerms())
            #expect(transport.received.map { $0.headers["Authorization"] } == [nil])
        }

        @Test func `tokens that are renewed`() async throws {
            let transport = StubTransport()
            transport.route(where: { $0.url.host == "api.example.com" }) { request, _ in
                request.headers["Authorization"] == "Bearer new"
                    ? .json(#"{"nick":"Ann","level":3,"avatar":"ann"}"#) : .status(401)
            }
            transport.route(
                "/token", .json(#"{"access_token":"new","token_type":"Bearer","expires_in":3600}"#))
            let store = TokenAuthenticator.MemoryStore()
            let login = Client(baseURL: "https://login.example.com/") { $0.transport = transport }
            let grant = OAuthGrant.refreshToken(at: "https://login.example.com/token", clientID: "app")
            let tokens = TokenAuthenticator(store: store, renewingAhead: .seconds(60)) { token in
                try await grant.token(renewing: token, with: login)
            }
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.credentials.authenticator = tokens
            }
            try await tokens.logIn(with: OAuthToken(accessToken: "a", refreshToken: "r", user: "ann"))
            let report = try await client.send(GetUser(userID: "1"))
            try await tokens.logOut()
            _ = report
            #expect(store.load() == nil)
            #expect(transport.received.map(\.url.path) == ["/v1/users", "/token", "/v1/users"])
        }

        @Test func `Digest`() async throws {
            let transport = StubTransport()
            transport.route(where: { _ in true }) { request, _ in
                request.headers["Authorization"]?.hasPrefix("Digest username=\"ann\"") == true
                    ? .json(#"{"nick":"Ann","level":3,"avatar":"ann"}"#)
                    : .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
            }
            let client = Client(baseURL: "https://camera.example.com/") {
                $0.transport = transport
                $0.credentials.authenticator = DigestAuthenticator(user: "ann", password: "secret")
            }
            for id in ["1", "2"] { _ = try await client.send(GetUser(userID: id)) }
            #expect(transport.receivedCount == 3)
        }
    }
}
