import Errand
import ErrandTesting
import TestEffort
import Testing

@Suite(
    "Real parallelism around the cache (G1–G3, G6, G11)",
    .serialized, .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct CacheRaceTests {
    @Test("Very many requests that ask the cache in all ways, with random cancels and removals")
    func storm() async throws {
        let stub = StubTransport(recordLimit: 0)
        stub.route(where: { _ in true }) { request, _ in .text(request.url.path) }
        let client = Client(baseURL: "http://race.invalid/") {
            $0.transport = stub
            $0.limits.concurrency = RequestScheduler.Limits(total: 16, perHost: 16)
            $0.cache = MemoryCache(capacity: 8 << 10)
        }
        let seen = await withTaskGroup { group in
            for lane in 0..<8 { group.addTask { await Self.lane(client, SplitMix64(seed: UInt64(lane))) } }
            return await group.reduce((hits: 0, misses: 0)) { ($0.hits + $1.hits, $0.misses + $1.misses) }
        }
        #expect(await client.record.count == 0)
        #expect(await client.scheduler.activeCount == 0)
        #expect(stub.activeCount == 0)
        let statistics = await client.cache.statistics
        // Requests that were cancelled, and those whose answers are thrown away, count as well.
        #expect(statistics.hits >= seen.hits && statistics.misses >= seen.misses, "\(statistics) \(seen)")
        #expect(seen.hits > 0 && seen.misses > 0)
    }

    /// - Returns: How many answers came from the cache, and how many from the network though it was asked.
    private static func lane(_ client: Client, _ random: SplitMix64) async -> (hits: Int, misses: Int) {
        var random = random
        var (hits, misses) = (0, 0)
        for _ in 0..<TestEffort.rounds(of: 2_500) {
            let call = KeptCall(path: "\(random.next(below: 50))")
            let use = CacheUse.allCases[random.next(below: CacheUse.allCases.count)]
            let request = client.request(call, options: .cacheUse(use))
            switch random.next(below: 8) {
            case 0: try? await client.cache.remove(call)
            case 1: _ = try? await client.cache.remove { $0.size % 2 == 0 }
            case 2:
                async let value = try? request.value
                request.cancel()
                _ = await value
            case 3:
                var values: [String] = []
                do {
                    for try await response in client.responses(for: call) { values.append(response.value) }
                } catch {
                    Issue.record("\(error)")
                }
                #expect(Set(values) == ["/\(call.path)"])
            default:
                guard let response = try? await request.response else { continue }
                #expect(response.value == "/\(call.path)")
                if response.source.isCache { hits += 1 } else if use == .use { misses += 1 }
            }
        }
        return (hits, misses)
    }
}

/// A call whose answers are kept.
private struct KeptCall: Endpoint {
    typealias Response = String
    var path: EndpointPath
    var options: RequestOptions { .caching(.fresh(for: .seconds(1000))) }
}
