internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Real parallelism; these suites run under the thread sanitizer too.
@Suite("The disk cache: many at once", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct DiskCacheRaceTests {
    @Test(arguments: ["one", "two on a folder", "tiers"])
    func `16 tasks read, write and remove 1 000 keys`(kind: String) async throws {
        let bench = try DiskCacheBench()
        // So small that entries are let go of all the time.
        let (one, other) = (bench.cache(capacity: 400_000), bench.cache(capacity: 400_000))
        let tiers = TieredCache(front: MemoryCache(capacity: 100_000), back: one)
        await withTaskGroup { group in
            for lane in 0..<16 {
                let cache: any ResponseCache =
                    switch kind {
                    case "one": one
                    case "tiers": tiers
                    default: lane.isMultiple(of: 2) ? one : other
                    }
                group.addTask {
                    #expect(
                        await CachedText.hammer(cache, seed: UInt64(lane), rounds: TestEffort.rounds(of: 300)) == nil)
                }
            }
        }
        let usage = try #require(await one.usage)
        #expect(usage.corruptions == 0)
        // One of two does not know of all that the other did; who comes new does.
        let counted = kind == "two on a folder" ? await bench.cache(capacity: 400_000).usage : usage
        #expect(counted?.bytes == bench.bytes)
        // So small a cache may be given more than it can hold until it is written.
        let notice = one.takeNotice()
        #expect(notice?.hasPrefix("responses come faster than") != false)
        #expect(bench.names.allSatisfy { $0.hasSuffix(".errand") })
    }

    @Test func `what was removed does not come back to the front`() async throws {
        let bench = try DiskCacheBench()
        let cache = TieredCache(front: MemoryCache(), back: bench.cache())
        let key = try DiskCacheBench.key("a")
        for round in 0..<200 {
            await cache.back.store(bench.entry("\(round)"), for: key)
            async let found = try? cache.entry(for: key)
            async let removed: Void? = try? cache.remove(key)
            _ = await (found, removed)
            #expect(try await bench.miss("a", in: cache) == .noEntry)
        }
    }
}
