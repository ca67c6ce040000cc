internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Tokens: when they are renewed, and which one stays (G3, G15)", .timeLimit(.minutes(60)), .paced)
struct TokenTimingTests {
    @Test func `a token that lives for a moment is renewed at half of its life, and not for each request`()
        async throws
    {
        let scene = TokenScene(nil)
        scene.renew { OAuthToken(accessToken: "t\($0)", expiresAt: scene.time(in: 30)) }
        let client = scene.client(scene.authenticator(renewingAhead: .seconds(60)))
        #expect(try await client.send(FixtureText()) == "in")
        scene.pass(14)
        // It would wait for a renewal that is due, and so would the count.
        for _ in 1...2 { #expect(await scene.code(of: client.request(TokenScene.oneTimeCall)) == "in") }
        #expect(scene.renewed.count == 1)
        scene.pass(1)
        scene.accept("t2")
        for _ in 1...2 { #expect(await scene.code(of: client.request(TokenScene.oneTimeCall)) == "in") }
        #expect(scene.renewed.count == 2)
        #expect(scene.sent == ["t1", "t1", "t1", "t2", "t2"].map { "Bearer \($0)" })
    }

    @Test func `a token that is loaded late does not take the place of one that came with a login`() async throws {
        let scene = TokenScene()
        let store = SlowStore()
        let tokens = TokenAuthenticator(store: store) { _ in nil }
        let client = scene.client(tokens)
        let early = Task { try await tokens.token }
        await store.gate.waitUntilReached()
        try await tokens.logOut()
        try await tokens.logIn(with: OAuthToken(accessToken: "t1"))
        store.gate.open()
        _ = try await early.value
        #expect(try await tokens.token?.accessToken == "t1")
        #expect(await scene.code(of: client.request(FixtureText())) == "in")
        #expect(scene.sent == ["Bearer t1"])
    }
}

/// A store whose token is long on its way.
private final class SlowStore: TokenAuthenticator.Store {
    let gate = FixtureGate()

    func load() async throws -> OAuthToken? {
        await self.gate.pass(isPatient: true)
        return OAuthToken(accessToken: "t0")
    }

    func save(_ token: OAuthToken) async throws {}
    func remove() async throws {}
}
