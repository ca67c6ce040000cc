internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache: what others could have written (G14, G15)", .timeLimit(.minutes(60)), .paced)
struct DiskCacheTrustTests {
    private let bench: DiskCacheBench

    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func store(_ text: String, _ name: String = "a", in cache: DiskCache) async throws {
        cache.store(self.bench.entry(text), for: try DiskCacheBench.key(name))
        await cache.flush()
    }

    @Test(arguments: ForeignFile.possible)
    func `a folder that others could have written is not used, and told of`(way: ForeignFile) async throws {
        try await self.store("planted", in: self.bench.cache())
        try way.apply(to: self.bench.folder)
        let cache = self.bench.cache()
        #expect(try await self.bench.miss("a", in: cache) == .unreadable)
        #expect(cache.entryWithoutSuspending(for: try DiskCacheBench.key("a")) == nil)
        #expect(cache.takeNotice()?.contains("belongs to another user, or others can write to it") == true)
        try await self.store("mine", "b", in: cache)
        #expect(self.bench.names.count == 1, "nothing is stored")
    }

    @Test(arguments: ForeignFile.possible, [1, 100_000])
    func `an entry that others could have written is never a response, and is replaced`(
        way: ForeignFile, size: Int
    ) async throws {
        let planted = String(repeating: "p", count: size)
        try await self.store(planted, in: self.bench.cache())
        for path in self.bench.paths { try way.apply(to: self.bench.folder.appending(path: path)) }
        let cache = self.bench.cache()
        #expect(cache.entryWithoutSuspending(for: try DiskCacheBench.key("a")) == nil)
        #expect(try await self.bench.text("a", in: cache) == nil)
        try await self.store("mine", in: cache)
        #expect(try await self.bench.text("a", in: cache) == "mine")
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "mine")
    }

    @Test(arguments: ForeignFile.possible)
    func `a body that others could have written is never a response`(way: ForeignFile) async throws {
        try await self.store(String(repeating: "p", count: 100_000), in: self.bench.cache())
        let body = try #require(self.bench.paths.first { $0.hasSuffix(".body") })
        try way.apply(to: self.bench.folder.appending(path: body))
        #expect(try await self.bench.text("a", in: self.bench.cache()) == nil)
    }

    @Test(arguments: ForeignFile.possible)
    func `a lock or a subfolder that others could have made is not used`(way: ForeignFile) async throws {
        let digits = try DiskCacheBench.key("a").name
        for name in ["errand.lock", String(digits.prefix(1))] {
            try await self.store("mine", in: self.bench.cache())
            try way.apply(to: self.bench.folder.appending(path: name))
            let cache = self.bench.cache()
            try await self.store("other", in: cache)
            #expect(cache.takeNotice()?.contains(": it belongs to another user") == true)
            try FileManager.default.removeItem(at: self.bench.folder)
        }
    }
}
