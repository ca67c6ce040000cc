internal import Dispatch
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// What was removed while the system could not do it, or had not done it yet.
@Suite("The disk cache: removals that are refused, or late", .timeLimit(.minutes(60)), .paced)
struct DiskCacheRemovalTests {
    private let bench: DiskCacheBench
    private let disk = Disk()

    private final class Disk: Sendable {
        enum Refusal: Hashable {
            case listing, reading, removing
        }

        private struct State {
            var refused: Set<Refusal> = []
            var number = EMFILE
            /// How often something was refused.
            var count = 0
            var onWriting: (@Sendable () -> Void)?
            var onRemoving: (@Sendable () -> Void)?
        }

        private let state = Locked(State())

        var count: Int { self.state.withLock { $0.count } }

        func refuse(_ refused: Set<Refusal>, with number: Int32 = EMFILE) {
            self.state.withLock { ($0.refused, $0.number) = (refused, number) }
        }

        /// Something happens before the next entry is written.
        func onWriting(_ body: @escaping @Sendable () -> Void) {
            self.state.withLock { $0.onWriting = body }
        }

        /// Something happens while the next removal is under way.
        func onRemoving(_ body: @escaping @Sendable () -> Void) {
            self.state.withLock { $0.onRemoving = body }
        }

        func refuse(_ step: CacheFolder.Step) throws(FileProblem) {
            let kind: Refusal
            switch step {
            case .listing: kind = .listing
            case .reading: kind = .reading
            case .removing: kind = .removing
            case .writing:
                self.state.withLock { $0.onWriting.take() }?()
                return
            case .looking, .moving, .waiting, .replacing: return
            }
            if kind == .removing { self.state.withLock { $0.onRemoving.take() }?() }
            let number = self.state.withLock { state -> Int32? in
                guard state.refused.contains(kind) else { return nil }
                state.count += 1
                return state.number
            }
            if let number { throw FileProblem(number) }
        }
    }

    init() throws {
        self.bench = try DiskCacheBench()
        self.bench.stopClock()
    }

    private func cache() -> DiskCache {
        let disk = self.disk
        return self.bench.cache(watcher: { step throws(FileProblem) in try disk.refuse(step) })
    }

    private func store(_ name: String, _ text: String? = nil, tag: String? = nil, in cache: DiskCache) async throws {
        cache.store(self.bench.entry(text ?? name, tag: tag), for: try DiskCacheBench.key(name))
        await cache.flush()
    }

    /// Stores what was asked for a minute ago, and came now.
    private func storeLate(_ name: String, _ text: String, in cache: DiskCache) throws {
        var entry = self.bench.entry(Data(text.utf8), storedAt: self.bench.now - 60)
        entry.receivedAt = self.bench.now + 1
        cache.store(entry, for: try DiskCacheBench.key(name))
    }

    // MARK: - What cannot be looked at

    @Test(arguments: [EMFILE, EIO, EACCES])
    func `what was chosen while the folder could not be read is not answered`(number: Int32) async throws {
        let cache = self.cache()
        for name in ["a", "b"] { try await self.store(name, tag: name, in: cache) }
        self.disk.refuse([.listing], with: number)
        #expect(try await cache.remove { $0.tag == "a" } == 0)
        #expect(cache.takeNotice()?.hasPrefix("stored answers cannot be read: ") == true)
        self.disk.refuse([])
        #expect(await cache.items().map(\.tag) == ["b"])
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(try await self.bench.text("b", in: cache) == "b")
        // Somebody asked, and so it was found and went.
        await cache.flush()
        #expect(try self.bench.names == [self.bench.file("b").lastPathComponent])
        // What is stored later was not chosen.
        self.bench.advance(by: 1)
        try await self.store("a", "new", tag: "a", in: cache)
        #expect(try await self.bench.text("a", in: cache) == "new")
    }

    @Test func `what another process stores later was not chosen`() async throws {
        let (cache, other) = (self.cache(), self.bench.cache())
        try await self.store("a", in: cache)
        self.disk.refuse([.listing])
        try await cache.removeAll()
        self.disk.refuse([])
        self.bench.advance(by: 1)
        try await self.store("a", "new", in: other)
        #expect(try await self.bench.text("a", in: cache) == "new")
    }

    @Test func `it goes with the next removal that can look`() async throws {
        let cache = self.cache()
        for name in ["a", "b", "c"] { try await self.store(name, tag: name, in: cache) }
        self.disk.refuse([.listing])
        try await cache.remove { $0.tag == "a" }
        try await cache.remove { $0.tag == "b" }
        self.disk.refuse([])
        #expect(try await cache.remove { _ in false } == 2)
        #expect(try self.bench.names == [self.bench.file("c").lastPathComponent])
    }

    @Test func `many choices that came to nothing count as all`() async throws {
        let cache = self.cache()
        try await self.store("a", in: cache)
        self.disk.refuse([.listing])
        for _ in 0..<100 { try await cache.remove { _ in false } }
        // Looking chooses nothing, and holds on to nothing.
        for _ in 0..<100 { #expect(await cache.items() == []) }
        self.disk.refuse([])
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        self.bench.advance(by: 1)
        try await self.store("a", "new", in: cache)
        #expect(try await self.bench.text("a", in: cache) == "new")
    }

    @Test func `a file that could not be read is not answered, nor are others touched`() async throws {
        let cache = self.cache()
        for name in ["a", "b"] { try await self.store(name, tag: name, in: cache) }
        self.disk.refuse([.reading])
        #expect(try await cache.remove { $0.tag == "a" } == 0)
        self.disk.refuse([])
        #expect(await cache.items().map(\.tag) == ["b"])
        for (name, text) in [("a", nil), ("b", "b")] {
            #expect(try await self.bench.text(name, in: cache) == text)
        }
        await cache.flush()
        #expect(try self.bench.names == [self.bench.file("b").lastPathComponent])
        try await self.store("a", "new", in: cache)
        #expect(try await self.bench.text("a", in: cache) == "new")
    }

    // MARK: - Once more

    enum Chooser: CaseIterable {
        case key, choice, unread
    }

    @Test(arguments: Chooser.allCases)
    func `what was refused goes as soon as it can, whatever else is done`(chooser: Chooser) async throws {
        let cache = self.cache()
        for name in ["a", "b"] { try await self.store(name, tag: name, in: cache) }
        self.disk.refuse(chooser == .unread ? [.listing, .reading] : [.removing])
        if chooser == .key {
            try await cache.remove(try DiskCacheBench.key("a"))
        } else {
            #expect(try await cache.remove { $0.tag == "a" } == 0)
        }
        self.disk.refuse([])
        self.bench.advance(by: 1)
        try await self.store("c", in: cache)
        #expect(self.bench.names.count == 2)
        #expect(try await self.bench.miss("a", in: self.bench.cache()) == .noEntry)
        #expect(try await self.bench.text("b", in: cache) == "b")
    }

    @Test func `what another has put in its place meanwhile stays`() async throws {
        let (cache, other) = (self.cache(), self.bench.cache())
        try await self.store("a", in: cache)
        self.disk.refuse([.removing], with: EPERM)
        try await cache.remove(try DiskCacheBench.key("a"))
        self.disk.refuse([])
        self.bench.advance(by: 1)
        try await self.store("a", "new", in: other)
        await cache.flush()
        #expect(try await self.bench.text("a", in: cache) == "new")
    }

    @Test func `more than can go at once goes bit by bit`() async throws {
        let cache = self.cache()
        for index in 0..<50 { try await self.store("\(index)", in: cache) }
        self.disk.refuse([.removing], with: EPERM)
        try await cache.removeAll()
        self.bench.advance(by: 1)
        await cache.flush()
        #expect(self.bench.names.count == 50)
        self.disk.refuse([])
        self.bench.advance(by: 1)
        await cache.flush()
        #expect(self.bench.names.isEmpty)
    }

    @Test func `a damaged file that stays is looked at once`() async throws {
        let cache = self.cache()
        try await self.store("a", in: cache)
        var data = try Data(contentsOf: self.bench.file("a"))
        data[data.count - 1] ^= 1
        try data.write(to: self.bench.file("a"))
        let time = self.bench.now.timeIntervalSince1970
        try OpenFile(reading: self.bench.file("a").path).setTimes(lastUse: time, modified: time)
        self.disk.refuse([.removing], with: EROFS)
        #expect(try await self.bench.miss("a", in: cache) == .corruptBody)
        await cache.flush()
        for _ in 0..<3 { #expect(try await self.bench.miss("a", in: cache) == .noEntry) }
        #expect(await cache.usage?.corruptions == 0)
        self.disk.refuse([])
        self.bench.advance(by: 1)
        await cache.flush()
        #expect(self.bench.names.isEmpty)
    }

    @Test(.enabled(if: TestEffort.isFull, "tens of thousands of digests"))
    func `more than can be remembered counts as all`() async throws {
        var withheld = WithheldEntries()
        for index in 0..<70_000 { withheld.insert(SHA256(of: "\(index)"), nil, at: 100) }
        #expect(withheld.refusals.count <= 65_536)
        let key = try DiskCacheBench.key("a")
        func chooses(_ seconds: Double, at now: Double = 200) -> Bool {
            let entry = self.bench.entry(Data(), storedAt: Date(timeIntervalSince1970: seconds))
            return withheld.chooses(key.digest, CacheItem(entry, for: key, size: 1), at: now)
        }
        #expect(chooses(99))
        #expect(!chooses(101))
        // Stored before a clock was moved back.
        #expect(chooses(201))
        withheld.take(CacheSweep(unreadable: [key.digest]), at: 101)
        #expect(chooses(99))
        withheld.take(CacheSweep(), at: 102)
        #expect(!chooses(99) && !withheld.hasChoices)
    }

    @Test func `what stays is tried a few times in a second`() async throws {
        self.bench.stopClock()
        let cache = self.cache()
        for index in 0..<100 { try await self.store("\(index)", in: cache) }
        self.disk.refuse([.removing], with: EPERM)
        try await cache.removeAll()
        let count = self.disk.count
        for _ in 0..<10 {
            await cache.flush()
            #expect(try await self.bench.miss("1", in: cache) == .noEntry)
        }
        #expect(self.disk.count - count <= 16)
        self.bench.advance(by: 1)
        await cache.flush()
        #expect(self.disk.count - count <= 32)
    }

    /// The clock was moved back after it was stored.
    @Test(arguments: [false, true])
    func `what comes from the future is withheld, too`(isChosen: Bool) async throws {
        let cache = self.cache()
        try await self.store("a", in: cache)
        self.bench.advance(by: -10)
        self.disk.refuse(isChosen ? [.listing] : [.removing])
        if isChosen { try await cache.removeAll() } else { try await cache.remove(try DiskCacheBench.key("a")) }
        await cache.flush()
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        self.disk.refuse([])
        self.bench.advance(by: 2)
        await cache.flush()
        #expect(self.bench.names.isEmpty)
    }

    @Test func `of many who ask for something damaged one has it looked at`() async throws {
        let cache = self.cache()
        try await self.store("a", in: cache)
        var data = try Data(contentsOf: self.bench.file("a"))
        data[data.count - 1] ^= 1
        try data.write(to: self.bench.file("a"))
        self.disk.refuse([.removing])
        let gate = DispatchSemaphore(value: 0)
        self.disk.onWriting { gate.wait() }
        cache.store(self.bench.entry("b"), for: try DiskCacheBench.key("b"))
        for _ in 0..<20 { #expect(try await self.bench.miss("a", in: cache) == .corruptBody) }
        gate.signal()
        await cache.flush()
        #expect(self.disk.count <= 2)
    }

    /// What tells a file from others is the same after it was read, also where a system knows little of a moment.
    @Test func `looking at a file leaves it the same`() async throws {
        let cache = self.cache()
        try await self.store("a", in: cache)
        let before = try self.bench.facts("a").mark
        self.bench.advance(by: 100)
        #expect(try await self.bench.text("a", in: cache) == "a")
        #expect(await cache.items().count == 1)
        #expect(try self.bench.facts("a").mark == before)
        #expect(try self.bench.facts("a").lastUse > before.modified + 50)
    }

    // MARK: - What comes late

    enum Late: CaseIterable {
        case key, choice, refusedAgain
    }

    /// The one on the disk was asked for later than what is stored, but it was to go.
    @Test(arguments: Late.allCases)
    func `a removal that was refused is not lost to an older answer`(late: Late) async throws {
        let cache = self.cache()
        try await self.store("a", "removed", in: cache)
        self.disk.refuse([.removing], with: EPERM)
        switch late {
        case .key, .refusedAgain: try await cache.remove(try DiskCacheBench.key("a"))
        case .choice: try await cache.remove { _ in true }
        }
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        if late != .refusedAgain { self.disk.refuse([]) }
        try self.storeLate("a", "late", in: cache)
        #expect(try await self.bench.text("a", in: cache) == "late")
        await cache.flush()
        #expect(try await self.bench.text("a", in: cache) == "late")
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "late")
    }

    @Test func `nor is one that waits`() async throws {
        let cache = self.cache()
        try await self.store("a", "removed", in: cache)
        async let removal: Void = cache.remove(try DiskCacheBench.key("a"))
        try self.storeLate("a", "late", in: cache)
        try await removal
        await cache.flush()
        #expect(["late", nil].contains(try await self.bench.text("a", in: cache)))
        #expect(["late", nil].contains(try await self.bench.text("a", in: self.bench.cache())))
    }

    @Test func `nor is one that is refused just then`() async throws {
        let cache = self.cache()
        try await self.store("a", "removed", in: cache)
        self.disk.refuse([.removing], with: EPERM)
        let (key, time) = (try DiskCacheBench.key("a"), self.bench.now)
        self.disk.onRemoving { [bench] in
            var late = bench.entry(Data("late".utf8), storedAt: time - 60)
            late.receivedAt = time + 1
            cache.store(late, for: key)
        }
        try await cache.removeAll()
        await cache.flush()
        #expect(try await self.bench.text("a", in: cache) == "late")
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "late")
    }

    /// Of two that are stored in place of what was to go, the one that was asked for later counts.
    @Test func `what takes its place has an order of its own`() async throws {
        let cache = self.cache()
        try await self.store("a", "removed", in: cache)
        self.disk.refuse([.removing], with: EPERM)
        try await cache.remove(try DiskCacheBench.key("a"))
        var newer = self.bench.entry(Data("newer".utf8), storedAt: self.bench.now - 30)
        newer.receivedAt = self.bench.now + 1
        cache.store(newer, for: try DiskCacheBench.key("a"))
        try self.storeLate("a", "late", in: cache)
        #expect(try await self.bench.text("a", in: cache) == "newer")
        await cache.flush()
        try self.storeLate("a", "late", in: cache)
        await cache.flush()
        #expect(try await self.bench.text("a", in: cache) == "newer")
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "newer")
    }
}
