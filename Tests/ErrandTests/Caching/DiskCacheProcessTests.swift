#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import Testing

    @testable internal import Errand

    @Suite(
        "The disk cache: processes that end, and several at once (G13)", .serialized, .timeLimit(.minutes(10)),
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
            for name in bench.names where !name.hasSuffix(".part") {
                let digits = name.dropLast(".errand".count)
                let digest = try #require(SHA256(digits: digits), "\(name)")
                // Another process may remove it meanwhile.
                guard let data = try? Data(contentsOf: bench.folder.appending(path: name)) else { continue }
                let entry = try EntryFile.entry(Array(data), digest: digest)
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

        @Test func `1 000 writers that are killed leave whole entries`() async throws {
            let writer = self.writer
            try await withThrowingTaskGroup { group in
                for lane in 0..<4 {
                    group.addTask { try await Self.kill(250, of: writer, seed: lane) }
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
                guard round % 5 == 0 || round == count - 1 else { continue }
                try self.check(bench)
                try await self.use(bench, round)
            }
            #expect(try self.check(bench) > 20)
            bench.advance(by: 700)
            try await self.use(bench, 0)
            #expect(bench.names.allSatisfy { $0.hasSuffix(".errand") })
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
            #expect(self.bench.bytes <= Self.capacity * 2)
            #expect(self.bench.names.allSatisfy { $0.hasSuffix(".errand") })
            try await Self.use(self.bench, 0)
        }

        @Test func `a limit on the size of files leaves whole entries`() async throws {
            let shell = try #require(TestProgram(named: "sh"))
            // Blocks of 512 bytes; without the trap the system would end the process.
            let script =
                "trap '' XFSZ; ulimit -f 3; exec '\(self.writer.path)' '\(self.bench.folder.path)' 300000 7 3000"
            let result = try await shell.run(["-c", script])
            #expect(result.status == 0)
            #expect(result.text.hasSuffix("done answers cannot be stored: File too large\n"), "\(result.text)")
            #expect(try Self.check(self.bench) > 20)
            #expect(self.bench.names.allSatisfy { $0.hasSuffix(".errand") })
            try await Self.use(self.bench, 0)
        }

        #if os(Linux)
            @Test(.enabled(if: getuid() == 0, "only root can make a file system"))
            func `a full disk leaves whole entries`() async throws {
                let mount = try #require(TestProgram(named: "mount"))
                let unmount = try #require(TestProgram(named: "umount"))
                let folder = self.bench.folder
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                let mounted = try await mount.run(["-t", "tmpfs", "-o", "size=200k", "tmpfs", folder.path])
                // Not in every container.
                guard mounted.status == 0 else { return }
                let result = try? await self.writer.run([folder.path, "10000000", "7", "3000"])
                #expect(result?.status == 0)
                #expect(result?.text.hasSuffix("done answers cannot be stored: No space left on device\n") == true)
                let count = try? Self.check(self.bench)
                #expect(count ?? 0 > 20)
                let names = self.bench.names
                #expect(names.allSatisfy { $0.hasSuffix(".errand") }, "\(names.count)")
                _ = try await unmount.run([folder.path])
            }
        #endif
    }
#endif
