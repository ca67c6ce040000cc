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
        let stores: [any TokenAuthenticator.Store] = [
            TokenAuthenticator.MemoryStore(), TokenAuthenticator.FileStore(file: folder.url.appending(path: "token")),
        ]
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

    @Test func `take a renewed token though they were emptied meanwhile`() async throws {
        let store = TokenAuthenticator.MemoryStore(self.token)
        let renewed = OAuthToken(accessToken: "b", refreshToken: "r2")
        store.remove()
        #expect(store.replace(self.token, with: renewed))
        #expect(store.load() == renewed)
        #expect(!store.replace(self.token, with: nil), "and nothing is removed that is not known")
    }

    @Test func `in a file let nobody else read it, and leave nothing behind`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try await TokenAuthenticator.FileStore(file: file).save(self.token)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
        #expect(try await TokenAuthenticator.FileStore(file: file).load() == self.token)
    }

    @Test func `in a file say what they cannot do, and leave nothing half done`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: file.appending(path: "inside"))
        let store = TokenAuthenticator.FileStore(file: file)
        func code(_ work: () async throws(ErrandError) -> Void) async -> ErrandError.Code? {
            do throws(ErrandError) {
                try await work()
                return nil
            } catch {
                #expect(error.message.contains("\"token\""))
                #expect(!error.message.contains(folder.url.path))
                return error.code
            }
        }
        #expect(await code { () throws(ErrandError) in try await store.save(self.token) } == .fileFailed)
        #expect(await code { () throws(ErrandError) in try await store.remove() } == .fileFailed)
        #expect(await code { () throws(ErrandError) in _ = try await store.load() } == .fileFailed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"], "no draft")
    }

    @Test func `in a file keep the one before when the next cannot be written, whole`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        let store = TokenAuthenticator.FileStore(file: file)
        try await store.save(self.token)
        // What is read is never a part: the name stands for a file that is whole.
        let open = try FileHandle(forReadingFrom: file)
        try await store.save(OAuthToken(accessToken: "next"))
        let before = try JSONDecoder().decode(OAuthToken.self, from: try open.readToEnd() ?? Data())
        #expect(before == self.token)
        try open.close()
        #expect(try await store.load() == OAuthToken(accessToken: "next"))
    }

    @Test func `in a file take what is no token for none, and say what they cannot write`() async throws {
        let folder = try FixtureFolder()
        let file = folder.url.appending(path: "token")
        try Data("{".utf8).write(to: file)
        #expect(try await TokenAuthenticator.FileStore(file: file).load() == nil)
        let store = TokenAuthenticator.FileStore(file: folder.url.appending(path: "missing/token"))
        let error = await #expect(throws: ErrandError.self) { try await store.save(self.token) }
        #expect(error?.code == .fileFailed)
        #expect(try await store.load() == nil)
        try await store.remove()
    }
}
