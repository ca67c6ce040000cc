internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens over real connections", .timeLimit(.minutes(60)), .paced)
struct TokenLoopbackTests {
    @Test func `that 50 requests were refused are renewed once`() async throws {
        let valid = Locked(0)
        let server = try LoopbackServer(routes: [
            LoopbackRoute("POST", "/token") { request in
                guard String(decoding: request.body, as: UTF8.self).contains("refresh_token=r0") else {
                    return .json(#"{"error":"invalid_grant"}"#, status: 400)
                }
                let number = valid.withLock { valid in
                    valid += 1
                    return valid
                }
                return .json(
                    #"{"access_token":"t\#(number)","token_type":"Bearer","expires_in":3600,"refresh_token":"r\#(number)"}"#
                )
            },
            LoopbackRoute("GET", "/api/*") { request in
                request.header("Authorization") == "Bearer t1" ? .text("in") : .status(401)
            },
        ])
        let login = Client(baseURL: server.baseURL)
        let grant = OAuthGrant.refreshToken(at: server.baseURL + "token", clientID: "app")
        let store = TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "t0", refreshToken: "r0"))
        let client = Client(baseURL: server.baseURL + "api/") {
            $0.credentials.authenticator = TokenAuthenticator(store: store) {
                try await grant.token(renewing: $0, with: login)
            }
            $0.limits.concurrency = RequestScheduler.Limits(total: 64, perHost: 64)
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 { group.addTask { try await client.send(FixtureText("\(number)")) } }
            for try await text in group { #expect(text == "in") }
        }
        #expect(server.received.filter { $0.path == "/token" }.count == 1)
        #expect(store.load()?.refreshToken == "r1")
        await client.shutdown()
        await login.shutdown()
        server.stop()
    }
}
