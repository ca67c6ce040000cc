internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache", .timeLimit(.minutes(60)), .paced)
struct DiskCacheTests {
    private let bench: DiskCacheBench

    init() throws {
        self.bench = try DiskCacheBench()
    }

    @Test(arguments: ResponseCacheConformance.cases)
    func `conforms`(_ one: ResponseCacheConformance.Case) async throws {
        try await one.run(against: self.bench.cache(capacity: 50 << 20))
    }

    @Test(arguments: ResponseCacheConformance.cases)
    func `conforms in tiers, in memory, and by kind`(_ one: ResponseCacheConformance.Case) async throws {
        try await one.run(against: TieredCache(back: self.bench.cache(capacity: 50 << 20)))
        let small = MemoryCache(capacity: 3_000)
        try await one.run(
            against: TieredCache(front: small, back: try DiskCacheBench().cache(capacity: 50 << 20)))
        try await one.run(against: MemoryCache())
        try await one.run(against: RoutedCache(otherwise: MemoryCache(), routes: []))
    }

    @Test func `touches nothing until something is stored`() async throws {
        let cache = self.bench.cache()
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        try await cache.remove(try DiskCacheBench.key("a"))
        #expect(try await cache.remove { _ in true } == 0)
        #expect(await cache.usage == CacheEntry.Totals())
        await cache.flush()
        #expect(!FileManager.default.fileExists(atPath: self.bench.folder.path))
        #expect(cache.takeNotice() == nil)
    }

    @Test func `answers what is not on the disk yet`() async throws {
        let cache = self.bench.cache()
        let key = try DiskCacheBench.key("a")
        for index in 0..<200 {
            cache.store(self.bench.entry("\(index)"), for: key)
            #expect(try await self.bench.text("a", in: cache) == "\(index)")
        }
        await cache.flush()
        #expect(try await self.bench.text("a", in: cache) == "199")
        #expect(self.bench.names.count == 1)
    }

    @Test func `serves what was stored before the start`() async throws {
        let entry = self.bench.entry("hello", tag: "t")
        let cache = self.bench.cache()
        cache.store(entry, for: try DiskCacheBench.key("a"))
        await cache.flush()
        let found = try await self.bench.cache().entry(for: try DiskCacheBench.key("a"))
        #expect(found.isSame(as: entry))
        #expect(try await self.bench.miss("b", in: self.bench.cache()) == .noEntry)
    }

    @Test func `has folder and files for this user only, named for digests`() async throws {
        let deep = self.bench.folder.appending(path: "x/y")
        let cache = DiskCache(folder: deep)
        cache.store(self.bench.entry("a"), for: try DiskCacheBench.key("a"))
        await cache.flush()
        let manager = FileManager.default
        for folder in [self.bench.folder, self.bench.folder.appending(path: "x"), deep] {
            let mode = try manager.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        let digits = try DiskCacheBench.key("a").name
        let name = "\(digits.prefix(1))/\(digits).errand"
        #expect(
            try manager.subpathsOfDirectory(atPath: deep.path).sorted() == ["\(digits.prefix(1))", name, "errand.lock"])
        #expect(
            try manager.attributesOfItem(atPath: deep.appending(path: String(digits.prefix(1))).path)[.posixPermissions]
                as? Int == 0o700)
        for file in [name, "errand.lock"] {
            let mode = try manager.attributesOfItem(atPath: deep.appending(path: file).path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    #if canImport(Darwin)
        @Test func `has a folder that is not backed up`() async throws {
            let cache = self.bench.cache()
            cache.store(self.bench.entry("a"), for: try DiskCacheBench.key("a"))
            await cache.flush()
            let values = try self.bench.folder.resourceValues(forKeys: [.isExcludedFromBackupKey])
            #expect(values.isExcludedFromBackup == true)
        }
    #endif

    @Test func `has nothing that is secret in its files but bodies and fields`() async throws {
        let cache = self.bench.cache()
        cache.store(self.bench.entry("a"), for: try DiskCacheBench.key("a"))
        await cache.flush()
        let text = String(decoding: try Data(contentsOf: self.bench.file("a")), as: UTF8.self)
        #expect(text.contains("https://cache.test/a"))
        #expect(!text.contains("hidden"))
        #expect(!text.contains("somebody"))
    }

    @Test func `keeps times of storing and of last use in the file`() async throws {
        self.bench.stopClock()
        let cache = self.bench.cache(maximumAge: .seconds(1e12))
        cache.store(
            self.bench.entry(Data(), storedAt: Date(timeIntervalSince1970: 1e9)), for: try DiskCacheBench.key("a"))
        await cache.flush()
        let before = try self.bench.facts("a")
        #expect(before.modified == 1e9)
        #expect(abs(before.lastUse - self.bench.now.timeIntervalSince1970) < 0.001)
        self.bench.advance(by: 200)
        #expect(try await self.bench.text("a", in: cache) == "")
        let after = try self.bench.facts("a")
        #expect(after.modified == 1e9)
        #expect(abs(after.lastUse - self.bench.now.timeIntervalSince1970) < 0.001)
        #expect(try await cache.remove { _ in false } == 0)
        #expect(try self.bench.facts("a").lastUse == after.lastUse)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1e300, 1e300, -1])
    func `takes any time of storing`(seconds: Double) async throws {
        let date = Date(timeIntervalSince1970: seconds)
        let cache = self.bench.cache(maximumAge: .seconds(1e12))
        cache.store(self.bench.entry(Data(), storedAt: date), for: try DiskCacheBench.key("a"))
        await cache.flush()
        let next = self.bench.cache(maximumAge: .seconds(1e12))
        let found = try? await next.entry(for: try DiskCacheBench.key("a")).storedAt
        // What is older than anything may become, or has no age at all, is not there.
        #expect(found == (seconds > -1e12 ? date : nil))
    }

    @Test func `does not find what was removed, be it on the disk or not`() async throws {
        let cache = self.bench.cache()
        let key = try DiskCacheBench.key("a")
        for isFlushed in [true, false] {
            cache.store(self.bench.entry("a"), for: key)
            if isFlushed { await cache.flush() }
            try await cache.remove(key)
            #expect(try await self.bench.miss("a", in: cache) == .noEntry)
            #expect(self.bench.names.isEmpty)
            #expect(try await self.bench.miss("a", in: self.bench.cache()) == .noEntry)
        }
    }

    @Test func `stores no body that is not in memory`() async throws {
        let cache = self.bench.cache()
        let entry = self.bench.entry("a")
        cache.store(entry, for: try DiskCacheBench.key("a"))
        let response = HTTPResponse(head: entry.response.head, body: .file(URL(filePath: "/etc/passwd")))
        cache.store(CacheEntry(response: response, storedAt: entry.storedAt), for: try DiskCacheBench.key("a"))
        await cache.flush()
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(self.bench.names.isEmpty)
    }

    @Test func `keeps a large body in a file of its own, and there when only its metadata change`() async throws {
        let (cache, key) = (self.bench.cache(), try DiskCacheBench.key("a"))
        let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        cache.store(self.bench.entry(body, tag: "one"), for: key)
        await cache.flush()
        let first = try #require(self.bench.names.first { $0.hasSuffix(".body") })
        #expect(self.bench.names.count == 2)
        #expect(try await cache.entry(for: key).response.data == body)
        cache.store(self.bench.entry(body, tag: "two"), for: key)
        await cache.flush()
        #expect(self.bench.names.contains(first))
        #expect(try await self.bench.cache().entry(for: key).tag == "two")
        #expect(await cache.usage == CacheEntry.Totals(entries: 1, bytes: self.bench.bytes))
        cache.store(self.bench.entry(body + [1], tag: "three"), for: key)
        await cache.flush()
        #expect(!self.bench.names.contains(first))
        #expect(self.bench.names.count == 2)
        #expect(try await self.bench.cache().entry(for: key).response.data == body + [1])
        #expect(await cache.usage == CacheEntry.Totals(entries: 1, bytes: self.bench.bytes))
        try await cache.remove(key)
        #expect(self.bench.names.isEmpty)
        #expect(await cache.usage == CacheEntry.Totals())
    }

    @Test func `tells how much there is`() async throws {
        let cache = self.bench.cache()
        for name in ["a", "b", "c"] { cache.store(self.bench.entry(name), for: try DiskCacheBench.key(name)) }
        #expect(await cache.usage == CacheEntry.Totals(entries: 3, bytes: self.bench.bytes))
        try await cache.remove(try DiskCacheBench.key("b"))
        #expect(await cache.usage == CacheEntry.Totals(entries: 2, bytes: self.bench.bytes))
        #expect(await self.bench.cache().usage == CacheEntry.Totals(entries: 2, bytes: self.bench.bytes))
    }

    @Test func `is in a folder of the app by default`() {
        let path = DiskCache.standardFolder.path
        #expect(path.hasPrefix("/"))
        #expect(path.hasSuffix("/Errand"))
        #expect(DiskCache(folder: DiskCache.standardFolder).capacity == 150 << 20)
        #expect(TieredCache.standard.front.capacity == 16 << 20)
    }
}
