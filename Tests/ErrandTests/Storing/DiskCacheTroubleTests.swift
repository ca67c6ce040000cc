internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// What the system refuses: it is refused by the test here, as root can be refused nothing.
@Suite("The disk cache: a full disk, and files that stay", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct DiskCacheTroubleTests {
    private let bench: DiskCacheBench
    private let disk = SmallDisk()

    private final class SmallDisk: Sendable {
        struct State {
            /// How many bytes there is room for; what is beyond is refused with this number.
            var room = Int.max
            var number = ENOSPC
            /// With what removing is refused.
            var refusal: Int32?
            /// How often there was no room.
            var count = 0
        }

        private let state = Locked(State())

        var count: Int { self.state.withLock { $0.count } }

        func set(_ change: (inout State) -> Void) {
            self.state.withLock { change(&$0) }
        }

        func take(_ bytes: Int) throws(FileProblem) {
            let number = self.state.withLock { state -> Int32? in
                guard bytes > state.room else { return nil }
                state.count += 1
                return state.number
            }
            if let number { throw FileProblem(number) }
        }

        func remove() throws(FileProblem) {
            if let number = self.state.withLock({ $0.refusal }) { throw FileProblem(number) }
        }
    }

    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func cache(capacity: Int = 10 << 20) -> DiskCache {
        let (bench, disk) = (self.bench, self.disk)
        return bench.cache(
            capacity: capacity,
            watcher: { step throws(FileProblem) in
                switch step {
                case .renaming: try disk.take(bench.bytes)
                case .removing(let path) where !path.hasSuffix(".part"): try disk.remove()
                case .reading, .listing, .making, .removing, .locking: return
                }
            })
    }

    private func store(_ name: String, _ text: String = "x", size: Int = 0, in cache: DiskCache) async throws {
        let body = Data(text.utf8) + Data(count: size)
        cache.store(self.bench.entry(body), for: try DiskCacheBench.key(name))
        await cache.flush()
    }

    // MARK: - A full disk

    @Test(arguments: [ENOSPC, EDQUOT])
    func `what was not used for longest makes room on a full disk`(number: Int32) async throws {
        let cache = self.cache()
        self.disk.set { ($0.room, $0.number) = (20_000, number) }
        for index in 0..<100 {
            try await self.store("\(index)", size: 1_000, in: cache)
            #expect(try await self.bench.text("\(index)", in: cache) != nil)
            #expect(self.bench.bytes <= 20_000)
        }
        #expect(cache.takeNotice() == nil)
        let usage = try #require(await cache.usage)
        // Some each time, so that it need not be done each time.
        #expect((80..<98).contains(usage.evictions))
        #expect(self.disk.count <= 60)
        #expect(usage.bytes == self.bench.bytes)
        #expect(try await self.bench.miss("0", in: cache) == .noEntry)
    }

    @Test func `what would not fit anyway drives nothing out`() async throws {
        let cache = self.cache()
        self.disk.set { $0.room = 20_000 }
        for index in 0..<10 { try await self.store("\(index)", size: 1_000, in: cache) }
        for _ in 0..<2 { try await self.store("large", size: 30_000, in: cache) }
        #expect(await cache.usage?.entries == 10)
        #expect(try await self.bench.miss("large", in: cache) == .noEntry)
        #expect(
            cache.takeNotice()
                == "responses cannot be stored in the cache folder \(cache.folder.path): No space left on device")
        #expect(cache.takeNotice() == nil)
    }

    @Test func `a disk that others fill is tried twice, then left with one notice`() async throws {
        let cache = self.cache()
        for index in 0..<40 { try await self.store("\(index)", size: 1_000, in: cache) }
        self.disk.set { $0.room = 0 }
        try await self.store("a", size: 1_000, in: cache)
        #expect(self.disk.count == 2)
        let left = try #require(await cache.usage).entries
        #expect((30..<40).contains(left))
        for index in 0..<10 { try await self.store("a\(index)", size: 1_000, in: cache) }
        // Once each, and nothing more goes for it.
        #expect(self.disk.count == 12)
        #expect(await cache.usage?.entries == left)
        #expect(
            cache.takeNotice()
                == "responses cannot be stored in the cache folder \(cache.folder.path): No space left on device")
        #expect(cache.takeNotice() == nil)
        // There is room again, and the same can happen again.
        self.disk.set { $0.room = .max }
        try await self.store("b", size: 1_000, in: cache)
        #expect(try await self.bench.text("b", in: self.bench.cache()) != nil)
        self.disk.set { $0.room = 0 }
        try await self.store("c", size: 1_000, in: cache)
        #expect(self.disk.count == 14)
        #expect(cache.takeNotice() != nil)
        #expect(self.bench.names.allSatisfy { $0.hasSuffix(".errand") })
    }

    @Test func `no old entry is answered in place of one that did not fit`() async throws {
        let cache = self.cache()
        try await self.store("a", "old", in: cache)
        self.disk.set { $0.room = 0 }
        try await self.store("a", "new", in: cache)
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(try await self.bench.miss("a", in: self.bench.cache()) == .noEntry)
    }

    // MARK: - Files that stay

    enum Removal: CaseIterable {
        case key, choice, all
    }

    @Test(arguments: Removal.allCases)
    func `what was to go and stays is told, and can be removed again`(removal: Removal) async throws {
        let (cache, key) = (self.cache(), try DiskCacheBench.key("a"))
        for name in ["a", "b", "c"] { try await self.store(name, "old", in: cache) }
        self.disk.set { $0.refusal = EPERM }
        let error = await #expect(throws: ErrandError.self) {
            switch removal {
            case .key: try await cache.remove(key)
            case .choice: try await cache.remove { !$0.url.contains("/b?") }
            case .all: try await cache.removeAll()
            }
        }
        #expect(error?.code == .fileFailed)
        #expect(
            error?.message
                == "stored responses cannot be removed in the cache folder \(cache.folder.path): Operation not permitted"
        )
        #expect(try await self.bench.text("a", in: cache) == "old")
        #expect(await cache.usage == CacheEntry.Totals(entries: 3, bytes: self.bench.bytes))
        self.disk.set { $0.refusal = nil }
        if removal == .choice {
            #expect(try await cache.remove { !$0.url.contains("/b?") } == 2)
        } else {
            try await cache.remove(key)
        }
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(try await self.bench.text("b", in: cache) == "old")
    }

    @Test func `of several that go, one that stays keeps none from going`() async throws {
        let (bench, key) = (self.bench, try DiskCacheBench.key("1"))
        let path = try bench.file("1").path
        let cache = bench.cache(watcher: { step throws(FileProblem) in
            if case .removing(path) = step { throw FileProblem(EPERM) }
        })
        for index in 0..<3 { try await self.store("\(index)", in: cache) }
        await #expect(throws: ErrandError.self) { try await cache.removeAll() }
        #expect(bench.names == ["\(key.name).errand"])
    }

    /// A file system on a network may have no locks.
    @Test(arguments: [ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL])
    func `where one cannot lock one can read, and is told so once`(number: Int32) async throws {
        try await self.store("a", in: self.bench.cache())
        let cache = self.bench.cache(watcher: { step throws(FileProblem) in
            if case .locking = step { throw FileProblem(number) }
        })
        #expect(try await self.bench.text("a", in: cache) == "x")
        for _ in 0..<3 { try await self.store("b", in: cache) }
        #expect(try await self.bench.miss("b", in: cache) == .noEntry)
        #expect(
            cache.takeNotice()
                == "responses cannot be stored in the cache folder \(cache.folder.path): \(FileProblem(number))")
        #expect(cache.takeNotice() == nil)
        await #expect(throws: ErrandError.self) { try await cache.remove(try DiskCacheBench.key("a")) }
        #expect(await cache.usage == nil)
        #expect(try await self.bench.text("a", in: cache) == "x")
        #expect(await cache.summaries().count == 1)
    }

    @Test func `removing what is not there takes no lock`() async throws {
        try await self.store("a", in: self.bench.cache())
        let cache = self.bench.cache(watcher: { step throws(FileProblem) in
            if case .locking = step { throw FileProblem(ENOLCK) }
        })
        try await cache.remove(try DiskCacheBench.key("b"))
        await #expect(throws: ErrandError.self) { try await cache.remove(try DiskCacheBench.key("a")) }
    }

    @Test func `what cannot be let go of leaves no room for more`() async throws {
        let cache = self.cache(capacity: 5_000)
        for name in ["a", "b", "c"] { try await self.store(name, size: 1_000, in: cache) }
        self.disk.set { $0.refusal = EPERM }
        for name in ["d", "e", "f"] { try await self.store(name, size: 1_000, in: cache) }
        #expect(self.bench.bytes <= 5_000)
        #expect(try await self.bench.text("a", in: cache) != nil)
        #expect(
            cache.takeNotice()
                == "responses cannot be stored in the cache folder \(cache.folder.path): Operation not permitted")
        self.disk.set { $0.refusal = nil }
        for name in ["d", "e", "f"] { try await self.store(name, size: 1_000, in: cache) }
        #expect(try await self.bench.text("f", in: cache) != nil)
        #expect(self.bench.bytes <= 5_000)
    }

    @Test func `a folder that took the name of an entry is left, and not answered`() async throws {
        let cache = self.cache()
        try await self.store("a", in: cache)
        let manager = FileManager.default
        try manager.removeItem(at: self.bench.file("a"))
        try manager.createDirectory(at: self.bench.file("a").appending(path: "b"), withIntermediateDirectories: true)
        await #expect(throws: ErrandError.self) { try await cache.remove(try DiskCacheBench.key("a")) }
        #expect(try await self.bench.miss("a", in: cache) == .unreadable)
        #expect(cache.takeNotice()?.hasSuffix("the name of one of its files is taken by something else") == true)
        #expect(try manager.contentsOfDirectory(atPath: self.bench.file("a").path) == ["b"])
    }
}
