internal import Errand
internal import ErrandLocks
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import Synchronization
internal import TestEffort
internal import Testing

/// The examples of the landing page.
@Suite("Metrics: examples of the documentation", .timeLimit(.minutes(60)), .paced)
struct MetricsExamples {
    struct GetUser: Endpoint {
        typealias Response = String
        var path: EndpointPath { "users" }
    }

    @Test func `an accessory counts, and answers`() async throws {
        let metrics = MetricsAccessory()
        let client = Client(baseURL: "https://api.example.com/v1/") { $0.accessories = [metrics] }
        await client.shutdown()
        _ = try? await client.send(GetUser())

        let snapshot = await metrics.snapshot()
        print("in flight: \(snapshot.activeRequests), waiting: \(snapshot.waitingRequests)")
        print("went well: \(snapshot.successRate ?? 1), from the cache: \(snapshot.cacheHitRate ?? 0)")
        print("95 % took at most \(snapshot.requestDuration?.percentile(0.95) ?? 0) s")

        let failures = snapshot.histogram(.requestDuration, where: [.address: "api.example.com", .statusClass: "5xx"])
        let lost = snapshot.counter(.failedAttempts, where: [.error: "connectionLost"])
        #expect(failures == nil)
        #expect(lost == 0)
    }

    @Test func `changes come at an interval`() async throws {
        // Its own: deadlines of requests sleep on the other.
        let clock = TestClock()
        let world = try MetricsWorld { $0.clock = clock }
        world.transport.route("*", .text("x"))
        let metrics = world.metrics
        let shown = Mutex<[Int]>([])
        @Sendable func show(requests: Int, seconds: Duration, successRate: Double?) {
            shown.withLock { $0.append(requests) }
        }
        let task = Task {
            var last = await metrics.snapshot()
            for await snapshot in try metrics.snapshots(every: .seconds(10)) {
                let change = snapshot.change(since: last)
                show(requests: change.finishedRequests, seconds: change.age, successRate: change.successRate)
                last = snapshot
            }
        }
        for count in 1...3 {
            await clock.waitForSleeper()
            for _ in 0..<count { _ = try await world.client.send(TextCall()) }
            clock.advance(by: .seconds(10))
        }
        await clock.waitForSleeper()
        task.cancel()
        try await task.value
        #expect(shown.withLock { $0 } == [1, 2, 3])
    }

    @Test func `options choose what is kept`() async throws {
        var options = MetricsOptions()
        options.labels = [.endpoint, .statusClass, .error]
        options.constantLabels = ["service.name": "shop"]
        options.durationBounds = [0.01, 0.1, 1, 10]
        options.labelSetLimit = 200
        let metrics = try MetricsAccessory(options)
        let transport = StubTransport()
        transport.route("*", .text("x"))
        let client = Client(baseURL: "https://api.example.com/v1/") {
            $0.transport = transport
            $0.accessories = [metrics]
        }
        _ = try await client.send(GetUser())
        let series = try #require(await metrics.snapshot().family(.requestDuration)?.series)
        #expect(
            series.map(\.labels) == [
                [.endpoint: "GetUser", .statusClass: "2xx", "service.name": "shop"]
            ])
    }

    @Test func `a scraper is answered in its format`() async throws {
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        let metrics = world.metrics
        func answer(accept: String?) async -> (contentType: String, body: String) {
            let format = ExpositionFormat(accept: accept)
            return (format.contentType, await metrics.text(format))
        }
        _ = try await world.client.send(TextCall())
        #expect(await answer(accept: nil).contentType == "text/plain; version=0.0.4; charset=utf-8")
        let text = await answer(accept: "application/openmetrics-text").body
        #expect(text.hasSuffix("# EOF\n"))
        #expect(text.contains("errand_request_duration_seconds_bucket{errand_endpoint=\"TextCall\","))
    }

    protocol FigureSink {
        func increment(_ name: String, _ labels: [(String, String)], by growth: Double)
        func set(_ name: String, _ labels: [(String, String)], to value: Double)
        func add(_ name: String, _ labels: [(String, String)], _ bounds: [Double], _ counts: [UInt64])
    }

    final class Sums: FigureSink, Sendable {
        let sums = Mutex<[String: Double]>([:])

        func increment(_ name: String, _ labels: [(String, String)], by growth: Double) {
            self.sums.withLock { $0[name, default: 0] += growth }
        }

        func set(_ name: String, _ labels: [(String, String)], to value: Double) {
            self.sums.withLock { $0[name] = value }
        }

        func add(_ name: String, _ labels: [(String, String)], _ bounds: [Double], _ counts: [UInt64]) {
            self.sums.withLock { $0[name, default: 0] += Double(counts.reduce(0, +)) }
        }
    }

    @Test func `differences are handed on`() async throws {
        // Its own: deadlines of requests sleep on the other.
        let clock = TestClock()
        let world = try MetricsWorld { $0.clock = clock }
        world.transport.route("*", .text("four"))

        func export(_ metrics: MetricsAccessory, to sink: some FigureSink) async throws {
            var last = await metrics.snapshot()
            for await snapshot in try metrics.snapshots(every: .seconds(60)) {
                for family in snapshot.change(since: last).families {
                    for series in family.series {
                        let labels = series.labels.map { ($0.key.rawValue, $0.value) }
                        switch series.value {
                        case .counter(let growth): sink.increment(family.name.rawValue, labels, by: growth)
                        case .gauge(let value): sink.set(family.name.rawValue, labels, to: value)
                        case .histogram(let values):
                            sink.add(family.name.rawValue, labels, values.bounds, values.counts)
                        }
                    }
                }
                last = snapshot
            }
        }

        let (metrics, sums) = (world.metrics, Sums())
        let task = Task { try await export(metrics, to: sums) }
        for _ in 0..<2 {
            await clock.waitForSleeper()
            _ = try await world.client.send(TextCall())
            clock.advance(by: .seconds(60))
        }
        await clock.waitForSleeper()
        task.cancel()
        try await task.value
        let total = sums.sums.withLock { $0 }
        #expect(total["http.client.request.duration"] == 2)
        #expect(total["errand.request.duration"] == 2)
        #expect(total["errand.network.received"] == 8)
        #expect(total["http.client.active_requests"] == 0)
    }
}
