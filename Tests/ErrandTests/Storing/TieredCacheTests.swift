internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caches made of others", .timeLimit(.minutes(60)), .paced)
struct TieredCacheTests {
    private let bench: DiskCacheBench
    private let key: CacheKey

    init() throws {
        self.bench = try DiskCacheBench()
        self.key = try DiskCacheBench.key("a")
    }

    @Test func `the front is filled from the back`() async throws {
        let back = HeldCache()
        back.inner.store(self.bench.entry("a"), for: self.key)
        let cache = TieredCache(back: back)
        for _ in 0..<3 { #expect(try await self.bench.text("a", in: cache) == "a") }
        #expect(back.readCount == 1)
        #expect(cache.front.count == 1)
        #expect(try await self.bench.miss("b", in: cache) == .noEntry)
        #expect(cache.front.count == 1)
    }

    @Test func `both have what is stored, neither what is removed`() async throws {
        let back = HeldCache()
        let cache = TieredCache(back: back)
        await cache.store(self.bench.entry("a", tag: "t"), for: self.key)
        #expect((cache.front.count, back.inner.count) == (1, 1))
        #expect(await cache.usage == back.inner.usage)
        try await cache.remove(self.key)
        #expect((cache.front.count, back.inner.count) == (0, 0))
        await cache.store(self.bench.entry("a", tag: "t"), for: self.key)
        #expect(try await cache.remove { $0.tag == "t" } == 1)
        #expect((cache.front.count, back.inner.count) == (0, 0))
    }

    enum Change: CaseIterable {
        case removal, choice, replacement, tooLarge
    }

    @Test(arguments: Change.allCases)
    func `what was read before a change does not come to the front after it`(change: Change) async throws {
        let back = HeldCache()
        back.inner.store(self.bench.entry("old"), for: self.key)
        let cache = TieredCache(front: MemoryCache(capacity: 10_000), back: back)
        back.hold()
        async let found = self.bench.text("a", in: cache)
        await back.waitUntilHeld()
        switch change {
        case .removal: try await cache.remove(self.key)
        case .choice: try await cache.remove { _ in true }
        case .replacement: await cache.store(self.bench.entry("new"), for: self.key)
        case .tooLarge: await cache.store(self.bench.entry(Data(count: 20_000)), for: self.key)
        }
        back.release()
        #expect(try await found == "old")
        let text = try await self.bench.text("a", in: cache)
        switch change {
        case .removal, .choice: #expect(text == nil)
        case .replacement: #expect(text == "new")
        case .tooLarge: #expect(text?.utf8.count == 20_000)
        }
    }

    @Test func `what is read while the back removes it does not come to the front`() async throws {
        let back = HeldCache()
        let cache = TieredCache(back: back)
        await cache.store(self.bench.entry("old"), for: self.key)
        back.hold(.removing)
        let (key, isRemoved) = (self.key, FixtureLog())
        async let removal: Void = {
            try await cache.remove(key)
            isRemoved.add("removed")
        }()
        await back.waitUntilHeld()
        // It may have the old one, for it is not removed yet.
        #expect(try await self.bench.text("a", in: cache) == "old")
        #expect(isRemoved.lines.isEmpty)
        back.release()
        try await removal
        #expect(try await self.bench.text("a", in: cache) == nil)
        #expect(cache.front.count == 0)
    }

    /// Two requests that differ in their bodies only, answered at the same moment.
    @Test func `each entry is judged by all that is known of it, and none is left in front`() async throws {
        let url = try HTTPURL("https://cache.test/a")
        let bodies = try ["one", "two"].map { body in
            try #require(CacheKey(HTTPRequest(method: .post, url: url, body: .bytes(Data(body.utf8)))))
        }
        let cache = TieredCache(back: self.bench.cache())
        let now = self.bench.now
        for (key, tag) in zip(bodies, ["one", "two"]) {
            await cache.store(self.bench.entry(Data(tag.utf8), tag: tag, storedAt: now), for: key)
        }
        #expect(try await cache.remove { $0.tag == "two" } == 1)
        #expect(await cache.summaries().map(\.tag) == ["one"])
        #expect(await (cache.front.count, cache.usage?.entries) == (0, 1))
        #expect(try await cache.entry(for: bodies[0]).tag == "one")
    }

    @Test func `each kind of request has its own cache`() async throws {
        let (one, two, other) = (MemoryCache(), MemoryCache(), MemoryCache())
        let cache = RoutedCache(
            otherwise: other,
            routes: [
                RoutedCache.Route(to: one) { $0.url.path.hasPrefix("/one") },
                RoutedCache.Route(to: two) { $0.url.path.hasPrefix("/o") || $0.url.path.hasPrefix("/two") },
            ])
        for name in ["one", "o", "two", "three"] {
            await cache.store(self.bench.entry(name), for: try DiskCacheBench.key(name))
            #expect(try await self.bench.text(name, in: cache) == name)
        }
        #expect([one.count, two.count, other.count] == [1, 2, 1] as [Int])
        #expect(await cache.usage?.entries == 4)
        try await cache.remove(try DiskCacheBench.key("one"))
        #expect(one.count == 0)
        #expect(try await cache.remove { $0.url.contains("t") } == 3)
    }

    @Test func `a cache that refuses keeps no other from being emptied`() async throws {
        let other = MemoryCache()
        let cache = RoutedCache(otherwise: RefusingCache(), routes: [RoutedCache.Route(to: other) { _ in true }])
        await cache.store(self.bench.entry("a"), for: self.key)
        #expect(other.count == 1)
        let error = await #expect(throws: ErrandError.self) { try await cache.remove { _ in true } }
        #expect(error?.code == .fileFailed)
        #expect(other.count == 0)
    }

    @Test func `the front lets go of what the back refuses to remove`() async throws {
        let cache = TieredCache(back: RefusingCache())
        await cache.store(self.bench.entry("a"), for: self.key)
        #expect(cache.front.count == 1)
        let (key, text) = (self.key, "nothing can be removed")
        let error = await #expect(throws: ErrandError.self) { try await cache.remove(key) }
        #expect(error?.message == text)
        #expect(cache.front.count == 0)
    }

    @Test func `what is wrong with one of several is told`() async throws {
        let broken = DiskCache(folder: URL(filePath: "/dev/null/cache"))
        let cache = RoutedCache(
            otherwise: MemoryCache(), routes: [RoutedCache.Route(to: TieredCache(back: broken)) { _ in true }])
        await cache.store(self.bench.entry("a"), for: self.key)
        await broken.flush()
        #expect(await cache.takeNotice() != nil)
        #expect(await cache.takeNotice() == nil)
    }
}

/// A cache that can be held in the middle of reading, or before it removes something.
private final class HeldCache: ResponseCache {
    enum Point {
        case reading, removing
    }

    let inner = MemoryCache()
    private let point = Locked(Point.reading)
    private let state = Locked<(gate: Waiter<Void>?, reached: Waiter<Void>, reads: Int)>((nil, Waiter(), 0))

    var readCount: Int { self.state.withLock { $0.reads } }

    func hold(_ point: Point = .reading) {
        self.point.withLock { $0 = point }
        self.state.withLock { $0.gate = Waiter() }
    }

    func waitUntilHeld() async {
        _ = await self.state.withLock { $0.reached }.wait()
    }

    func release() {
        self.state.withLock { $0.gate.take() }?.resume(())
    }

    func entry(for key: CacheKey) async throws(CacheMiss) -> CacheEntry {
        let result: Result<CacheEntry, CacheMiss>
        do throws(CacheMiss) { result = .success(try self.inner.entry(for: key)) } catch {
            result = .failure(error)
        }
        self.state.withLock { $0.reads += 1 }
        await self.pass(.reading)
        return try result.get()
    }

    private func pass(_ point: Point) async {
        let (gate, reached) = self.state.withLock { ($0.gate, $0.reached) }
        guard let gate, self.point.withLock({ $0 }) == point else { return }
        reached.resume(())
        _ = await gate.wait()
    }

    func store(_ entry: CacheEntry, for key: CacheKey) async { self.inner.store(entry, for: key) }
    func remove(_ key: CacheKey) async {
        await self.pass(.removing)
        self.inner.remove(key)
    }
    func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) async -> Int {
        self.inner.remove(where: isChosen)
    }
    var usage: CacheEntry.Totals? { get async { self.inner.usage } }
}

/// A cache that keeps nothing, and can remove nothing.
private struct RefusingCache: ResponseCache {
    private static let refusal = ErrandError(.fileFailed, "nothing can be removed")

    func entry(for key: CacheKey) throws(CacheMiss) -> CacheEntry { throw .noEntry }
    func store(_ entry: CacheEntry, for key: CacheKey) {}
    func remove(_ key: CacheKey) throws(ErrandError) { throw Self.refusal }
    func remove(where isChosen: @escaping @Sendable (CacheEntry.Summary) -> Bool) throws(ErrandError) -> Int {
        throw Self.refusal
    }
}
