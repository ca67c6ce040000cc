internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens decoded from responses (RFC 6749 §5)", .timeLimit(.minutes(60)), .paced)
struct OAuthTokenDecodingTests {
    private struct SignIn: Endpoint {
        typealias Response = OAuthToken

        var path: EndpointPath { "sign-in" }
        var method: HTTPMethod { .post }
    }

    private func token(_ json: String, snakeCase: Bool = false) throws -> OAuthToken {
        let decoder = JSONDecoder()
        if snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        return try decoder.decode(OAuthToken.self, from: Data(json.utf8))
    }

    @Test(arguments: [false, true])
    func `a token is decoded whatever the names become`(snakeCase: Bool) throws {
        let json = """
            {"access_token":"a","token_type":"bearer","expires_in":"3600","refresh_token":"r","scope":"s","user":{"id":1}}
            """
        let (start, token) = (Date(), try self.token(json, snakeCase: snakeCase))
        #expect(token.accessToken == "a")
        #expect(token.refreshToken == "r")
        #expect(token.scope == "s")
        #expect(token.user == nil)
        let end = try #require(token.expiresAt)
        #expect(start + 3_600...Date() + 3_600 ~= end)
    }

    @Test func `only the access token is needed`() throws {
        #expect(try self.token(#"{"access_token":"a"}"#) == OAuthToken(accessToken: "a"))
        #expect(try self.token(#"{"access_token":"a","expires_in":true}"#).expiresAt == nil)
    }

    @Test func `the encoded form stays readable`() throws {
        let date = Date(timeIntervalSince1970: 1_000)
        for token in [
            OAuthToken(accessToken: "a"),
            OAuthToken(accessToken: "a", refreshToken: "r", expiresAt: date, scope: "s", user: "u"),
        ] {
            #expect(try JSONDecoder().decode(OAuthToken.self, from: JSONEncoder().encode(token)) == token)
        }
        let stored = #"{"accessToken":"a","user":"u","expiresAt":-978306200}"#
        #expect(try self.token(stored) == OAuthToken(accessToken: "a", expiresAt: date, user: "u"))
    }

    @Test(arguments: ["{}", #"{"access_token":null}"#, #"{"access_token":1}"#, #"{"error":1}"#])
    func `what has no token is not decoded`(json: String) {
        #expect(throws: DecodingError.self) { try self.token(json) }
    }

    @Test func `a token of another type is not decoded`() {
        let error = #expect(throws: ErrandError.self) { try self.token(#"{"access_token":"a","token_type":"mac"}"#) }
        #expect(error?.code == .unsupported)
    }

    @Test func `an error response is thrown as such`() {
        #expect(throws: OAuthGrant.Failure(code: "invalid_grant", explanation: "no")) {
            try self.token(#"{"error":"invalid_grant","error_description":"no"}"#)
        }
    }

    @Test func `an endpoint of the app returns a token, and says why there is none`() async throws {
        let transport = StubTransport()
        transport.route(
            "*", .json(#"{"access_token":"a"}"#), .json(#"{"error":"invalid_grant"}"#),
            .json(#"{"error":"invalid_client","error_description":"who?"}"#, status: 401))
        let client = Client(baseURL: "https://login.test/") { $0.transport = transport }
        #expect(try await client.send(SignIn()) == OAuthToken(accessToken: "a"))
        let wrong = await #expect(throws: ErrandError.self) { _ = try await client.send(SignIn()) }
        #expect(wrong?.code == .decodingFailed)
        #expect(wrong?.cause as? OAuthGrant.Failure == OAuthGrant.Failure(code: "invalid_grant"))
        let refused = await #expect(throws: ErrandError.self) { _ = try await client.send(SignIn()) }
        #expect(refused?.code == .unacceptableStatus)
        #expect(
            try refused?.decode(OAuthGrant.Failure.self)
                == OAuthGrant.Failure(code: "invalid_client", explanation: "who?"))
    }
}
