internal import Dispatch
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The memory cache (G10)", .timeLimit(.minutes(60)), .paced)
struct MemoryCacheTests {
    private func key(_ name: String) throws -> CacheKey {
        try #require(CacheKey(HTTPRequest(url: HTTPURL("https://api.test/\(name)"))))
    }

    private func entry(_ size: Int, headers: HTTPFields = [:]) -> CacheEntry {
        CacheEntry(
            response: HTTPResponse(status: 200, headers: headers, body: Data(count: size)),
            storedAt: Date(timeIntervalSinceReferenceDate: 0))
    }

    private func found(_ name: String, in cache: MemoryCache) async throws -> CacheEntry? {
        try? cache.entry(for: try self.key(name))
    }

    /// The bytes that an entry takes without a body, when the name of its key has one letter.
    private let emptyCost: Int

    init() throws {
        let key = CacheKey(HTTPRequest(url: try HTTPURL("https://api.test/a")))
        let entry = CacheEntry(response: HTTPResponse(status: 200), storedAt: Date(timeIntervalSinceReferenceDate: 0))
        self.emptyCost = try #require(key).cost + entry.cost
    }

    @Test func `answers what was stored`() async throws {
        let cache = MemoryCache()
        #expect(try await self.found("a", in: cache) == nil)
        cache.store(self.entry(5, headers: ["X-A": "1"]), for: try self.key("a"))
        let entry = try #require(try await self.found("a", in: cache))
        #expect(entry.response.data.count == 5)
        #expect(entry.response.headers["x-a"] == "1")
        #expect(entry.storedAt == Date(timeIntervalSinceReferenceDate: 0))
        #expect(try await self.found("b", in: cache) == nil)
    }

    @Test func `what is there is at hand, also in front of another and behind a route`() async throws {
        let (memory, key) = (MemoryCache(), try self.key("a"))
        let tiers = TieredCache(front: memory, back: MemoryCache())
        let caches: [any ResponseCache] = [memory, tiers, RoutedCache(otherwise: tiers, routes: [])]
        for cache in caches { #expect(cache.entryWithoutSuspending(for: key) == nil) }
        await tiers.back.store(self.entry(5), for: key)
        for cache in caches { #expect(cache.entryWithoutSuspending(for: key) == nil) }
        _ = try await tiers.entry(for: key)
        for cache in caches { #expect(cache.entryWithoutSuspending(for: key)?.response.data.count == 5) }
        try await tiers.remove(key)
        for cache in caches { #expect(cache.entryWithoutSuspending(for: key) == nil) }
    }

    @Test func `what was read before a removal is not kept, though somebody reads anew since`() throws {
        let (cache, key) = (MemoryCache(), try self.key("a"))
        let early = cache.ticket(for: key)
        cache.remove(key)
        let late = cache.ticket(for: key)
        cache.fill(self.entry(1), for: key, early)
        #expect(cache.entryWithoutSuspending(for: key) == nil)
        cache.fill(self.entry(2), for: key, late)
        #expect(cache.entryWithoutSuspending(for: key)?.response.data.count == 2)
    }

    @Test func `a function that chooses may use the cache, and what it stores stays`() async throws {
        let (cache, keys) = (MemoryCache(), try ["a", "b"].map { try self.key($0) })
        for key in keys { cache.store(self.entry(1), for: key) }
        let count = cache.remove { item in
            if item.url.hasSuffix("/a") { cache.store(self.entry(2), for: keys[0]) }
            return true
        }
        #expect(count == 1)
        #expect(cache.entryWithoutSuspending(for: keys[0])?.response.data.count == 2)
        #expect(cache.count == 1)
    }

    @Test func `counts the bytes it keeps`() async throws {
        let cache = MemoryCache(capacity: 10_000)
        cache.store(self.entry(100), for: try self.key("a"))
        #expect(cache.size == 100 + self.emptyCost)
        cache.store(self.entry(200, headers: ["Name": "value"]), for: try self.key("b"))
        #expect(cache.size > 300 + 2 * self.emptyCost + "Namevalue".utf8.count)
        cache.store(self.entry(1), for: try self.key("b"))
        #expect(cache.size == 101 + 2 * self.emptyCost)
        #expect(cache.count == 2)
        cache.remove(try self.key("a"))
        cache.remove(try self.key("a"))
        #expect(cache.size == 1 + self.emptyCost)
        try await cache.removeAll()
        #expect(cache.size == 0)
        #expect(cache.count == 0)
    }

    @Test func `counts all that an entry holds`() throws {
        let long = String(repeating: "a", count: 10_000)
        let field = CacheEntry.NominatedField(name: "accept", value: long)
        let variant = CacheEntry.HTTPRecord.Variant(nominated: [field], tag: long, modified: long)
        let date = Date(timeIntervalSinceReferenceDate: 0)
        var response = HTTPResponse(status: 200)
        response.trailers = ["X-A": long]
        let plain = HTTPResponse(status: 200)
        let entries = try [
            CacheEntry(response: response, storedAt: date), CacheEntry(response: plain, storedAt: date, tag: long),
            CacheEntry(response: plain, storedAt: date, appVersion: long),
            CacheEntry(response: plain, storedAt: date, url: HTTPURL("https://api.test/\(long)")),
            CacheEntry(
                response: plain, storedAt: date, http: CacheEntry.HTTPRecord(respondedAt: date, nominated: [field])),
            CacheEntry(
                response: plain, storedAt: date, http: CacheEntry.HTTPRecord(respondedAt: date, searches: [long])),
        ]
        for entry in entries { #expect(entry.cost >= 10_000, "\(entry)") }
        let record = CacheEntry.HTTPRecord(respondedAt: date, variants: [variant])
        #expect(CacheEntry(response: plain, storedAt: date, http: record).cost >= 30_000)
        let key = CacheKey(HTTPRequest(url: try HTTPURL("https://api.test/a")), endpoint: long)
        #expect(try #require(key).cost >= 10_000)
    }

    @Test func `keeps no more entries without a body than it has room for`() throws {
        let cache = MemoryCache(capacity: 100_000)
        for index in 0..<1_000 { cache.store(self.entry(0), for: try self.key("\(index)")) }
        #expect(cache.count < 100_000 / 256)
        #expect(cache.count > 0)
    }

    @Test func `lets go of what was not used for longest`() async throws {
        let cache = MemoryCache(capacity: 4 * (100 + self.emptyCost))
        for name in ["a", "b", "c", "d"] { cache.store(self.entry(100), for: try self.key(name)) }
        #expect(cache.count == 4)
        _ = try await self.found("a", in: cache)
        cache.store(self.entry(100), for: try self.key("e"))
        #expect(try await self.found("b", in: cache) == nil)
        for name in ["a", "d", "e"] { #expect(try await self.found(name, in: cache) != nil) }
    }

    @Test func `never keeps more than it may`() async throws {
        let cache = MemoryCache(capacity: 5_000)
        var state: UInt64 = 7
        for index in 0..<2_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            cache.store(self.entry(Int(state >> 33) % 1_500), for: try self.key("\(index % 37)"))
            #expect(cache.size <= 5_000)
        }
        #expect(cache.count > 0)
        try await cache.removeAll()
        #expect(cache.size == 0)
    }

    @Test func `does not keep what is larger than all of it, nor what that replaces`() async throws {
        let cache = MemoryCache(capacity: 2 * (20 + self.emptyCost))
        cache.store(self.entry(10), for: try self.key("a"))
        cache.store(self.entry(10), for: try self.key("b"))
        cache.store(self.entry(1_000), for: try self.key("a"))
        #expect(try await self.found("a", in: cache) == nil)
        #expect(try await self.found("b", in: cache) != nil)
        #expect(cache.size == 10 + self.emptyCost)
    }

    @Test(arguments: [0, -1])
    func `with no room keeps nothing`(capacity: Int) async throws {
        let cache = MemoryCache(capacity: capacity)
        #expect(cache.capacity == 0)
        cache.store(self.entry(0), for: try self.key("a"))
        #expect(cache.count == 0)
        #expect(cache.size == 0)
    }

    @Test func `may be used by many at once`() async throws {
        let cache = MemoryCache(capacity: 20_000)
        let keys = try (0..<8).map { try self.key("\($0)") }
        await withTaskGroup { group in
            for index in 0..<200 {
                group.addTask {
                    cache.store(self.entry(index), for: keys[index % 8])
                    _ = try? cache.entry(for: keys[(index + 1) % 8])
                    if index % 10 == 0 { cache.remove(keys[index % 8]) }
                }
            }
        }
        #expect(cache.size <= 20_000)
        for key in keys { cache.remove(key) }
        #expect(cache.size == 0)
    }

    // MARK: - Memory pressure

    private func pressure(whileReadable descriptor: Int32) -> MemoryPressure {
        MemoryPressure(from: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global()))
    }

    @Test func `memory pressure empties the cache, if the system reports any`() async throws {
        let pipe = Pipe()
        let pressure = self.pressure(whileReadable: pipe.fileHandleForReading.fileDescriptor)
        let cache = MemoryCache(capacity: 1 << 20, pressure: pressure)
        let key = try self.key("a")
        cache.store(self.entry(10), for: key)
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        while try await self.found("a", in: cache) != nil { await Task.yield() }
        // The pipe stays readable until then.
        _ = try pipe.fileHandleForReading.read(upToCount: 1)
        let other = MemoryCache(capacity: 1 << 20, pressure: MemoryPressure(from: nil))
        other.store(self.entry(10), for: key)
        #expect(try await self.found("a", in: other) != nil)
    }
}
