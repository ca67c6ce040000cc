internal import Errand
internal import ErrandMetrics
internal import TestEffort
internal import Testing

/// Real parallelism; runs under the thread sanitizer too.
@Suite("Metrics: real parallelism (G11)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct MetricsRaceTests {
    @Test func `snapshots while others record are whole, and only grow`() async throws {
        var options = MetricsOptions()
        options.labelSetLimit = 20
        let metrics = try MetricsAccessory(options)
        let feed = try HookFeed(metrics, hosts: 50)
        let (lanes, each) = (6, TestEffort.rounds(of: 3_000))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<lanes { group.addTask { await feed.run(each) } }
            group.addTask {
                var last = MetricsSnapshot(families: [])
                while last.finishedRequests < lanes * each {
                    let snapshot = await metrics.snapshot()
                    Self.check(snapshot, after: last)
                    last = snapshot
                    await Task.yield()
                }
            }
        }
        let snapshot = await metrics.snapshot()
        #expect(snapshot.finishedRequests == lanes * each)
        #expect(snapshot.requestDuration?.count == UInt64(lanes * each))
        #expect(snapshot.counter(.attempts) == Double(lanes * each))
        #expect(snapshot.counter(.receivedBytes) == Double(lanes * each * 10))
        #expect(snapshot.mostLabelSets <= 20)
        #expect(snapshot.isAtRest)
    }

    private static func check(_ snapshot: MetricsSnapshot, after last: MetricsSnapshot) {
        #expect(snapshot.finishedRequests >= last.finishedRequests)
        #expect(snapshot.requestDuration?.count ?? 0 == UInt64(snapshot.finishedRequests))
        for family in snapshot.families where family.kind != .gauge {
            for series in family.series {
                switch series.value {
                case .counter(let number): #expect(number >= last.counter(family.name, where: series.labels))
                case .histogram(let now):
                    let before = last.histogram(family.name, where: series.labels)
                    #expect(now.count >= before?.count ?? 0)
                case .gauge: break
                }
            }
        }
    }
}
