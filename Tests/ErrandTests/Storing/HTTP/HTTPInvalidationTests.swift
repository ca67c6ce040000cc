internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite(
    "HTTP caching: what unsafe requests remove, and what is not stored (G15)",
    .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct HTTPInvalidationTests {
    private static let hour: HTTPFields = ["Cache-Control": "max-age=3600"]

    /// A client over a transport whose responses to GET may be stored, and whose others have these fields.
    private static func world(
        _ status: HTTPStatus = 200, _ fields: HTTPFields = [:], cache: any ResponseCache = MemoryCache(),
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        let world = FixtureWorld(isRecording: true) {
            $0.cache = cache
            configure(&$0)
        }
        world.transport.route(where: { $0.method == .get }) { _, number in .text("\(number)", headers: self.hour) }
        world.transport.route(where: { _ in true }) { _, _ in .status(status, headers: fields) }
        return world
    }

    private static func isStored(
        _ path: String, in world: FixtureWorld, _ caching: CachePolicy = .http, _ headers: HTTPFields = [:]
    ) async -> Bool {
        await world.client.cache.contains(
            FixtureText(path) {
                $0.options = $0.options.caching(caching)
                $0.headers = headers
            })
    }

    private static func get(
        _ path: String, in world: FixtureWorld, _ caching: CachePolicy = .http, _ headers: HTTPFields = [:]
    ) async throws {
        _ = try await world.client.send(
            FixtureText(path) {
                $0.options = $0.options.caching(caching)
                $0.headers = headers
            })
        #expect(await self.isStored(path, in: world, caching, headers))
    }

    private static func send(
        _ method: HTTPMethod = .post, _ path: String = "a", in world: FixtureWorld,
        _ configure: (inout FixtureText) -> Void = { _ in }
    ) async throws {
        _ = try await world.client.response(
            for: FixtureText(path) {
                $0.method = method
                $0.validation = .any
                configure(&$0)
            })
    }

    // MARK: - Whatever the endpoint says of caching (§4.4)

    @Test(arguments: [CachePolicy.never, .fresh(for: .seconds(60)), .http])
    func `a request that changes something removes its URL, Location and Content-Location`(
        caching: CachePolicy
    ) async throws {
        let world = Self.world(201, ["Location": "/b", "Content-Location": "c"])
        for path in ["a", "b", "c", "d"] { try await Self.get(path, in: world) }
        try await Self.send(in: world) { $0.options = $0.options.caching(caching) }
        let left = await ["a", "b", "c", "d"].async { await Self.isStored($0, in: world) }
        #expect(left == [false, false, false, true])
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE", "M-SEARCH"]) func `so do other methods`(method: String) async throws {
        let world = Self.world()
        try await Self.get("a", in: world)
        try await Self.send(HTTPMethod(rawValue: method), in: world)
        #expect(await !Self.isStored("a", in: world))
    }

    @Test(arguments: [HTTPMethod.options, .query, .post]) func `what is safe, or fails, removes nothing`(
        method: HTTPMethod
    ) async throws {
        let world = Self.world(method == .post ? 500 : 200, ["Location": "/b"])
        for path in ["a", "b"] { try await Self.get(path, in: world) }
        try await Self.send(method, in: world)
        #expect(await Self.isStored("a", in: world))
        #expect(await Self.isStored("b", in: world))
    }

    @Test func `the client's policy will do, with what another client has stored`() async throws {
        let cache = MemoryCache()
        try await Self.get("a", in: Self.world(cache: cache))
        let world = Self.world(cache: cache) { $0.options = $0.options.caching(.http) }
        try await Self.send(in: world)
        #expect(await !Self.isStored("a", in: world))
    }

    @Test func `what is kept for somebody goes, whether a scope or a field says for whom`() async throws {
        let world = Self.world()
        let (scoped, key) = (CachePolicy.http(staleIfError: .seconds(1), scope: "me"), ["X-Api-Key": "1"] as HTTPFields)
        try await Self.get("a", in: world, scoped, key)
        try await Self.get("a", in: world, .http, key)
        try await Self.get("a", in: world, .http, ["X-Api-Key": "2"])
        try await Self.send(in: world) { $0.headers = key }
        #expect(await !Self.isStored("a", in: world, scoped, key))
        #expect(await !Self.isStored("a", in: world, .http, key))
        #expect(await Self.isStored("a", in: world, .http, ["X-Api-Key": "2"]))
    }

    @Test func `a response that logs out removes what was stored for who had been logged in`() async throws {
        let world = Self.world { $0.cookies = .store(CookieJar()) }
        world.transport.replaceRoutes()
        world.transport.route(where: { $0.url.path == "/login" }) { _, _ in
            .status(200, headers: ["Set-Cookie": "session=1"])
        }
        world.transport.route(where: { $0.method == .get }) { _, number in .text("\(number)", headers: Self.hour) }
        world.transport.route(where: { _ in true }) { _, _ in
            .status(200, headers: ["Set-Cookie": "session=; Max-Age=0"])
        }
        try await Self.send(.get, "login", in: world)
        try await Self.get("a", in: world)
        let session: HTTPFields = ["Cookie": "session=1"]
        #expect(await Self.isStored("a", in: world, .http, session))
        try await Self.send(in: world)
        #expect(world.transport.received.last?.headers["Cookie"] == "session=1")
        #expect(await !Self.isStored("a", in: world), "nobody is logged in")
        #expect(await !Self.isStored("a", in: world, .http, session))
    }

    @Test(arguments: [303, 307]) func `a redirection that is followed did not fail`(status: Int) async throws {
        let world = Self.world(500)
        for path in ["a", "b"] { try await Self.get(path, in: world) }
        world.transport.replaceRoutes()
        world.transport.route(where: { $0.url.path == "/a" }) { _, _ in
            .status(HTTPStatus(rawValue: status), headers: ["Location": "/b"])
        }
        world.transport.route(where: { _ in true }) { _, _ in .status(500) }
        try await Self.send(in: world)
        #expect(await !Self.isStored("a", in: world))
        #expect(await !Self.isStored("b", in: world))
    }

    /// Counts how often it is asked for anything.
    private final class CountingCache: ResponseCache {
        let calls = Locked(0)

        private func count() { self.calls.withLock { $0 += 1 } }

        func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
            self.count()
            throw .noEntry
        }

        func store(_ entry: CacheEntry, for key: CacheKey) async { self.count() }

        func remove(_ key: CacheKey) async throws(ErrandError) { self.count() }

        func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async throws(ErrandError) -> Int {
            self.count()
            return 0
        }
    }

    @Test func `a request that changes nothing does not ask the cache for that`() async throws {
        let cache = CountingCache()
        let world = Self.world(cache: cache) { $0.options = $0.options.caching(.http) }
        for method in [HTTPMethod.get, .head, .options] {
            try await Self.send(method, in: world) { $0.options = $0.options.caching(.never) }
        }
        #expect(cache.calls.withLock { $0 } == 0)
        try await Self.send(in: world) { $0.options = $0.options.caching(.never) }
        #expect(cache.calls.withLock { $0 } > 0)
    }

    @Test(arguments: [CachePolicy.never, .fresh(for: .seconds(60))])
    func `what is on the disk since an earlier start goes, though nothing here goes by the rules of HTTP`(
        caching: CachePolicy
    ) async throws {
        let folder = try TestFolder()
        let disk = { DiskCache(folder: folder.url, capacity: 1 << 20) }
        let before = disk()
        try await Self.get("a", in: Self.world(cache: before))
        await before.flush()
        try await Self.send(in: Self.world(cache: disk()) { $0.options = $0.options.caching(caching) })
        #expect(await !Self.isStored("a", in: Self.world(cache: disk())))
    }

    // MARK: - What is not stored

    @Test(arguments: [CachePolicy.http, .fresh(for: .seconds(60))])
    func `neither part of a response is stored, asked for or not, nor a stream`(caching: CachePolicy) async throws {
        let world = Self.world()
        world.transport.replaceRoutes()
        world.transport.route(where: { $0.url.path == "/a" }) { _, _ in
            .text("pa", status: 206, headers: Self.hour)
        }
        world.transport.route(where: { _ in true }) { _, _ in .text("whole", headers: Self.hour) }
        for headers in [[:], ["Range": "bytes=0-1"]] as [HTTPFields] {
            try await Self.send(.get, in: world) {
                $0.options = $0.options.caching(caching)
                $0.headers = headers
            }
            #expect(await !Self.isStored("a", in: world, caching))
        }
        let call = FixtureText("b") { $0.options = .caching(caching) }
        let read = try await world.client.stream(call) { response in
            try await response.body.reduce(0) { $0 + $1.count }
        }
        #expect(read == 5)
        #expect(await !Self.isStored("b", in: world, caching))
    }

    @Test(arguments: [CachePolicy.http, .fresh(for: .seconds(60))])
    func `a redirection is not stored as the response of its target`(caching: CachePolicy) async throws {
        let world = Self.world()
        world.transport.replaceRoutes()
        world.transport.route(where: { $0.url.path == "/a" }) { _, _ in
            .status(301, headers: ["Location": "/b", "Cache-Control": "max-age=3600"])
        }
        world.transport.route(where: { _ in true }) { _, _ in .text("b", headers: Self.hour) }
        try await Self.send(.get, in: world) { $0.options = $0.options.caching(caching) }
        #expect(await !Self.isStored("b", in: world, caching))
        let target = try await world.client.response(for: FixtureText("b") { $0.options = .caching(caching) })
        #expect(target.value == "b")
        #expect(target.source == .network)
        #expect(target.redirects == 0)
    }
}
