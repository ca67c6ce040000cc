internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache: its bounds", .timeLimit(.minutes(60)), .paced)
struct DiskCacheBoundTests {
    private let bench: DiskCacheBench

    init() throws {
        self.bench = try DiskCacheBench()
    }

    private func store(_ names: some Sequence<String>, size: Int = 1_000, in cache: DiskCache) async throws {
        for name in names { cache.store(self.bench.entry(Data(count: size)), for: try DiskCacheBench.key(name)) }
        await cache.flush()
    }

    @Test func `hold during very many stores`() async throws {
        let (capacity, rounds) = (1 << 18, TestEffort.rounds(of: 10_000))
        let cache = self.bench.cache(capacity: capacity)
        var random = SplitMix64(seed: 11)
        for index in 0..<rounds {
            let entry = self.bench.entry(Data(count: random.next(below: 3_000)))
            cache.store(entry, for: try DiskCacheBench.key("\(random.next(below: 5_000))"))
            if index % 20 == 0 { await cache.flush() }
            if index % 200 == 0 { #expect(self.bench.bytes <= capacity) }
        }
        let usage = try #require(await cache.usage)
        #expect(usage.bytes == self.bench.bytes)
        #expect(usage.bytes <= capacity)
        #expect(usage.bytes > capacity / 2)
        #expect(usage.evictions > rounds / 10)
    }

    @Test func `let go of what was not used for longest, also after a restart`() async throws {
        let cache = self.bench.cache(capacity: 10_000)
        for name in ["a", "b", "c", "d", "e", "f"] {
            try await self.store([name], in: cache)
            self.bench.advance(by: 100)
        }
        let next = self.bench.cache(capacity: 10_000)
        #expect(try await self.bench.text("a", in: next) != nil)
        self.bench.advance(by: 100)
        // Room for three of the six has to be made.
        try await self.store(["g"], size: 5_000, in: next)
        let left = try await ["a", "b", "c", "d", "e", "f", "g"].async {
            try await self.bench.text($0, in: next) != nil
        }
        #expect(left == [true, false, false, false, true, true, true])
    }

    @Test func `spare what another cache has used since`() async throws {
        let cache = self.bench.cache(capacity: 4_500)
        for name in ["a", "b", "c"] {
            try await self.store([name], in: cache)
            self.bench.advance(by: 100)
        }
        #expect(try await self.bench.text("a", in: self.bench.cache()) != nil)
        try await self.store(["d"], in: cache)
        let left = try await ["a", "b", "c", "d"].async { try await self.bench.text($0, in: cache) != nil }
        #expect(left == [true, false, true, true])
    }

    @Test func `leave out what is larger than all of it, and what that would replace`() async throws {
        let cache = self.bench.cache(capacity: 5_000)
        try await self.store(["a", "b"], in: cache)
        try await self.store(["a"], size: 5_000, in: cache)
        #expect(try await self.bench.miss("a", in: cache) == .noEntry)
        #expect(try await self.bench.text("b", in: cache) != nil)
        #expect(self.bench.names.count == 1)
        #expect(cache.takeNotice() == nil)
    }

    @Test(arguments: [0, -1])
    func `may be such that nothing is kept`(capacity: Int) async throws {
        let cache = self.bench.cache(capacity: capacity)
        try await self.store(["a"], in: cache)
        #expect(cache.capacity == 0)
        #expect(self.bench.names.isEmpty)
    }

    @Test func `hold for what waits to be written`() async throws {
        let cache = self.bench.cache(capacity: 400_000)
        let names = (0..<200).map { "\($0)" }
        try await self.store(names, in: cache)
        // The write queue can be held by a function that chooses.
        let (reached, gate) = (Waiter<Void>(), DispatchSemaphore(value: 0))
        async let removed = cache.remove { _ in
            reached.resume(())
            gate.wait()
            return false
        }
        _ = await reached.wait()
        for name in names {
            cache.store(self.bench.entry(Data(repeating: 1, count: 1_000)), for: try DiskCacheBench.key(name))
        }
        let waiting = try await names.async { try await self.bench.text($0, in: cache) }
        for _ in 0..<200 { gate.signal() }
        #expect(try await removed == 0)
        await cache.flush()
        // What fits is the new entry; in place of the rest there is none, and never the old one.
        #expect((50..<100).contains(waiting.count { $0 != nil }))
        #expect(try await names.async { try await self.bench.text($0, in: cache) } == waiting)
        #expect(waiting.allSatisfy { $0?.first != "\0" })
    }

    @Test func `let one that is larger than what may wait pass alone`() async throws {
        let cache = self.bench.cache(capacity: 400_000)
        try await self.store(["a"], size: 300_000, in: cache)
        #expect(try await self.bench.text("a", in: cache)?.utf8.count == 300_000)
    }

    @Test func `hold for the age, too`() async throws {
        self.bench.stopClock()
        let cache = self.bench.cache(maximumAge: .seconds(1_000))
        try await self.store(["a"], in: cache)
        self.bench.advance(by: 86_000)
        try await self.store(["b"], in: cache)
        #expect(await cache.usage?.entries == 2)
        self.bench.advance(by: 600)
        // A day after they were counted.
        let next = self.bench.cache(maximumAge: .seconds(1_000))
        try await self.store(["c"], in: next)
        #expect(await next.usage?.entries == 2)
        #expect(await next.usage?.evictions == 1)
        #expect(try await self.bench.text("b", in: next) != nil)
    }

    @Test func `hold for several caches on one folder`() async throws {
        let capacity = 200_000
        let caches = (0..<3).map { _ in self.bench.cache(capacity: capacity) }
        for round in 0..<300 {
            for (index, cache) in caches.enumerated() { try await self.store(["\(index)-\(round)"], in: cache) }
            #expect(self.bench.bytes <= capacity)
        }
        for (index, cache) in caches.enumerated() {
            #expect(try await self.bench.text("\(index)-299", in: caches[0]) != nil)
            #expect(await cache.usage?.bytes == self.bench.bytes)
        }
    }

    // MARK: - At each moment

    @Test func `hold at every step of writing, what is about to become an entry included`() async throws {
        let (capacity, bench) = (400_000, self.bench)
        let steps = Locked(0)
        let most = Locked(0)
        let cache = bench.cache(
            capacity: capacity,
            watcher: { step in
                if case .reading = step { return }
                // Nobody else writes: this is what there is, old entry and new one.
                let bytes = bench.bytes
                steps.withLock { $0 += 1 }
                most.withLock { $0 = max($0, bytes) }
            })
        var random = SplitMix64(seed: 12)
        let rounds = TestEffort.rounds(of: 4_000)
        for index in 0..<rounds {
            let isLarge = index % 8 == 0
            // It would not be kept beside others that wait.
            if isLarge { await cache.flush() }
            let size = random.next(below: isLarge ? 150_000 : 3_000)
            cache.store(bench.entry(Data(count: size)), for: try DiskCacheBench.key("\(random.next(below: 300))"))
        }
        await cache.flush()
        #expect(try #require(await cache.usage).evictions > rounds / 20)
        #expect(steps.withLock { $0 } > rounds / 2)
        #expect((capacity / 2...capacity).contains(most.withLock { $0 }))
    }

    enum Trace: CaseIterable {
        case mark, noRecord, noFile
    }

    /// As a process leaves them that is killed: its record is marked, and there is more than it says.
    @Test(arguments: Trace.allCases)
    func `hold with what writers left that were killed`(trace: Trace) async throws {
        let (capacity, bench) = (20_000, self.bench)
        try await self.store(["large"], size: 0, in: self.bench.cache())
        let digits = ["0", "a"].map { String(repeating: $0, count: 64) }
        for name in digits {
            for end in ["-1.part", "-f00.part", "-2.body"] {
                let file = bench.file(ofDigest: name, end)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(count: 3_000).write(to: file)
            }
        }
        switch trace {
        case .mark: try Data(FolderRecord.mark).write(to: bench.lockFile)
        case .noRecord: try Data("none".utf8).write(to: bench.lockFile)
        case .noFile: try FileManager.default.removeItem(at: bench.lockFile)
        }
        let most = Locked(0)
        let cache = bench.cache(
            capacity: capacity,
            watcher: { step in
                guard case .making = step else { return }
                let bytes = bench.bytes
                most.withLock { $0 = max($0, bytes) }
            })
        for index in 0..<50 { try await self.store(["\(index)"], in: cache) }
        #expect(most.withLock { $0 } <= capacity)
        #expect(bench.names.allSatisfy { $0.hasSuffix(".errand") })
        #expect(try await bench.text("49", in: cache) != nil)
        #expect(await cache.usage?.bytes == bench.bytes)
    }

    /// The reader reads while the writer stands between two removals: it waits for none, each time.
    @Test func `keep a reader waiting for no step while very many go`() async throws {
        let removals = AsyncStream.makeStream(of: Void.self)
        let isArmed = Locked(false)
        let reads = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        let (blocks, size) = (TestEffort.rounds(of: 210) / 10, 500)
        let cache = self.bench.cache(
            capacity: blocks * 300_000,
            watcher: { step in
                guard isArmed.withLock({ $0 }) else { return }
                switch step {
                case .reading: reads.withLock { $0 += 1 }
                case .removing:
                    removals.continuation.yield()
                    // A reader who waits for the writer would never come; then the test fails, and does not hang.
                    if gate.wait(timeout: .now() + 3_600) == .timedOut { isArmed.withLock { $0 = false } }
                case .listing, .making, .renaming, .locking: break
                }
            })
        for start in stride(from: 0, to: blocks * size, by: size) {
            try await self.store((start..<start + size).map { "\($0)" }, size: 100, in: cache)
        }
        try await self.store(["kept"], in: cache)
        #expect(self.bench.names.count == blocks * size + 1)
        isArmed.withLock { $0 = true }
        // Nearly everything has to go for this one.
        cache.store(self.bench.entry(Data(count: blocks * 295_000)), for: try DiskCacheBench.key("large"))
        async let written: Void = {
            await cache.flush()
            removals.continuation.finish()
        }()
        var count = 0
        for await _ in removals.stream {
            guard try await self.bench.text("kept", in: cache) != nil else { break }
            count += 1
            gate.signal()
        }
        await written
        #expect(isArmed.withLock { $0 })
        #expect(count >= blocks * size * 19 / 20)
        // One look at one file each, whatever else goes on; the few that are not in the system's memory take a second
        // one.
        #expect((count...count + count / 20 + 10).contains(reads.withLock { $0 }))
        #expect(await cache.usage?.evictions == count)
        #expect(try await self.bench.text("large", in: cache)?.utf8.count == blocks * 295_000)
        #expect(self.bench.bytes <= blocks * 300_000)
    }
}
