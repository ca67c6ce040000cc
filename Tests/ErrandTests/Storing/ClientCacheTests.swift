internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caching: by hand", .timeLimit(.minutes(60)), .paced)
struct ClientCacheTests {
    private let scene = CacheScene()
    private var cache: ClientCache { self.scene.client.cache }

    @Test func `loads what is stored, without a request`() async throws {
        let error = await #expect(throws: ErrandError.self) { try await self.cache.response(for: CacheScene.fresh()) }
        #expect(error?.code == .notInCache)
        #expect(error?.cacheMiss == .noEntry)
        _ = try await self.scene.send()
        self.scene.date.advance(by: 2)
        let count = self.scene.world.recorder.entries.count
        let response = try await self.cache.response(for: CacheScene.fresh())
        #expect(response.value == "1")
        #expect(response.source == .cache(age: .seconds(2)))
        #expect(response.head.headers["Content-Type"] == "application/json")
        #expect(response.url.string == "https://api.test/a")
        #expect(self.scene.world.recorder.entries.count == count)
        #expect(self.scene.sentCount == 1)
    }

    @Test func `refuses what the endpoint does not accept`() async throws {
        _ = try await self.scene.send()
        for call in [
            CacheScene.fresh { $0.validation = ResponseValidation(statusCodes: 201...201) },
            CacheScene.fresh { $0.validation = ResponseValidation(checks: [{ _ in throw FixtureError() }]) },
        ] {
            let error = await #expect(throws: ErrandError.self) { try await self.cache.response(for: call) }
            #expect(error?.cacheMiss == .notAccepted)
        }
    }

    @Test func `tells whether there is something to use`() async throws {
        #expect(await !self.cache.contains(CacheScene.fresh()))
        _ = try await self.scene.send()
        #expect(await self.cache.contains(CacheScene.fresh()))
        #expect(
            await !self.cache.contains(
                CacheScene.fresh { $0.options = .caching(.fresh(for: .seconds(10), version: 2)) }))
        #expect(await !self.cache.contains(FixtureText()))
        #expect(await !self.cache.contains(CacheScene.fresh("https:///")))
        self.scene.date.advance(by: 11)
        #expect(await !self.cache.contains(CacheScene.fresh()))
    }

    @Test func `stores a response, whole and in memory`() async throws {
        let response = HTTPResponse(status: 203, headers: ["X-A": "1"], body: Data("own".utf8))
        try await self.cache.store(response, for: CacheScene.fresh(), options: .tag("mine"))
        let answer = try await self.scene.client.response(for: CacheScene.fresh())
        #expect(answer.value == "own")
        #expect(answer.head.status.rawValue == 203)
        for response in [
            HTTPResponse(status: 206), HTTPResponse(head: response.head, body: .file(URL(filePath: "/x"))),
        ] {
            await #expect(throws: ErrandError.self) { try await self.cache.store(response, for: CacheScene.fresh()) }
        }
        await #expect(throws: ErrandError.self) { try await self.cache.store(Data(), for: FixtureText()) }
        #expect(try await self.cache.remove(tag: "mine") == 1)
    }

    @Test func `removes one, by tag, by host, by age, or all`() async throws {
        func fill() async throws {
            for (index, path) in ["a", "b", "https://Other.test/a", "https://other.test:81/b"].enumerated() {
                _ = try await self.scene.client.response(
                    for: CacheScene.fresh(path, .seconds(1000)), options: .tag("\(index % 2)"))
                self.scene.date.advance(by: 1)
            }
        }
        try await fill()
        try await self.cache.remove(CacheScene.fresh("a"))
        #expect(self.scene.cache.count == 3)
        try await fill()
        #expect(try await self.cache.remove(tag: "1") == 2)
        #expect(try await self.cache.remove(tag: "1") == 0)
        try await fill()
        #expect(try await self.cache.remove(host: "OTHER.test") == 2)
        try await self.cache.remove(CacheScene.fresh("a"))
        try await fill()
        #expect(self.scene.cache.count == 4)
        #expect(try await self.cache.remove(olderThan: .milliseconds(3500)) == 2)
        try await self.cache.removeAll()
        #expect(self.scene.cache.count == 0)
    }

    @Test func `removes by a host that is written in another way`() async throws {
        for host in ["127.0.0.1", "[2001:db8::1]"] {
            _ = try await self.scene.client.response(for: CacheScene.fresh("https://\(host)/a"))
        }
        #expect(try await self.cache.remove(host: "127.1") == 1)
        #expect(try await self.cache.remove(host: "[2001:DB8:0:0:0:0:0:1]") == 1)
    }

    @Test func `a body that is stored by hand has the type that the endpoint decodes`() async throws {
        var call = FixtureJSON("a", String.self)
        call.options = .caching(.fresh(for: .seconds(10)))
        try await self.cache.store(Data("\"own\"".utf8), for: call)
        let response = try await self.cache.response(for: call)
        #expect(response.value == "own")
        #expect(response.head.headers["Content-Type"] == "application/json")
    }

    @Test func `finds what is stored for the request that an endpoint prepares`() async throws {
        struct Prepared: ProcessingEndpoint {
            typealias Response = String
            let path: EndpointPath = "a"
            let options: RequestOptions = .caching(.fresh(for: .seconds(10)))

            func prepare(_ request: inout HTTPRequest) { request.headers["X-Prepared"] = "1" }
        }
        #expect(try await self.scene.client.send(Prepared()) == "1")
        #expect(await self.cache.contains(Prepared()))
        try await self.cache.remove(Prepared())
        #expect(self.scene.cache.count == 0)
    }

    @Test func `finds what is stored for a user whose token was not loaded yet`() async throws {
        let (cache, store) = (MemoryCache(), TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "t")))
        func scene() -> CacheScene {
            CacheScene(cache: cache) { $0.credentials.authenticator = TokenAuthenticator(store: store) { _ in nil } }
        }
        _ = try await scene().send()
        #expect(cache.count == 1)
        #expect(await scene().client.cache.contains(CacheScene.fresh()))
    }

    @Test func `counts`() async throws {
        for _ in 1...3 { _ = try await self.scene.send() }
        _ = try await self.scene.send(CacheScene.fresh("b"))
        _ = try await self.scene.send(CacheScene.fresh("b"), .ignore)
        _ = try await self.scene.send(FixtureText())
        let statistics = await self.cache.statistics
        #expect(statistics.hits == 2)
        #expect(statistics.misses == 2)
        #expect(statistics.usage?.entries == 2)
        #expect(await CacheScene { $0.cache = nil }.client.cache.statistics.usage == nil)
    }

    @Test func `works without a cache`() async throws {
        let scene = CacheScene { $0.cache = nil }
        await #expect(throws: ErrandError.self) { try await scene.client.cache.response(for: CacheScene.fresh()) }
        await #expect(throws: ErrandError.self) { try await scene.client.cache.store(Data(), for: CacheScene.fresh()) }
        #expect(try await scene.client.cache.remove(tag: "a") == 0)
        try await scene.client.cache.removeAll()
    }
}
