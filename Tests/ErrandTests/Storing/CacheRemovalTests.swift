internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caching: what a removal reaches", .timeLimit(.minutes(60)), .paced)
struct CacheRemovalTests {
    enum Kind: CaseIterable {
        case memory, disk, tiers, routed, own
    }

    enum Remover: CaseIterable {
        case sameClient, otherClient, ofTheCache
    }

    /// A cache as an app may have it, which notes nothing.
    private struct OwnCache: ResponseCache {
        let cache = MemoryCache()

        func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry { try self.cache.entry(for: key) }
        func store(_ entry: CacheEntry, for key: CacheKey) async { self.cache.store(entry, for: key) }
        func remove(_ key: CacheKey) async { self.cache.remove(key) }
        func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async -> Int {
            self.cache.remove(where: isChosen)
        }
    }

    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    private func cache(_ kind: Kind) -> any ResponseCache {
        let disk = DiskCache(folder: self.folder.file("cache"), maximumAge: .seconds(1e12))
        return switch kind {
        case .memory: MemoryCache()
        case .disk: disk
        case .tiers: TieredCache(back: disk)
        case .routed: RoutedCache(otherwise: MemoryCache(), routes: [RoutedCache.Route(to: disk) { _ in true }])
        case .own: OwnCache()
        }
    }

    @Test func `the answer to a query that is removed while it is on its way is not stored`() async throws {
        let (scene, gate) = (CacheScene(), StubGate())
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in
            .text("new", headers: ["Cache-Control": "max-age=60"]).held(by: gate)
        }
        let call = FixtureText {
            $0.method = .query
            $0.body = .bytes(Data("q".utf8))
            $0.options = .caching(.http)
        }
        async let gone = scene.client.send(call)
        await gate.waitUntilReached()
        try await scene.client.cache.remove(call)
        gate.open()
        #expect(try await gone == "new")
        #expect(await !scene.client.cache.contains(call))
        #expect(try await scene.client.send(call) == "new")
        #expect(await scene.client.cache.contains(call))
    }

    @Test(arguments: Kind.allCases, Remover.allCases)
    func `what is removed while it is on its way is not stored, and can be asked for again`(
        kind: Kind, remover: Remover
    ) async throws {
        let cache = self.cache(kind)
        let (scene, other) = (CacheScene { $0.cache = cache }, CacheScene { $0.cache = cache })
        let gate = StubGate()
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("new").held(by: gate) }
        async let gone = scene.send(CacheScene.fresh("b"))
        await fixtureUntil { scene.world.transport.activeCount == 1 }
        switch remover {
        case .sameClient: try await scene.client.cache.remove(CacheScene.fresh("b"))
        case .otherClient: try await other.client.cache.remove(CacheScene.fresh("b"))
        case .ofTheCache: try await cache.removeAll()
        }
        gate.open()
        #expect(try await gone == ("new", false))
        // A cache of one's own tells nobody but the client that removes.
        let isBack = kind == .own && remover != .sameClient
        #expect(await scene.miss(CacheScene.fresh("b")) == (isBack ? nil : .noEntry))
        #expect(try await scene.send(CacheScene.fresh("b")) == ("new", isBack))
        #expect(await scene.miss(CacheScene.fresh("b")) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `what was removed before it was asked for is stored`(kind: Kind) async throws {
        let scene = CacheScene { $0.cache = self.cache(kind) }
        for _ in 1...3 {
            try await scene.client.cache.remove(CacheScene.fresh())
            #expect(try await scene.send().isCached == false)
            #expect(await scene.miss(CacheScene.fresh()) == nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `the removal of all reaches all that are on their way`(kind: Kind) async throws {
        let scene = CacheScene { $0.cache = self.cache(kind) }
        let gate = StubGate()
        scene.world.transport.removeRoutes()
        scene.world.transport.route(where: { _ in true }) { _, _ in .text("old").held(by: gate) }
        async let first = scene.send(CacheScene.fresh("a"))
        async let second = scene.send(CacheScene.fresh("b"))
        await fixtureUntil { scene.world.transport.activeCount == 2 }
        try await scene.client.cache.remove { _ in false }
        gate.open()
        _ = try await (first, second)
        for path in ["a", "b"] { #expect(await scene.miss(CacheScene.fresh(path)) == .noEntry) }
    }

    @Test func `a removal reaches hardly any that is not removed`() async throws {
        let cache = MemoryCache()
        for index in 0..<10 { cache.remove(try DiskCacheBench.key("\(index)")) }
        let keys = try (0..<510).map { try DiskCacheBench.key("\($0)") }
        #expect(keys.prefix(10).allSatisfy { cache.removals(of: $0) > 0 })
        // Of 500 five are to be expected: which keys share a count differs from start to start.
        #expect(keys.dropFirst(10).count { cache.removals(of: $0) > 0 } < 30)
    }

    /// A cache that waits at a gate when it has found what is asked for, once it is told to.
    private final class WaitingCache: ResponseCache {
        let cache = MemoryCache()
        let gate = FixtureGate()
        let isWaiting = Locked(false)

        func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
            let entry = try self.cache.entry(for: key)
            let waits = self.isWaiting.withLock { isWaiting in
                defer { isWaiting = false }
                return isWaiting
            }
            if waits { await self.gate.pass(isPatient: true) }
            return entry
        }

        func store(_ entry: CacheEntry, for key: CacheKey) async { self.cache.store(entry, for: key) }
        func remove(_ key: CacheKey) async { self.cache.remove(key) }
        func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async -> Int {
            self.cache.remove(where: isChosen)
        }
    }

    @Test func `a response removed while it is looked up does not come back when it is validated`() async throws {
        let cache = WaitingCache()
        let world = FixtureWorld {
            $0.cache = cache
            $0.options = $0.options.caching(.http)
        }
        let fields: HTTPFields = ["ETag": "\"1\"", "Cache-Control": "max-age=0"]
        world.transport.route("a", .text("x", headers: fields), .status(304, headers: fields))
        #expect(try await world.client.send(FixtureText()) == "x")
        #expect(cache.cache.count == 1)
        cache.isWaiting.withLock { $0 = true }
        let request = world.client.request(FixtureText())
        await request.start()
        await cache.gate.waitUntilReached()
        try await world.client.cache.remove(FixtureText())
        cache.gate.open()
        #expect(try await request.value == "x")
        #expect(cache.cache.count == 0)
        await world.expectAtRest()
    }

    @Test func `a request cancelled during the cache lookup counts as no hit`() async throws {
        let cache = WaitingCache()
        let world = FixtureWorld(isRecording: true) { $0.cache = cache }
        world.transport.route("a", .text("x"))
        #expect(try await world.client.send(CacheScene.fresh()) == "x")
        cache.isWaiting.withLock { $0 = true }
        let request = world.client.request(CacheScene.fresh())
        await request.start()
        await cache.gate.waitUntilReached()
        request.cancel()
        cache.gate.open()
        #expect(await request.fixtureResult.fixtureFailure?.code == .cancelled)
        #expect(await world.client.cache.statistics.hits == 0)
        #expect(!world.recorder.entries.contains { if case .event(.cacheHit) = $0.call { true } else { false } })
        await world.expectAtRest()
    }
}
