internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache: what goes first, and what is too old or too late", .timeLimit(.minutes(60)), .paced)
struct DiskCacheOrderTests {
    private let bench: DiskCacheBench
    private let removed = Removed()

    /// The entries whose files were removed, in order.
    private final class Removed: Sendable {
        let digests = Locked<[String]>([])

        func watch(_ step: CacheFolder.Step) {
            guard case .removing(let path) = step else { return }
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent
            self.digests.withLock { $0.append(name) }
        }

        func take() -> [String] {
            self.digests.withLock { digests in
                defer { digests = [] }
                return digests
            }
        }
    }

    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func cache(capacity: Int = 1 << 20) -> DiskCache {
        let removed = self.removed
        return self.bench.cache(capacity: capacity, watcher: { removed.watch($0) })
    }

    private func store(_ name: String, size: Int = 100, in cache: some ResponseCache) async throws {
        await cache.store(self.bench.entry(Data(count: size)), for: try DiskCacheBench.key(name))
    }

    private func evictAll(of cache: DiskCache) async throws -> [String] {
        _ = self.removed.take()
        try await self.store("large", size: cache.capacity - 500, in: cache)
        await cache.flush()
        return self.removed.take()
    }

    private func digests(_ names: [String]) throws -> [String] { try names.map { try DiskCacheBench.key($0).name } }

    // MARK: - Last uses

    enum Clock {
        case running, stopped
    }

    /// With a clock that stands still a new start does not know what was later.
    @Test(arguments: [
        (Clock.running, "flushed"), (.running, "waiting"), (.running, "looked through again"), (.running, "restarted"),
        (.stopped, "flushed"), (.stopped, "waiting"), (.stopped, "looked through again"),
    ])
    func `the order is that of true last use in a process`(clock: Clock, kind: String) async throws {
        if clock == .stopped {
            // Ahead of the times that the system sets by itself.
            self.bench.advance(by: 1_000)
            self.bench.stopClock()
        }
        var cache = self.cache()
        let names = (0..<20).map { "\($0)" }
        for name in names { try await self.store(name, in: cache) }
        if kind != "waiting" { await cache.flush() }
        if kind == "restarted" { cache = self.cache() }
        let order = [3, 17, 0, 5, 5, 11, 3, 8, 19, 17].map { "\($0)" }
        for name in order { #expect(try await self.bench.text(name, in: cache) != nil) }
        if kind == "looked through again" {
            let other = self.bench.cache()
            try await self.store("other", in: other)
            await other.remove(try DiskCacheBench.key("other"))
            _ = await cache.usage
        }
        // What waits leaves no room for more that waits.
        await cache.flush()
        let unused = names.filter { !order.contains($0) }
        let used = ["0", "5", "11", "3", "8", "19", "17"]
        let found = try await self.evictAll(of: cache)
        // How files that were stored within a moment were used before the start nobody knows.
        if kind == "restarted" {
            #expect(try Set(found.prefix(unused.count)) == Set(self.digests(unused)))
            #expect(try Array(found.dropFirst(unused.count)) == self.digests(used))
        } else {
            #expect(try found == self.digests(unused + used))
        }
    }

    @Test(.enabled(if: TestEffort.isFull, "thousands of files"))
    func `so it is with more uses than are held, before anything was stored`() async throws {
        let names = (0..<CacheUses.limit + 500).map { "\($0)" }
        let first = self.bench.cache()
        for (index, name) in names.enumerated() {
            try await self.store(name, in: first)
            if index % 500 == 0 { await first.flush() }
        }
        await first.flush()
        let cache = self.cache(capacity: 2 << 20)
        for name in names.reversed() { #expect(try await self.bench.text(name, in: cache) != nil) }
        #expect(try await self.evictAll(of: cache) == self.digests(names.reversed()))
    }

    @Test func `a cache in front tells of uses`() async throws {
        let back = self.cache()
        let cache = TieredCache(back: RoutedCache(otherwise: back, routes: []))
        for name in ["a", "b", "c"] { try await self.store(name, in: cache) }
        await back.flush()
        for name in ["b", "a", "b"] { #expect(try await self.bench.text(name, in: cache) != nil) }
        #expect(try await self.evictAll(of: back) == self.digests(["c", "a", "b"]))
    }

    // MARK: - Age

    @Test(arguments: ["disk", "tiers", "routes", "not written yet"])
    func `what is too old is never answered, and goes`(kind: String) async throws {
        self.bench.stopClock()
        let disk = self.bench.cache(maximumAge: .seconds(100))
        let cache: any ResponseCache =
            switch kind {
            case "tiers": TieredCache(back: disk)
            case "routes":
                TieredCache(back: RoutedCache(otherwise: MemoryCache(), routes: [.init(to: disk) { _ in true }]))
            default: disk
            }
        let key = try DiskCacheBench.key("a")
        await cache.store(self.bench.entry("a"), for: key)
        if kind != "not written yet" { await disk.flush() }
        self.bench.advance(by: 99)
        #expect(try await cache.entry(for: key).response.data == Data("a".utf8))
        self.bench.advance(by: 2)
        await #expect(throws: CacheMiss.noEntry) { try await cache.entry(for: key) }
        await disk.flush()
        #expect(self.bench.names.isEmpty)
        await #expect(throws: CacheMiss.noEntry) { try await cache.entry(for: key) }
        #expect(await disk.usage?.evictions == 1)
    }

    @Test func `what is too old is neither listed nor counted`() async throws {
        self.bench.stopClock()
        let cache = self.bench.cache(maximumAge: .seconds(100))
        for name in ["a", "b", "c"] {
            try await self.store(name, in: cache)
            await cache.flush()
            self.bench.advance(by: 45)
        }
        #expect(await cache.items().count == 2)
        #expect(self.bench.names.count == 2)
        self.bench.advance(by: 45)
        #expect(await cache.usage == CacheUsage(entries: 1, bytes: self.bench.bytes, evictions: 2))
    }

    // MARK: - Late answers

    private func entry(_ text: String, asked: Double, received: Double) -> CacheEntry {
        let now = self.bench.now
        var entry = self.bench.entry(Data(text.utf8), storedAt: now + asked)
        entry.receivedAt = now + received
        return entry
    }

    @Test(arguments: [true, false], [true, false])
    func `an answer that was asked for earlier replaces none`(isFlushed: Bool, isOther: Bool) async throws {
        self.bench.stopClock()
        let (one, two) = (self.bench.cache(), isFlushed && isOther ? self.bench.cache() : nil)
        let (cache, key) = (two ?? one, try DiskCacheBench.key("a"))
        one.store(self.entry("newer", asked: -5, received: -4), for: key)
        if isFlushed { await one.flush() }
        cache.store(self.entry("older", asked: -6, received: -3), for: key)
        await cache.flush()
        for cache in [one, cache, self.bench.cache()] {
            #expect(try await self.bench.text("a", in: cache) == "newer")
        }
        #expect(self.bench.names.count == 1)
        #expect(cache.takeNotice() == nil)
        // By a clock that was moved back the newer one comes from the future.
        cache.store(self.entry("moved", asked: -8, received: -7), for: key)
        await cache.flush()
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "moved")
    }

    @Test func `one that came meanwhile from another process is left, too`() async throws {
        self.bench.stopClock()
        let isDone = Locked(false)
        let newer = self.entry("newer", asked: -5, received: -4)
        let key = try DiskCacheBench.key("a")
        let other = self.bench.cache()
        let cache = self.bench.cache(watcher: { step in
            guard case .moving = step, !isDone.withLock({ $0 }) else { return }
            isDone.withLock { $0 = true }
            // The writer stands right before it moves its own.
            let written = DispatchSemaphore(value: 0)
            other.store(newer, for: key)
            spawn {
                await other.flush()
                written.signal()
            }
            written.wait()
        })
        cache.store(self.entry("older", asked: -6, received: -3), for: key)
        await cache.flush()
        #expect(try await self.bench.text("a", in: cache) == "newer")
        #expect(self.bench.names.count == 1)
    }
}
