internal import Dispatch
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The disk cache: counting what is there", .timeLimit(.minutes(60)), .paced)
struct DiskCacheCountTests {
    /// One counts, and stands at each file while the other tries to get its turn; both steps in lock-step, so that the
    /// count takes longer than anybody waits for one that is stopped, however fast the machine is.
    @Test func `one that counts for long is waited for, and nobody counts again`() async throws {
        let bench = try DiskCacheBench()
        bench.stopClock()
        let before = bench.cache()
        for name in ["a", "b", "c"] {
            before.store(bench.entry(name), for: try DiskCacheBench.key(name))
        }
        await before.flush()
        try FileManager.default.removeItem(atPath: "\(bench.folder.path)/\(FolderCountFile.name)")

        let triesPerFile = 2_000
        let (counting, tried) = (Waiter<Void>(), DispatchSemaphore(value: 0))
        let (next, counted) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let lists = Locked((slow: 0, other: 0))
        let slow = bench.cache(watcher: { step in
            switch step {
            case .listing: lists.withLock { $0.slow += 1 }
            case .looking:
                counting.resume(())
                next.signal()
                tried.wait()
            case .writing: counted.signal()
            default: break
            }
        })
        let tries = Locked(0)
        let other = bench.cache(watcher: { step in
            if case .listing = step { lists.withLock { $0.other += 1 } }
            guard case .waiting = step else { return }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            if number <= 3 * triesPerFile {
                if number % triesPerFile == 1 { next.wait() }
                if number % triesPerFile == 0 { tried.signal() }
            } else if number == 3 * triesPerFile + 1 {
                counted.wait()
            }
        })
        slow.store(bench.entry("slow"), for: try DiskCacheBench.key("slow"))
        _ = await counting.wait()
        other.store(bench.entry("other"), for: try DiskCacheBench.key("other"))
        await slow.flush()
        await other.flush()
        #expect(tries.withLock { $0 } >= 3 * triesPerFile)
        // What one has counted the other counts on; it looks once itself, to know which entries there are.
        #expect(lists.withLock { $0 == (1, 1) })
        #expect(bench.names.count == 5)
        #expect(bench.countedBytes == bench.bytes)
    }
}
