internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache: bad folders", .timeLimit(.minutes(60)), .paced)
struct DiskCacheFolderTests {
    private let bench: DiskCacheBench
    private let manager = FileManager.default

    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func store(_ text: String = "x", _ name: String = "a", in cache: DiskCache) async throws {
        cache.store(self.bench.entry(text), for: try DiskCacheBench.key(name))
        await cache.flush()
    }

    @Test(arguments: ["", "/below", "/below/deep"])
    func `a folder that is a file is told once, and left`(path: String) async throws {
        try Data("mine".utf8).write(to: self.bench.folder)
        let cache = DiskCache(folder: URL(filePath: self.bench.folder.path + path))
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(cache.takeNotice() == nil)
        for _ in 0..<3 { try await self.store(in: cache) }
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(
            cache.takeNotice() == "responses cannot be stored in the cache folder \(cache.folder.path): Not a directory"
        )
        #expect(cache.takeNotice() == nil)
        #expect(try await cache.remove { _ in true } == 0)
        #expect(await cache.usage?.entries == 0)
        #expect(try Data(contentsOf: self.bench.folder) == Data("mine".utf8))
        // Once it is well again, the same can be told again.
        try self.manager.removeItem(at: self.bench.folder)
        try await self.store(in: cache)
        #expect(try await self.bench.text("a", in: cache) == "x")
        #expect(cache.takeNotice() == nil)
        try self.manager.removeItem(at: self.bench.folder)
        try Data().write(to: self.bench.folder)
        try await self.store(in: cache)
        #expect(cache.takeNotice() != nil)
    }

    @Test(arguments: ["/proc/errand", "/dev/null", "/sys/errand/cache"])
    func `a place that cannot be written to is told`(path: String) async throws {
        let cache = DiskCache(folder: URL(filePath: path))
        try await self.store(in: cache)
        #expect(cache.takeNotice()?.hasPrefix("responses cannot be stored in the cache folder ") == true)
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
    }

    @Test func `what is not the URL of a file is no folder`() async throws {
        let cache = DiskCache(folder: try #require(URL(string: "https://a.test\(self.bench.folder.path)")))
        try await self.store(in: cache)
        #expect(cache.takeNotice() != nil)
        #expect(!self.manager.fileExists(atPath: self.bench.folder.path))
    }

    @Test func `a folder that is removed while in use is made again`() async throws {
        let cache = self.bench.cache(capacity: 5_000)
        for round in 0..<3 {
            for name in ["a", "b"] { try await self.store("\(round)", name, in: cache) }
            #expect(try await self.bench.text("a", in: cache) == "\(round)")
            try self.manager.removeItem(at: self.bench.folder)
            #expect(try await self.bench.miss("a", in: cache) == .noEntry)
            #expect(await cache.usage?.bytes == 0)
        }
        try await self.store(in: cache)
        #expect(await cache.usage?.entries == 1)
        #expect(cache.takeNotice() == nil)
    }

    @Test func `foreign files are neither touched nor counted`() async throws {
        let digits = String(repeating: "a", count: 64)
        let names = [
            "notes.txt", ".hidden", "x.errand", "\(digits.uppercased()).errand", "\(digits)0.errand",
            "\(digits).errand2", ".\(digits).part", ".\(digits).errand.part", ".\(digits).other.0.part",
            "\(digits).errand.0.part", "\(digits)-1.body", "a/notes.txt", "a/\(digits).part", "a/\(digits)-0x1.body",
            "a/\(digits)-01.part", "a/\(digits)-1.parts", "a/-1.body", "b/\(digits).errand", "b/\(digits)-1.body",
            "z/1",
        ]
        for name in names {
            let file = self.bench.folder.appending(path: name)
            try self.manager.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(count: 5_000).write(to: file)
        }
        self.bench.advance(by: 1e6)
        let cache = self.bench.cache(capacity: 3_000, maximumAge: .seconds(10))
        for index in 0..<20 { try await self.store("x", "\(index)", in: cache) }
        #expect(try #require(await cache.usage).evictions > 0)
        #expect(try #require(await cache.usage).bytes <= 3_000)
        #expect(try await cache.remove { _ in true } > 0)
        #expect(self.bench.paths == names.sorted())
    }

    @Test func `a link in the place of a subfolder or of the lock is left alone`() async throws {
        let digits = try DiskCacheBench.key("a").name
        let target = self.bench.folder.deletingLastPathComponent().appending(path: "target")
        for name in [String(digits.prefix(1)), "errand.lock"] {
            try self.manager.createDirectory(at: self.bench.folder, withIntermediateDirectories: true)
            try self.manager.createDirectory(at: target, withIntermediateDirectories: true)
            try self.manager.createSymbolicLink(
                at: self.bench.folder.appending(path: name), withDestinationURL: target)
            let cache = self.bench.cache()
            try await self.store(in: cache)
            #expect(cache.takeNotice()?.hasPrefix("responses cannot be stored in the cache folder ") == true)
            #expect(try await self.bench.miss("a", in: cache) == .noEntry)
            #expect(try self.manager.contentsOfDirectory(atPath: target.path).isEmpty)
            try self.manager.removeItem(at: self.bench.folder)
        }
    }

    @Test func `a folder that is replaced while one waits for its lock is locked anew`() async throws {
        let folder = self.bench.folder
        let isArmed = Locked(false)
        let cache = self.bench.cache(watcher: { seen in
            guard case .renaming = seen, isArmed.withLock({ $0 }) else { return }
            isArmed.withLock { $0 = false }
            try? FileManager.default.removeItem(at: folder)
        })
        try await self.store("old", "a", in: cache)
        isArmed.withLock { $0 = true }
        try await self.store("x", "a", in: cache)
        #expect(isArmed.withLock { !$0 })
        #expect(cache.takeNotice() != nil)
        try await self.store("y", "a", in: cache)
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "y")
        #expect(await cache.usage == CacheEntry.Totals(entries: 1, bytes: self.bench.bytes))
    }

    @Test(arguments: [true, false])
    func `links are not followed, and left alone`(isDangling: Bool) async throws {
        let cache = self.bench.cache()
        try await self.store("secret", "other", in: cache)
        let target = self.bench.folder.deletingLastPathComponent().appending(path: "target")
        if !isDangling { try self.manager.moveItem(at: self.bench.file("other"), to: target) }
        try self.manager.createDirectory(
            at: self.bench.file("a").deletingLastPathComponent(), withIntermediateDirectories: true)
        try self.manager.createSymbolicLink(at: self.bench.file("a"), withDestinationURL: target)
        #expect(try await self.bench.miss("a", in: cache) == .unreadable)
        #expect(cache.takeNotice()?.hasSuffix("the name of one of its files is taken by something else") == true)
        try await self.store("new", "a", in: cache)
        #expect(cache.takeNotice() == nil)
        #expect(try await self.bench.miss("a", in: cache) == .unreadable)
        await #expect(throws: ErrandError.self) { try await cache.remove(try DiskCacheBench.key("a")) }
        #expect(try await cache.remove { _ in true } == (isDangling ? 1 : 0))
        #expect(try self.manager.destinationOfSymbolicLink(atPath: self.bench.file("a").path) == target.path)
        #expect(self.manager.fileExists(atPath: target.path) == !isDangling)
    }

    @Test func `a folder or a pipe in the place of an entry is left alone`() async throws {
        let cache = self.bench.cache()
        try await self.store(in: cache)
        try self.manager.createDirectory(at: self.bench.file("folder"), withIntermediateDirectories: true)
        try self.manager.createDirectory(
            at: self.bench.file("pipe").deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(unsafe mkfifo(try self.bench.file("pipe").path, 0o600) == 0)
        for name in ["folder", "pipe"] {
            #expect(try await self.bench.miss(name, in: cache) == .unreadable)
            try await self.store("x", name, in: cache)
            #expect(try await self.bench.miss(name, in: cache) == .unreadable)
            #expect((cache.takeNotice() != nil) == (name == "folder"))
            #expect(cache.takeNotice() == nil)
        }
        #expect(await cache.usage?.entries == 1)
        #expect(self.bench.names.count == 3)
    }

    @Test func `the folder may be a link`() async throws {
        let place = self.bench.folder.deletingLastPathComponent().appending(path: "place")
        try self.manager.createDirectory(at: place, withIntermediateDirectories: false)
        try self.manager.createSymbolicLink(at: self.bench.folder, withDestinationURL: place)
        let cache = self.bench.cache()
        try await self.store(in: cache)
        #expect(try await self.bench.text("a", in: cache) == "x")
        #expect(self.bench.names.count == 1)
        #expect(try self.manager.subpathsOfDirectory(atPath: place.path).contains(try #require(self.bench.paths.first)))
    }

    @Test func `two caches on one folder see what the other does`() async throws {
        let (one, two) = (self.bench.cache(), self.bench.cache())
        try await self.store("1", "a", in: one)
        #expect(try await self.bench.text("a", in: two) == "1")
        try await self.store("2", "a", in: two)
        #expect(try await self.bench.text("a", in: one) == "2")
        #expect(await one.usage?.bytes == self.bench.bytes)
        try await one.remove(try DiskCacheBench.key("a"))
        #expect(try await self.bench.miss("a", in: two) == .noEntry)
        #expect(await two.usage?.entries == 0)
    }

    /// Files of this process can become no larger than this then; as root, one cannot be kept from writing otherwise.
    @Test func `a full disk leaves whole entries, and no old one in place of a new one`() async throws {
        await #expect(processExitsWith: .success) {
            let bench = try DiskCacheBench()
            let cache = bench.cache()
            func store(_ size: Int, _ name: String) async throws {
                cache.store(bench.entry(Data(count: size)), for: try DiskCacheBench.key(name))
                await cache.flush()
            }
            for name in ["a", "b"] { try await store(10, name) }
            guard let limit = TestFileSizeLimit(bytes: 2_000) else { exit(2) }
            for _ in 0..<3 { try await store(3_000, "a") }
            guard try await bench.miss("a", in: cache) == .noEntry, bench.names.count == 1 else { exit(4) }
            guard
                cache.takeNotice()
                    == "responses cannot be stored in the cache folder \(cache.folder.path): File too large"
            else { exit(5) }
            guard cache.takeNotice() == nil, try await bench.text("b", in: cache) != nil else { exit(6) }
            try await store(20, "c")
            guard limit.lift() else { exit(7) }
            try await store(3_000, "a")
            let next = bench.cache()
            for (name, size) in [("a", 3_000), ("b", 10), ("c", 20)] {
                guard try await bench.text(name, in: next)?.utf8.count == size else { exit(8) }
            }
            guard await cache.usage?.bytes == bench.bytes else { exit(9) }
            // The next start writes as ever.
            next.store(bench.entry("new"), for: try DiskCacheBench.key("d"))
            await next.flush()
            guard next.takeNotice() == nil, try await bench.text("d", in: bench.cache()) == "new" else { exit(10) }
        }
    }
}
