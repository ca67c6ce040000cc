internal import ErrandLocks

#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @testable internal import Errand

    @Suite(
        "The disk cache: processes that end, and several at once (G13)", .serialized, .timeLimit(.minutes(60)), .paced,
        .enabled(if: TestProgram.areWanted, "ERRAND_PROGRAMS is not 1"))
    struct DiskCacheProcessTests {
        private let bench: DiskCacheBench
        private let writer: TestProgram

        init() throws {
            self.bench = try DiskCacheBench()
            self.writer = try #require(TestProgram(besideTests: "CacheWriter"))
        }

        private static let capacity = 300_000
        /// Reads all files of a folder; answers how many entries there are.
        @discardableResult
        private static func check(_ bench: DiskCacheBench) throws -> Int {
            var count = 0
            let folder = CacheFolder(bench.folder)
            for name in bench.names where name.hasSuffix(".errand") {
                let digest = try #require(SHA256(digits: name.utf8.prefix(64)), "\(name)")
                let entry: CacheEntry
                do throws(EntryProblem) { entry = try folder.entry(digest, limit: .max, now: nil) } catch {
                    // Another process may remove it meanwhile.
                    if case .missing = error { continue }
                    throw error
                }
                let key = try #require(entry.response.headers["X-Name"])
                #expect(CachedText.isRight(entry, key), "\(name)")
                count += 1
            }
            return count
        }

        /// Uses the folder as the next start does.
        private static func use(_ bench: DiskCacheBench, _ number: Int) async throws {
            let key = try #require(CachedText.key("next"))
            let cache = bench.cache(capacity: self.capacity)
            cache.store(CachedText.entry("next", number, storedAt: bench.now), for: key)
            await cache.flush()
            #expect(cache.takeNotice() == nil)
            let entry = try await bench.cache(capacity: self.capacity).entry(for: key)
            #expect(entry.version == number)
            let usage = try #require(await cache.usage)
            #expect(usage.bytes == bench.bytes)
            #expect(usage.bytes <= self.capacity)
            #expect(usage.corruptions == 0)
        }

        @Test func `hundreds of writers that are killed leave whole entries`() async throws {
            let (writer, count) = (self.writer, TestEffort.isDeep ? 250 : 80)
            try await withThrowingTaskGroup { group in
                for lane in 0..<4 {
                    group.addTask { try await Self.kill(count, of: writer, seed: lane) }
                }
                try await group.waitForAll()
            }
        }

        private static func kill(_ count: Int, of writer: TestProgram, seed: Int) async throws {
            let bench = try DiskCacheBench()
            var random = SplitMix64(seed: UInt64(seed))
            for round in 0..<count {
                let child = try await ChildProcess.start(
                    writer, [bench.folder.path, "\(self.capacity)", "\(1_000 * seed + round)"])
                let line = try #require(await child.line { $0.hasPrefix("writing ") })
                let number = try #require(pid_t(line.dropFirst("writing ".count)))
                // Any moment will do; that it is another one each time is what matters.
                try await Task.sleep(for: .microseconds(random.next(below: 20_000)))
                Foundation.kill(number, SIGKILL)
                let result = try #require(await child.result())
                #expect(result.status == SIGKILL, "\(result.text)")
                // What it was writing is there as well, and nothing of those before it.
                #expect(bench.bytes <= self.capacity)
                #expect(bench.names.count { $0.hasSuffix(".part") } <= 1)
                guard round % 5 == 0 || round == count - 1 else { continue }
                try self.check(bench)
                try await self.use(bench, round)
            }
            #expect(try self.check(bench) > 20)
            try await self.use(bench, 0)
            #expect(bench.names.allSatisfy { $0.hasSuffix(".errand") })
        }

        private final class Progress: Sendable {
            let ended = Locked(0)
            let rounds = Locked(0)
        }

        @Test func `16 tasks and 4 processes read, write and remove 1 000 keys in one folder`() async throws {
            let (folder, rounds) = (self.bench.folder.path, TestEffort.isDeep ? 4_000 : 1_000)
            let children = try await (0..<4).async { seed in
                try await ChildProcess.start(self.writer, [folder, "\(Self.capacity)", "\(100 + seed)", "\(rounds)"])
            }
            for child in children { _ = try #require(await child.line { $0.hasPrefix("writing ") }) }
            let bench = self.bench
            let most = Locked(0)
            let cache = bench.cache(
                capacity: Self.capacity,
                watcher: { step in
                    // With the lock: no other process changes what there is.
                    switch step {
                    case .renaming, .making, .removing: break
                    case .reading, .listing, .locking: return
                    }
                    let bytes = bench.bytes
                    most.withLock { $0 = max($0, bytes) }
                })
            let progress = Progress()
            await withTaskGroup { group in
                for child in children {
                    group.addTask {
                        let result = await child.result()
                        progress.ended.withLock { $0 += 1 }
                        #expect(result?.status == 0)
                        #expect(result?.text.hasSuffix("done \n") == true, "\(result?.text ?? "")")
                    }
                }
                for lane in 0..<16 {
                    group.addTask {
                        // As long as there are others, and not for ever.
                        for step in 0..<100 where step < 3 || progress.ended.withLock({ $0 }) < children.count {
                            let seed = UInt64(1_000 * lane + step)
                            #expect(await CachedText.hammer(cache, seed: seed, rounds: 100) == nil)
                            progress.rounds.withLock { $0 += 100 }
                        }
                    }
                }
            }
            #expect(progress.rounds.withLock { $0 } >= 16 * 300)
            #expect((Self.capacity / 2...Self.capacity).contains(most.withLock { $0 }))
            await cache.flush()
            let usage = try #require(await cache.usage)
            #expect(usage.corruptions == 0)
            #expect(usage.bytes == self.bench.bytes)
            #expect(try Self.check(self.bench) > 20)
            #expect(self.bench.bytes <= Self.capacity)
            #expect(self.bench.names.allSatisfy { $0.hasSuffix(".errand") })
            try await Self.use(self.bench, 0)
        }

        @Test func `4 processes use one folder, and each reads only what was stored`() async throws {
            let (writer, folder) = (self.writer, self.bench.folder.path)
            try await withThrowingTaskGroup { group in
                for seed in 0..<4 {
                    group.addTask {
                        let result = try await writer.run([folder, "\(Self.capacity)", "\(seed)", "5000"])
                        #expect(result.status == 0)
                        #expect(result.text.hasSuffix("done \n"), "\(result.text)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try Self.check(self.bench) > 20)
            #expect(self.bench.bytes <= Self.capacity)
            #expect(self.bench.names.allSatisfy { $0.hasSuffix(".errand") })
            try await Self.use(self.bench, 0)
        }

        /// What there is while nobody can change it: two looks in a row see the same.
        private static func frozenSizes(_ bench: DiskCacheBench) -> [String: Int] {
            var last: [String: Int]?
            while true {
                let sizes = Dictionary(
                    uniqueKeysWithValues: bench.paths.compactMap { path in
                        (try? FileFacts(path: "\(bench.folder.path)/\(path)"))?.map {
                            (path, $0.isRegular ? $0.size : 0)
                        }
                    })
                guard sizes != last else { return sizes }
                last = sizes
            }
        }

        @Test func `at no moment 4 processes have more on the disk than the capacity`() async throws {
            let (bench, capacity) = (self.bench, 60_000)
            let children = try await (0..<4).async { seed in
                try await ChildProcess.start(self.writer, [bench.folder.path, "\(capacity)", "\(200 + seed)"])
            }
            let lines = try await children.async { child in
                try #require(await child.line { $0.hasPrefix("writing ") })
            }
            let numbers = try lines.map { try #require(pid_t($0.dropFirst("writing ".count))) }
            var random = SplitMix64(seed: 13)
            var (most, stepCount) = (0, 0)
            let looks = TestEffort.rounds(of: 2_000)
            for _ in 0..<looks {
                // Any moment will do, in the middle of a step as well as between two.
                try await Task.sleep(for: .microseconds(random.next(below: 3_000)))
                for number in numbers { Foundation.kill(number, SIGSTOP) }
                let sizes = Self.frozenSizes(bench)
                for number in numbers { Foundation.kill(number, SIGCONT) }
                most = max(most, sizes.values.reduce(0, +))
                stepCount += sizes.keys.contains { $0.hasSuffix(".part") } ? 1 : 0
            }
            for number in numbers { Foundation.kill(number, SIGKILL) }
            for child in children { #expect(try #require(await child.result()).status == SIGKILL) }
            #expect((capacity / 2...capacity).contains(most))
            #expect(stepCount > looks / 200, "\(stepCount) of \(looks)")
            try Self.check(bench)
        }

        @Test func `a limit on the size of files leaves whole entries`() async throws {
            let shell = try #require(TestProgram(named: "sh"))
            // Blocks of 512 bytes; without the trap the system would end the process.
            let script =
                "trap '' XFSZ; ulimit -f 3; exec '\(self.writer.path)' '\(self.bench.folder.path)' 300000 7 3000"
            let result = try await shell.run(["-c", script])
            #expect(result.status == 0)
            #expect(
                result.text.hasSuffix(
                    "done responses cannot be stored in the cache folder \(self.bench.folder.path): File too large\n"),
                "\(result.text)")
            #expect(try Self.check(self.bench) > 20)
            #expect(self.bench.names.allSatisfy { $0.hasSuffix(".errand") })
            try await Self.use(self.bench, 0)
        }

        #if os(Linux)
            /// Whether a file system can be made here; not in every container.
            private static func canMount() async throws -> Bool {
                let folder = try TestFolder()
                return try await Self.onDisk(folder.url) {} != nil
            }

            /// Runs a function while there is a small file system in the place of a folder.
            private static func onDisk<Result>(
                _ folder: URL, _ body: () async throws -> Result
            ) async throws -> Result? {
                guard let mount = TestProgram(named: "mount"), let unmount = TestProgram(named: "umount") else {
                    return nil
                }
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let mounted = try await mount.run(["-t", "tmpfs", "-o", "size=200k,mode=700", "tmpfs", folder.path])
                guard mounted.status == 0 else { return nil }
                let result: Swift.Result<Result, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                #expect(try await unmount.run([folder.path]).status == 0)
                return try result.get()
            }

            @Test(
                .enabled("no file system can be made here; a limit on the size of files is tested instead") {
                    try await Self.canMount()
                })
            func `a full disk leaves whole entries, and the next start serves and writes`() async throws {
                let (bench, capacity) = (self.bench, 10_000_000)
                try await Self.onDisk(bench.folder) {
                    // Below its own bound it makes room on the disk.
                    let result = try await self.writer.run([bench.folder.path, "\(capacity)", "7", "3000"])
                    #expect(result.status == 0)
                    #expect(result.text.hasSuffix("done \n"), "\(result.text)")
                    #expect(try Self.check(bench) > 20)
                    #expect(bench.names.allSatisfy { $0.hasSuffix(".errand") })
                    // Others fill it: nothing more can be stored, and that is told.
                    let filler = bench.folder.appending(path: "filler")
                    _ = try? Data(count: 1 << 20).write(to: filler)
                    let full = bench.cache(capacity: capacity)
                    full.store(bench.entry(Data(count: 190_000)), for: try DiskCacheBench.key("large"))
                    await full.flush()
                    #expect(
                        full.takeNotice()
                            == "responses cannot be stored in the cache folder \(full.folder.path): No space left on device"
                    )
                    #expect(try await bench.miss("large", in: full) == .noEntry)
                    let count = try Self.check(bench)
                    #expect(count > 20)
                    // The next start has all of them, and writes.
                    let next = bench.cache(capacity: capacity)
                    #expect(await next.usage?.entries == count)
                    for index in 0..<30 {
                        let name = "next\(index)"
                        next.store(bench.entry(Data(count: 3_000)), for: try DiskCacheBench.key(name))
                        await next.flush()
                        #expect(try await bench.text(name, in: bench.cache(capacity: capacity)) != nil)
                    }
                    #expect(next.takeNotice() == nil)
                    #expect(try #require(await next.usage).evictions > 0)
                }
            }
        #endif
    }
#endif
