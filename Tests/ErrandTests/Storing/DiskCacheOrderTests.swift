internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite(
    "The disk cache: what goes first, and what is too old or too late",
    .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct DiskCacheOrderTests {
    private let bench: DiskCacheBench
    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func store(_ name: String, size: Int = 100, in cache: some ResponseCache) async throws {
        await cache.store(self.bench.entry(Data(count: size)), for: try DiskCacheBench.key(name))
    }

    // MARK: - Last uses

    /// Which of some entries are left.
    private func left(_ names: [String], in cache: DiskCache) async throws -> [String] {
        try await names.async { try await self.bench.text($0, in: cache) == nil ? "" : $0 }.filter { $0 != "" }
    }

    @Test(arguments: ["flushed", "restarted", "by another"])
    func `the order is that of the last use, within a minute`(kind: String) async throws {
        self.bench.stopClock()
        let first = self.bench.cache(capacity: 30_000)
        let names = (0..<20).map { "\($0)" }
        for name in names {
            try await self.store(name, in: first)
            await first.flush()
            self.bench.advance(by: 61)
        }
        let cache = kind == "flushed" ? first : self.bench.cache(capacity: 30_000)
        let order = ["3", "17", "0", "5", "11", "8"]
        for name in order {
            #expect(try await self.bench.text(name, in: kind == "by another" ? first : cache) != nil)
            self.bench.advance(by: 61)
        }
        // Room for the last eight is left at most.
        let size = self.bench.bytes / 20
        try await self.store("large", size: 30_000 - 9 * size, in: cache)
        await cache.flush()
        let kept = try await self.left(names + ["large"], in: cache)
        #expect(Set(kept).isSuperset(of: order + ["large"]))
        #expect((7...10).contains(kept.count))
        #expect(Set(kept).subtracting(order).isSubset(of: ["large", "19", "18", "16"]))
    }

    @Test func `a use within a minute is not noted again, and one after it is`() async throws {
        self.bench.stopClock()
        let cache = self.bench.cache()
        try await self.store("a", in: cache)
        await cache.flush()
        var times: [Double] = []
        for step in [61.0, 30, 29, 2] {
            self.bench.advance(by: step)
            #expect(try await self.bench.text("a", in: cache) != nil)
            times.append(try self.bench.facts("a").lastUse)
        }
        #expect(times[0] == times[1] && times[1] == times[2])
        #expect(abs(times[3] - times[0] - 61) < 0.001)
    }

    // MARK: - Age

    @Test(arguments: ["disk", "routes", "not written yet"])
    func `what is too old is never answered, and goes`(kind: String) async throws {
        self.bench.stopClock()
        let disk = self.bench.cache(maximumAge: .seconds(100))
        let cache: any ResponseCache =
            switch kind {
            case "routes": RoutedCache(otherwise: MemoryCache(), routes: [.init(to: disk) { _ in true }])
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

    @Test func `what is too old is not at hand either`() async throws {
        self.bench.stopClock()
        let cache = self.bench.cache(maximumAge: .seconds(100))
        let key = try DiskCacheBench.key("a")
        cache.store(self.bench.entry("a"), for: key)
        await cache.flush()
        self.bench.advance(by: 99)
        #expect(cache.entryWithoutSuspending(for: key)?.response.data == Data("a".utf8))
        self.bench.advance(by: 2)
        #expect(cache.entryWithoutSuspending(for: key) == nil)
    }

    @Test func `what is too old is not listed, and goes`() async throws {
        self.bench.stopClock()
        let cache = self.bench.cache(maximumAge: .seconds(100))
        for name in ["a", "b", "c"] {
            try await self.store(name, in: cache)
            await cache.flush()
            self.bench.advance(by: 45)
        }
        #expect(await cache.summaries().count == 2)
        await cache.flush()
        #expect(await cache.usage == CacheEntry.Totals(entries: 2, bytes: self.bench.bytes, evictions: 1))
    }

    // MARK: - Late answers

    private func entry(_ text: String, asked: Double, received: Double) -> CacheEntry {
        let now = self.bench.now
        return CacheEntry(
            response: self.bench.entry(text).response, storedAt: now + asked, receivedAt: now + received)
    }

    @Test func `an answer that comes while the one before is being written waits for its own turn`() throws {
        let key = try DiskCacheBench.key("a")
        var changes = PendingChanges(limit: 1 << 20)
        let isFirstAdded = changes.add(self.bench.entry("first"), for: key)
        let taken = changes.takeEntries()
        let isSecondAdded = changes.add(self.bench.entry("second"), for: key)
        #expect(isFirstAdded && isSecondAdded)
        for change in taken { changes.finish(change) }
        guard case .entry(let entry) = try #require(changes[key]) else { throw FixtureError() }
        #expect(entry.response.data == Data("second".utf8))
        #expect(changes.takeEntries().count == 1)
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
}
