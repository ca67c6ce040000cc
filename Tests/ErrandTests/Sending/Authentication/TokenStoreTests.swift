internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Stores of tokens", .timeLimit(.minutes(60)), .paced)
struct TokenStoreTests {
    private let token = OAuthToken(
        accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSince1970: 1_000), scope: "s", user: "u")

    @Test func `keep one token`() async throws {
        let folder = try FixtureFolder()
        let stores: [any TokenStore] = [MemoryTokenStore(), FileTokenStore(file: folder.url.appending(path: "token"))]
        for store in stores {
            try await store.remove()
            #expect(try await store.load() == nil)
            try await store.save(OAuthToken(accessToken: "before"))
            try await store.save(self.token)
            #expect(try await store.load() == self.token)
            try await store.remove()
            #expect(try await store.load() == nil)
        }
    }

    @Test func `in a file let nobody else read it, and leave nothing behind`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try await FileTokenStore(file: file).save(self.token)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
        #expect(try await FileTokenStore(file: file).load() == self.token)
    }

    @Test func `in a file take what is no token for none, and say what they cannot write`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try Data("{".utf8).write(to: file)
        #expect(try await FileTokenStore(file: file).load() == nil)
        let store = FileTokenStore(file: folder.url.appending(path: "missing/token"))
        let error = await #expect(throws: ErrandError.self) { try await store.save(self.token) }
        #expect(error?.code == .fileFailed)
        #expect(try await store.load() == nil)
        try await store.remove()
    }
}
