internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Metrics: snapshots", .timeLimit(.minutes(60)), .paced)
struct MetricsSnapshotTests {
    private func histogram(_ counts: [UInt64], sum: Double = 0) -> HistogramValue {
        HistogramValue(bounds: [1, 2, 4], counts: counts, sum: sum)
    }

    @Test(arguments: [
        ([4, 0, 0, 0], 0.5, 0.5), ([0, 4, 0, 0], 0.5, 1.5), ([1, 1, 1, 1], 0.75, 4), ([1, 1, 1, 1], 0.5, 2),
        ([0, 0, 0, 3], 0.5, 4), ([1, 0, 0, 0], 1, 1), ([2, 0, 2, 0], 0, 0), ([0, 2, 0, 0], 0, 1), ([4, 0, 0, 0], 7, 1),
        ([4, 0, 0, 0], -1, 0),
    ])
    func `percentiles are estimated within their bucket`(counts: [UInt64], share: Double, value: Double) {
        #expect(self.histogram(counts).percentile(share) == value)
    }

    @Test func `there is no percentile and no mean of nothing`() {
        #expect(self.histogram([0, 0, 0, 0]).percentile(0.5) == nil)
        #expect(self.histogram([0, 0, 0, 0]).mean == nil)
        #expect(self.histogram([1, 0, 0, 0]).percentile(.nan) == nil)
        #expect(self.histogram([1, 1, 0, 0], sum: 3).mean == 1.5)
    }

    @Test func `what was not counted is zero, or nothing`() {
        let snapshot = MetricsSnapshot(families: [])
        #expect(snapshot.counter(.attempts) == 0)
        #expect(snapshot.gauge(.activeRequests) == 0)
        #expect(snapshot.histogram(.requestDuration) == nil)
        #expect(snapshot.successRate == nil)
        #expect(snapshot.cacheHitRate == nil)
        #expect(snapshot.family("made.up") == nil)
    }

    @Test func `series are added up over the labels that are not named`() async throws {
        let world = try MetricsWorld()
        world.transport.route(where: { _ in true }, .text("x"))
        for host in ["a", "a", "b"] { _ = try await world.client.send(TextCall("http://\(host).test/")) }
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.counter(.attempts) == 3)
        #expect(snapshot.counter(.attempts, where: [.address: "a.test"]) == 2)
        #expect(snapshot.counter(.attempts, where: [.address: "c.test"]) == 0)
        // A name of another kind has no counter.
        #expect(snapshot.counter(.requestDuration) == 0)
        #expect(snapshot.histogram(.attempts) == nil)
    }

    @Test func `the change since an earlier one has what came since`() async throws {
        let world = try MetricsWorld()
        world.transport.route("/bad", .status(500))
        world.transport.route("*", .text("x"))
        for _ in 0..<3 { _ = try await world.client.send(TextCall()) }
        let earlier = await world.metrics.snapshot()
        world.clock.advance(by: .seconds(10))
        _ = try await world.client.send(TextCall())
        _ = try? await world.client.send(TextCall("bad"))
        let later = await world.metrics.snapshot()
        let change = later.change(since: earlier)
        #expect(change.age == .seconds(10))
        #expect(change.finishedRequests == 2)
        #expect(change.successRate == 0.5)
        #expect(change.counter(.attempts) == 2)
        #expect(change.requestDuration?.count == 2)
        #expect(change.histogram(.requestDuration, where: [.statusClass: "5xx"])?.count == 1)
        // The wrong way round there is nothing, rather than less than that.
        #expect(earlier.change(since: later).counter(.attempts) == 0)
        #expect(earlier.change(since: later).finishedRequests == 0)
    }

    // MARK: - Again and again

    @Test func `come at an interval, until whoever reads them leaves`() async throws {
        // Its own: deadlines of requests sleep on the other.
        let clock = TestClock()
        let world = try MetricsWorld { $0.clock = clock }
        world.transport.route("*", .text("x"))
        let snapshots = try world.metrics.snapshots(every: .seconds(10))
        let task = Task {
            var counts: [Int] = []
            for await snapshot in snapshots {
                counts.append(snapshot.finishedRequests)
                if counts.count == 3 { break }
            }
            return counts
        }
        for _ in 0..<3 {
            await clock.waitForSleeper()
            _ = try await world.client.send(TextCall())
            clock.advance(by: .seconds(10))
        }
        #expect(await task.value == [1, 2, 3])
        #expect(clock.sleeperCount == 0)
    }

    @Test func `end with the task that reads them, and leave nothing asleep`() async throws {
        let world = try MetricsWorld()
        let snapshots = try world.metrics.snapshots(every: .seconds(10))
        let task = Task {
            var iterator = snapshots.makeAsyncIterator()
            let first = await iterator.next()
            return (first == nil, await iterator.next() == nil)
        }
        await world.clock.waitForSleeper()
        task.cancel()
        #expect(await task.value == (true, true))
        #expect(world.clock.sleeperCount == 0)
    }

    @Test func `do not pile up for a slow reader`() async throws {
        let world = try MetricsWorld()
        var iterator = try world.metrics.snapshots(every: .seconds(10)).makeAsyncIterator()
        world.clock.advance(by: .seconds(35))
        // Late: at once, and from here on every ten seconds again.
        #expect(await iterator.next()?.age == .seconds(35))
        let task = Task { [iterator] in
            var iterator = iterator
            return await iterator.next()?.age
        }
        await world.clock.waitForSleeper()
        #expect(world.clock.nextSleeperDeadline?.offset == .seconds(45))
        world.clock.advanceToNextSleeper()
        #expect(await task.value == .seconds(45))
    }

    @Test func `keep no more alive than their accessory`() async throws {
        weak var accessory: MetricsAccessory?
        do {
            let metrics = MetricsAccessory()
            accessory = metrics
            _ = try metrics.snapshots(every: .seconds(1)).makeAsyncIterator()
        }
        #expect(accessory == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `are refused at an interval that is none`(interval: Duration) {
        let error = #expect(throws: ErrandError.self) { try MetricsAccessory().snapshots(every: interval) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `at the longest interval do not overflow`() async throws {
        let world = try MetricsWorld()
        let snapshots = try world.metrics.snapshots(every: Duration(secondsComponent: .max, attosecondsComponent: 0))
        let task = Task {
            for await _ in snapshots { return 1 }
            return 0
        }
        await world.clock.waitForSleeper()
        task.cancel()
        #expect(await task.value == 0)
    }
}
