internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache: turns at one folder", .timeLimit(.minutes(60)), .paced)
struct DiskCacheTurnTests {
    private let bench: DiskCacheBench

    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func store(_ name: String, size: Int = 100, in cache: DiskCache) async throws {
        cache.store(self.bench.entry(Data(count: size)), for: try DiskCacheBench.key(name))
        await cache.flush()
    }

    private func entry(_ text: String, asked: Double) -> CacheEntry {
        var entry = self.bench.entry(Data(text.utf8), storedAt: self.bench.now + asked)
        entry.receivedAt = self.bench.now + asked + 1
        return entry
    }

    /// The folder, taken as by another process.
    private final class Holder: Sendable {
        private let folder: Locked<OpenFile?>

        init(_ bench: DiskCacheBench) throws {
            let folder = try OpenFile(reading: "\(bench.folder.path)/.")
            #expect(folder.take() == true)
            self.folder = Locked(folder)
        }

        func letGo() {
            self.folder.withLock { $0 = nil }
        }
    }

    // MARK: - One after another

    /// The writer of the older answer stands between its last look and its move, and the other comes.
    @Test func `nothing slips in between the last look and the move`() async throws {
        self.bench.stopClock()
        let key = try DiskCacheBench.key("a")
        let (looked, gate, moved) = (Waiter<Void>(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let cache = self.bench.cache(watcher: { step in
            guard case .replacing = step else { return }
            looked.resume(())
            gate.wait()
        })
        let other = self.bench.cache(watcher: { step in
            guard case .waiting = step else { return }
            // However long the first takes to move: this one does not count its tries meanwhile.
            gate.signal()
            moved.wait()
            moved.signal()
        })
        cache.store(self.entry("older", asked: -6), for: key)
        spawn {
            await cache.flush()
            moved.signal()
        }
        _ = await looked.wait()
        other.store(self.entry("newer", asked: -5), for: key)
        await other.flush()
        // Where nobody waits for the first, it moves now.
        gate.signal()
        await cache.flush()
        #expect(try await self.bench.text("a", in: self.bench.cache()) == "newer")
        #expect(self.bench.names.count == 1)
    }

    @Test func `one that was stopped in its turn holds up others once`() async throws {
        let waits = Locked(0)
        let cache = self.bench.cache(watcher: { step in
            if case .waiting = step { waits.withLock { $0 += 1 } }
        })
        try await self.store("a", in: cache)
        let stopped = try Holder(self.bench)
        try await self.store("b", in: cache)
        let first = waits.withLock { $0 }
        #expect(first > 100)
        for index in 0..<50 { try await self.store("\(index)", in: cache) }
        // A few times each.
        #expect((100...1_000).contains(waits.withLock { $0 } - first))
        #expect(self.bench.names.count == 52)
        #expect(cache.takeNotice() == nil)
        // Nobody counts on what it may have written down when it goes on.
        #expect(self.sum() == nil)
        stopped.letGo()
        self.bench.advance(by: 10)
        let last = waits.withLock { $0 }
        for name in ["c", "d"] { try await self.store(name, in: cache) }
        #expect(waits.withLock { $0 } == last)
        #expect(self.sum() == self.bench.bytes)
    }

    enum Judged: CaseIterable {
        case damaged, damagedBeforeAll, tooOld, chosen, evicted, failed
    }

    private static func disarm(_ isArmed: inout Bool) -> Bool {
        defer { isArmed = false }
        return isArmed
    }

    /// Between the look at a file and its removal another process puts something else in its place.
    @Test(arguments: Judged.allCases)
    func `only what was judged is removed`(judged: Judged) async throws {
        let (bench, key) = (self.bench, try DiskCacheBench.key("a"))
        bench.stopClock()
        let holder = Locked<Holder?>(nil)
        let isArmed = Locked(false)
        @Sendable func arm() {
            guard isArmed.withLock({ Self.disarm(&$0) }), let held = try? Holder(bench) else { return }
            holder.withLock { $0 = held }
        }
        let other = try DiskCacheBench()
        let (newer, place) = (try other.file("a"), try bench.file("a"))
        let isFull = Locked(false)
        let cache = bench.cache(
            capacity: 10_000, maximumAge: .seconds(1_000),
            watcher: { step throws(FileProblem) in
                switch step {
                case .reading(key.digest): arm()
                case .writing where isFull.withLock({ $0 }): throw FileProblem(EIO)
                case .waiting:
                    guard let holder = holder.withLock({ $0.take() }) else { return }
                    _ = unsafe rename(newer.path, place.path)
                    holder.letGo()
                default: break
                }
            })
        try await self.store("a", size: 800, in: cache)
        try await self.store("b", size: 800, in: cache)
        if judged == .tooOld { bench.advance(by: 1_001) }
        let writer = other.cache()
        writer.store(self.entry("newer", asked: judged == .tooOld ? 1_001 : 0.5), for: key)
        await writer.flush()
        // The one from elsewhere was used just now.
        if judged == .evicted {
            bench.advance(by: 100)
            let newerFile = try OpenFile(reading: newer.path)
            newerFile.setTimes(lastUse: bench.now.timeIntervalSince1970, modified: try newerFile.facts().modified)
        }
        if judged == .damaged || judged == .damagedBeforeAll {
            var data = try Data(contentsOf: place)
            data[judged == .damaged ? data.count - 1 : 70] ^= 1
            try data.write(to: place)
        }
        isArmed.withLock { $0 = true }
        switch judged {
        case .damaged:
            #expect(try await bench.miss("a", in: cache) == .corruptBody)
            await cache.flush()
        case .tooOld:
            #expect(try await bench.miss("a", in: cache) == .noEntry)
            await cache.flush()
        case .damagedBeforeAll: #expect(try await cache.remove { $0.url.contains("/b") } == 1)
        case .chosen: #expect(try await cache.remove { $0.url.contains("/a") } == 0)
        case .evicted:
            arm()
            try await self.store("c", size: 8_000, in: cache)
        case .failed:
            arm()
            isFull.withLock { $0 = true }
            cache.store(self.entry("lost", asked: 0.25), for: key)
            await cache.flush()
        }
        #expect(!isArmed.withLock { $0 })
        #expect(holder.withLock { $0 == nil })
        #expect(try await bench.text("a", in: bench.cache()) == "newer")
        if judged == .evicted { #expect(try await bench.miss("b", in: cache) == .noEntry) }
    }

    // MARK: - How much there is

    private var file: FolderCountFile { FolderCountFile(folder: self.bench.folder.path) }

    private func sum() -> Int? { self.bench.countedBytes }

    private func write(_ bytes: Int) {
        #expect(self.file.write(FolderCount(bytes: bytes, changes: 7)))
    }

    @Test func `the bytes are written down from the first entry on`() async throws {
        let cache = self.bench.cache(capacity: 10_000)
        for (name, size) in [("a", 100), ("b", 2_000), ("a", 300), ("c", 7_000), ("d", 1), ("c", 1)] {
            try await self.store(name, size: size, in: cache)
            #expect(self.sum() == self.bench.bytes)
        }
        try await cache.remove(try DiskCacheBench.key("a"))
        #expect(self.sum() == self.bench.bytes)
        try await cache.removeAll()
        #expect(self.sum() == 0)
        #expect(self.bench.names.isEmpty)
    }

    @Test func `the bound holds at each moment for many who write to one folder`() async throws {
        let (bench, capacity) = (self.bench, 100_000)
        let most = Locked((entries: 0, all: 0))
        await withTaskGroup { group in
            for lane in 0..<6 {
                let cache = bench.cache(
                    capacity: capacity,
                    watcher: { step in
                        switch step {
                        // Nobody else changes what there is of entries, unless one had to wait for too long.
                        case .replacing where bench.countedBytes != nil, .removing where bench.countedBytes != nil:
                            let (entries, all) = (bench.bytes, bench.allBytes)
                            most.withLock { $0 = (max($0.entries, entries), max($0.all, all)) }
                        default: break
                        }
                    })
                group.addTask {
                    var random = SplitMix64(seed: UInt64(lane))
                    for index in 0..<TestEffort.rounds(of: 300) {
                        guard let key = try? DiskCacheBench.key("\(random.next(below: 400))") else { return }
                        cache.store(bench.entry(Data(count: random.next(below: 3_000))), for: key)
                        if index % 10 == 0 { await cache.flush() }
                        if index % 30 == 0 { try await cache.remove(key) }
                    }
                    await cache.flush()
                }
            }
        }
        let (entries, all) = most.withLock { $0 }
        #expect((capacity / 2...capacity).contains(entries))
        // One each, on its way to its place.
        #expect(all <= capacity + 6 * 3_500)
        #expect(bench.allBytes <= capacity)
        #expect(self.sum() == bench.bytes)
    }

    @Test(arguments: ["nothing", "zeros", "empty", "too much", "too little", "a number without bounds"])
    func `what is not there or not true is counted anew`(kind: String) async throws {
        let capacity = 20_000
        let path = "\(self.bench.folder.path)/\(FolderCountFile.name)"
        let first = self.bench.cache(capacity: capacity)
        for index in 0..<10 { try await self.store("\(index)", size: 1_000, in: first) }
        switch kind {
        case "zeros": try Data(count: 32).write(to: URL(filePath: path))
        case "empty": try Data().write(to: URL(filePath: path))
        case "too much": self.write(1 << 40)
        case "too little": self.write(0)
        case "a number without bounds": self.write(.max)
        default: try FileManager.default.removeItem(atPath: path)
        }
        // At the next start.
        let next = self.bench.cache(capacity: capacity)
        try await self.store("next", size: 1_000, in: next)
        #expect(self.bench.names.count == 11)
        #expect(self.sum() == self.bench.bytes)
        for index in 0..<30 {
            try await self.store("more-\(index)", size: 1_000, in: next)
            #expect(self.bench.bytes <= capacity)
        }
    }

    @Test func `too much that is told makes one look, and lets go of nothing`() async throws {
        let cache = self.bench.cache(capacity: 20_000)
        for index in 0..<10 { try await self.store("\(index)", size: 1_000, in: cache) }
        self.write(1 << 40)
        try await self.store("next", size: 1_000, in: cache)
        #expect(self.bench.names.count == 11)
        #expect(self.sum() == self.bench.bytes)
    }

    @Test(arguments: ["file", "short file", "folder", "link", "hard link", "pipe"])
    func `what is of someone else is left alone, and the bound is that of each alone`(kind: String) async throws {
        let capacity = 20_000
        let path = "\(self.bench.folder.path)/\(FolderCountFile.name)"
        let manager = FileManager.default
        try manager.createDirectory(at: self.bench.folder, withIntermediateDirectories: true)
        let target = self.bench.folder.deletingLastPathComponent().appending(path: "target")
        let theirs = Data("this was here before".utf8) + Data(count: 10)
        try theirs.write(to: target)
        switch kind {
        case "file": try theirs.write(to: URL(filePath: path))
        case "short file": try theirs.prefix(10).write(to: URL(filePath: path))
        case "hard link": try manager.linkItem(atPath: target.path, toPath: path)
        case "folder": try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "link": try manager.createSymbolicLink(atPath: path, withDestinationPath: target.path)
        default: #expect(unsafe mkfifo(path, 0o600) == 0)
        }
        let type = try manager.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        let cache = self.bench.cache(capacity: capacity)
        for index in 0..<50 {
            try await self.store("\(index)", size: 1_000, in: cache)
            #expect(self.bench.bytes <= capacity)
        }
        #expect(try await self.bench.text("49", in: cache) != nil)
        #expect(cache.takeNotice() == nil)
        try await cache.removeAll()
        #expect(self.bench.names.isEmpty)
        #expect(try manager.attributesOfItem(atPath: path)[.type] as? FileAttributeType == type)
        #expect(try Data(contentsOf: target) == theirs)
        if kind == "file" { #expect(try Data(contentsOf: URL(filePath: path)) == theirs) }
        if kind == "short file" { #expect(try Data(contentsOf: URL(filePath: path)) == theirs.prefix(10)) }
    }

    // MARK: - What others do meanwhile

    /// A turn that takes longer than others wait for it.
    @Test func `what others did without a turn is not written over`() async throws {
        let (reached, gate) = (Waiter<Void>(), DispatchSemaphore(value: 0))
        let isArmed = Locked(true)
        let slow = self.bench.cache(watcher: { step in
            guard case .replacing = step, isArmed.withLock({ Self.disarm(&$0) }) else { return }
            reached.resume(())
            gate.wait()
        })
        slow.store(self.bench.entry(Data(count: 100)), for: try DiskCacheBench.key("slow"))
        _ = await reached.wait()
        let other = self.bench.cache()
        for index in 0..<5 { try await self.store("\(index)", size: 1_000, in: other) }
        #expect(self.sum() == nil)
        gate.signal()
        await slow.flush()
        #expect(self.bench.names.count == 6)
        #expect(self.sum() == nil)
        self.bench.advance(by: 10)
        for name in ["a", "b"] { try await self.store(name, in: slow) }
        #expect(self.sum() == self.bench.bytes)
    }

    /// The change of another hides behind one's own: the folder has as many bytes as this one would think.
    @Test func `what another has just stored goes with all the rest`() async throws {
        let other = self.bench.cache()
        let isArmed = Locked(false)
        let bench = self.bench
        let (first, second) = (try DiskCacheBench.key("a"), try DiskCacheBench.key("b"))
        let cache = bench.cache(watcher: { step in
            guard case .moving = step, isArmed.withLock({ Self.disarm(&$0) }) else { return }
            let done = DispatchSemaphore(value: 0)
            spawn {
                try? await other.remove(first)
                other.store(bench.entry(Data(count: 100)), for: second)
                await other.flush()
                done.signal()
            }
            done.wait()
        })
        try await self.store("a", in: cache)
        isArmed.withLock { $0 = true }
        try await self.store("c", in: cache)
        #expect(await cache.usage?.bytes == self.bench.bytes)
        #expect(try await cache.remove { _ in true } == 2)
        #expect(self.bench.names.isEmpty)
    }

    @Test func `what a writer leaves that is killed takes no room from one that goes on`() async throws {
        let cache = self.bench.cache(capacity: 20_000)
        for index in 0..<5 { try await self.store("\(index)", size: 1_000, in: cache) }
        let path = ".\(String(repeating: "a", count: 64)).errand.1.part"
        let killed = Locked<OpenFile?>(try OpenFile(making: "\(self.bench.folder.path)/\(path)"))
        try killed.withLock { file in
            file?.take()
            try file?.write(Data(count: 18_000))
        }
        self.bench.advance(by: 10)
        try await self.store("5", size: 1_000, in: cache)
        #expect(self.bench.names.contains(path))
        // Nothing would be gained by letting go of what there is.
        try await self.store("large", size: 4_000, in: cache)
        #expect(try await self.bench.text("5", in: cache) != nil)
        killed.withLock { $0 = nil }
        for index in 0..<10 {
            try await self.store("large-\(index)", size: 4_000, in: cache)
            #expect(try await self.bench.text("large-\(index)", in: cache) != nil)
        }
        #expect(!self.bench.names.contains(path))
        #expect(self.bench.bytes <= 20_000)
    }

    @Test func `where nothing can be removed little is tried`() async throws {
        let refused = Locked<Int?>(nil)
        let cache = self.bench.cache(
            capacity: 100_000,
            watcher: { step throws(FileProblem) in
                guard case .removing = step,
                    refused.withLock({
                        $0 = $0.map { $0 + 1 }; return $0
                    }) != nil
                else {
                    return
                }
                throw FileProblem(EROFS)
            })
        for index in 0..<150 { try await self.store("\(index)", size: 500, in: cache) }
        refused.withLock { $0 = 0 }
        for index in 0..<10 { try await self.store("more-\(index)", size: 20_000, in: cache) }
        #expect((10...400).contains(refused.withLock { $0 } ?? 0))
        #expect(self.bench.bytes <= 100_000)
        #expect(cache.takeNotice() == "stored answers cannot be removed: Read-only file system")
        #expect(cache.takeNotice() == nil)
    }

    @Test func `some that cannot be removed do not keep the others`() async throws {
        let fixed = try Set((0..<40).map { try self.bench.file("\($0)").path })
        let cache = self.bench.cache(
            capacity: 100_000,
            watcher: { step throws(FileProblem) in
                guard case .removing(let path) = step, fixed.contains(path) else { return }
                throw FileProblem(EPERM)
            })
        for index in 0..<100 {
            try await self.store("\(index)", size: 500, in: cache)
            self.bench.advance(by: 1)
        }
        // Some tries are in vain, and then it is known which those are.
        let other = self.bench.cache(capacity: 100_000)
        for index in 0..<20 {
            // Each time there is a reason to look through the folder.
            try await self.store("other", in: other)
            try await self.store("more-\(index)", size: 5_000, in: cache)
        }
        #expect(try await self.bench.text("more-19", in: cache) != nil)
        #expect(self.bench.bytes <= 100_000)
    }

    @Test func `who finds that others have removed what was to go looks once more`() async throws {
        let (cache, other) = (self.bench.cache(capacity: 10_000), self.bench.cache(capacity: 10_000))
        for index in 0..<7 { try await self.store("\(index)", size: 1_000, in: cache) }
        for index in 0..<7 { try await other.remove(try DiskCacheBench.key("\(index)")) }
        for index in 0..<7 { try await self.store("other-\(index)", size: 1_000, in: other) }
        try await self.store("large", size: 6_000, in: cache)
        #expect(try await self.bench.text("large", in: cache)?.utf8.count == 6_000)
        #expect(self.bench.bytes <= 10_000)
        #expect(self.sum() == self.bench.bytes)
    }

    @Test func `what is too old goes although nobody else writes`() async throws {
        self.bench.stopClock()
        let cache = self.bench.cache(maximumAge: .seconds(100))
        for index in 0..<20 {
            try await self.store("\(index)", in: cache)
            self.bench.advance(by: 60)
        }
        #expect(self.bench.names.count <= 3)
        #expect(self.sum() == self.bench.bytes)
    }

    @Test func `looking changes nothing for others`() async throws {
        let cache = self.bench.cache()
        try await self.store("a", in: cache)
        let before = self.file.read()
        let other = self.bench.cache()
        for looker in [cache, other, cache, other] {
            #expect(await looker.usage?.entries == 1)
            #expect(await looker.items().count == 1)
        }
        #expect(self.file.read() == before)
        try FileManager.default.removeItem(atPath: "\(self.bench.folder.path)/\(FolderCountFile.name)")
        #expect(await self.bench.cache().items().count == 1)
        #expect(self.file.read() == .nothing)
    }

    @Test func `who stores counts, though another has just looked and has not`() async throws {
        let first = self.bench.cache()
        for name in ["a", "b"] { try await self.store(name, in: first) }
        try FileManager.default.removeItem(atPath: "\(self.bench.folder.path)/\(FolderCountFile.name)")
        let cache = self.bench.cache()
        #expect(await cache.usage?.entries == 2)
        #expect(self.sum() == nil)
        try await self.store("c", in: cache)
        #expect(self.sum() == self.bench.bytes)
    }

    @Test func `looking at a folder writes nothing into it`() async throws {
        let manager = FileManager.default
        try manager.createDirectory(at: self.bench.folder, withIntermediateDirectories: true)
        try Data("note".utf8).write(to: self.bench.folder.appending(path: "note.txt"))
        let cache = self.bench.cache()
        #expect(await cache.items().isEmpty)
        #expect(await cache.usage?.entries == 0)
        #expect(try await cache.remove { _ in true } == 0)
        #expect(try manager.contentsOfDirectory(atPath: self.bench.folder.path) == ["note.txt"])
    }

    @Test func `sizes that no file has are numbers still`() {
        var status = stat()
        status.st_size = .max
        let size = FileFacts(status).size
        #expect(size + size * 1_000 > size)
        #expect(FolderCount(bytes: .max - 1, changes: .max).adding(.max) == FolderCount(bytes: 1 << 60, changes: 0))
        #expect(FolderCount(bytes: 1, changes: 0).adding(-2).bytes == 0)
    }
}
