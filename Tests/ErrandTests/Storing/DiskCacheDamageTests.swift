internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache: damaged files", .timeLimit(.minutes(60)), .paced)
struct DiskCacheDamageTests {
    private let bench: DiskCacheBench

    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func stored(_ name: String = "a") async throws -> DiskCache {
        let cache = self.bench.cache()
        cache.store(self.bench.entry("the body of \(name)"), for: try DiskCacheBench.key(name))
        await cache.flush()
        return cache
    }

    @Test(arguments: [
        (0, CacheMiss.corruptHead), (6, .otherFormat), (8, .corruptHead), (16, .corruptHead), (24, .corruptHead),
        (40, .corruptHead), (47, .corruptHead), (79, .corruptHead), (87, .corruptHead), (88, .corruptHead),
        (150, .corruptHead),
        (-1, .corruptBody), (-10, .corruptBody),
    ])
    func `a changed byte is noticed, and the file removed and counted`(offset: Int, miss: CacheMiss) async throws {
        let cache = try await self.stored()
        var data = try Data(contentsOf: self.bench.file("a"))
        data[offset < 0 ? data.count + offset : offset] ^= 0x10
        try data.write(to: self.bench.file("a"))
        #expect(try await self.bench.miss("a", in: cache) == miss)
        await cache.flush()
        // One of another format stays until it has to go.
        #expect(self.bench.names.isEmpty == (miss != .otherFormat))
        #expect(try await self.bench.miss("a", in: cache) == (miss == .otherFormat ? .otherFormat : .noEntry))
        #expect(await cache.usage?.corruptions == (miss == .otherFormat ? 0 : 1))
        cache.store(self.bench.entry("new"), for: try DiskCacheBench.key("a"))
        await cache.flush()
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "new")
    }

    @Test(arguments: [
        (0, CacheMiss.corruptHead), (1, .corruptHead), (71, .corruptHead), (87, .corruptHead), (88, .corruptBody),
        (100, .corruptBody), (-1, .corruptBody), (-13, .corruptBody),
    ])
    func `missing bytes are noticed`(length: Int, miss: CacheMiss) async throws {
        let cache = try await self.stored()
        let data = try Data(contentsOf: self.bench.file("a"))
        try data.prefix(length < 0 ? data.count + length : length).write(to: self.bench.file("a"))
        #expect(try await self.bench.miss("a", in: cache) == miss)
        await cache.flush()
        #expect(self.bench.names.isEmpty)
    }

    @Test func `more bytes are noticed`() async throws {
        let cache = try await self.stored()
        try (try Data(contentsOf: self.bench.file("a")) + [0]).write(to: self.bench.file("a"))
        #expect(try await self.bench.miss("a", in: cache) == .corruptBody)
    }

    @Test func `the entry of another key is not this one's`() async throws {
        let cache = try await self.stored()
        try FileManager.default.createDirectory(
            at: self.bench.file("b").deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: self.bench.file("a"), to: self.bench.file("b"))
        #expect(try await self.bench.miss("b", in: cache) == .corruptHead)
        #expect(try await self.bench.text("a", in: cache) == "the body of a")
    }

    @Test func `a file much larger than it may be is not read`() async throws {
        let cache = try await self.stored()
        let handle = try FileHandle(forWritingTo: self.bench.file("a"))
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        #expect(try await self.bench.miss("a", in: cache) == .corruptBody)
        cache.store(self.bench.entry("b"), for: try DiskCacheBench.key("b"))
        await cache.flush()
        #expect(try !FileManager.default.fileExists(atPath: self.bench.file("a").path))
        // That it had so many bytes was not counted.
        #expect(await cache.usage == CacheEntry.Totals(entries: 1, bytes: self.bench.bytes, corruptions: 1))
    }

    enum Body: CaseIterable {
        case changed, shorter, longer, gone, folder, foreign
    }

    @Test(arguments: Body.allCases)
    func `so it is with a body in a file of its own`(damage: Body) async throws {
        let (cache, key) = (self.bench.cache(), try DiskCacheBench.key("a"))
        cache.store(self.bench.entry(Data(count: 100_000)), for: key)
        await cache.flush()
        let path = try #require(self.bench.paths.first { $0.hasSuffix(".body") })
        let (file, manager) = (self.bench.folder.appending(path: path), FileManager.default)
        var data = try Data(contentsOf: file)
        data[99_000] = 1
        switch damage {
        case .changed: try data.write(to: file)
        case .shorter: #expect(unsafe truncate(file.path, 99_999) == 0)
        case .longer: #expect(unsafe truncate(file.path, 1 << 40) == 0)
        case .gone: try manager.removeItem(at: file)
        case .folder:
            try manager.removeItem(at: file)
            try manager.createDirectory(at: file, withIntermediateDirectories: false)
        case .foreign: try Data(count: 10).write(to: self.bench.file(ofDigest: key.name, "-1.body"))
        }
        let miss = try await self.bench.miss("a", in: cache)
        #expect(miss == (damage == .foreign ? nil : .corruptBody))
        await cache.flush()
        guard damage != .foreign else { return }
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(await cache.usage?.corruptions == 1)
        #expect(self.bench.names.count == (damage == .folder ? 1 : 0))
    }

    enum Later: CaseIterable {
        case same, other, longer, shorter, damaged, huge, folder, pipe, link, gone
    }

    /// What is known of a file from the last time spares a look at it, and nothing else.
    @Test(arguments: Later.allCases) func `what others made of a file that was read is noticed`(
        _ later: Later
    ) async throws {
        let cache = try await self.stored()
        for _ in 0..<2 { #expect(try await self.bench.text("a", in: cache) == "the body of a") }
        let (file, manager) = (try self.bench.file("a"), FileManager.default)
        var data = try Data(contentsOf: file)
        let (key, other) = (try DiskCacheBench.key("a"), self.bench.cache())
        if ![.same, .other, .huge].contains(later) { try manager.removeItem(at: file) }
        switch later {
        case .same: other.store(self.bench.entry("the BODY of a"), for: key)
        case .other: other.store(self.bench.entry("another"), for: key)
        case .longer: try (data + [0]).write(to: file)
        case .shorter: try data.dropLast().write(to: file)
        case .damaged:
            data[data.count - 1] ^= 1
            try data.write(to: file)
        case .huge: #expect(unsafe truncate(file.path, 1 << 40) == 0)
        case .folder: try manager.createDirectory(at: file, withIntermediateDirectories: false)
        case .pipe: #expect(unsafe mkfifo(file.path, 0o600) == 0)
        case .link:
            let target = self.bench.folder.deletingLastPathComponent().appending(path: "target")
            try data.write(to: target)
            try manager.createSymbolicLink(at: file, withDestinationURL: target)
        case .gone: break
        }
        await other.flush()
        switch later {
        case .same: #expect(try await self.bench.text("a", in: cache) == "the BODY of a")
        case .other: #expect(try await self.bench.text("a", in: cache) == "another")
        case .longer, .shorter, .damaged:
            #expect(try await self.bench.miss("a", in: cache) == .corruptBody)
            await cache.flush()
            #expect(!manager.fileExists(atPath: file.path))
            #expect(await cache.usage?.corruptions == 1)
        case .folder, .pipe, .link: #expect(try await self.bench.miss("a", in: cache) == .unreadable)
        case .huge: #expect(try await self.bench.miss("a", in: cache) == .corruptBody)
        case .gone: #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        }
    }

    @Test func `removing by choice removes what is damaged, and leaves other formats`() async throws {
        let cache = try await self.stored()
        for name in ["b", "c"] { _ = try await self.stored(name) }
        for (name, offset) in [("b", 6), ("c", 80)] {
            var data = try Data(contentsOf: self.bench.file(name))
            data[offset] ^= 1
            try data.write(to: self.bench.file(name))
        }
        #expect(try await cache.remove { _ in false } == 0)
        await cache.flush()
        #expect(self.bench.names.count == 2)
        #expect(await cache.usage?.corruptions == 1)
    }

    @Test func `removing by choice reads heads of any length`() async throws {
        let cache = self.bench.cache()
        for length in [10, 3_000, 4_000, 5_000, 100_000] {
            let response = HTTPResponse(status: 200, headers: ["X-Long": String(repeating: "x", count: length)])
            let entry = CacheEntry(response: response, storedAt: self.bench.now, tag: "\(length)")
            cache.store(entry, for: try DiskCacheBench.key("\(length)"))
        }
        #expect(try await cache.remove { $0.tag == "5000" } == 1)
        #expect(try await cache.remove { $0.tag != nil } == 4)
        #expect(self.bench.names.isEmpty)
    }

    @Test func `what an earlier version left goes when files are counted first`() async throws {
        let digits = String(repeating: "a", count: 64)
        let old = ["\(digits).errand", ".\(digits).errand.1f.part", ".errand-bytes"]
        try FileManager.default.createDirectory(at: self.bench.folder, withIntermediateDirectories: false)
        for name in old { try Data(count: 100).write(to: self.bench.folder.appending(path: name)) }
        let cache = try await self.stored()
        #expect(self.bench.names.count == 1)
        #expect(await cache.usage == CacheEntry.Totals(entries: 1, bytes: self.bench.bytes))
        #expect(cache.takeNotice() == nil)
    }
}
