internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// What should not happen, and must do no harm.
@Suite("Metrics: oddities", .timeLimit(.minutes(60)), .paced)
struct MetricsOddityTests {
    private let metrics = MetricsAccessory()

    private func activity() throws -> RequestActivity {
        RequestActivity(
            id: .next(), kind: .request, type: TextCall.self, request: HTTPRequest(url: try HTTPURL("http://a.test/")))
    }

    private func end(
        _ timings: ExchangeMetrics.Timings = ExchangeMetrics.Timings(), attempts: Int = 1, size: Int? = nil
    ) -> RequestActivity.End {
        .made(size: size, attempts: attempts, timings)
    }

    @Test func `events before the start and after the end are not counted`() async throws {
        let activity = try self.activity()
        self.metrics.observe(.attemptStarted(1), of: activity)
        self.metrics.observe(.received(TransferProgress(bytes: 1 << 20, total: nil)), of: activity)
        self.metrics.didStop(activity, self.end())
        #expect(await self.metrics.snapshot().finishedRequests == 0)
        self.metrics.willStart(activity)
        self.metrics.didStop(activity, self.end())
        self.metrics.observe(.received(TransferProgress(bytes: 1 << 20, total: nil)), of: activity)
        self.metrics.observe(.queued, of: activity)
        self.metrics.observe(.attemptFailed(1, ErrandError(.timedOut, "late")), of: activity)
        self.metrics.didStop(activity, self.end())
        let snapshot = await self.metrics.snapshot()
        #expect(snapshot.finishedRequests == 1)
        #expect(snapshot.counter(.receivedBytes) == 0)
        #expect(snapshot.counter(.failedAttempts) == 0)
        #expect(snapshot.isAtRest)
    }

    @Test func `a clock that goes back counts as no time`() async throws {
        let activity = try self.activity()
        self.metrics.willStart(activity)
        self.metrics.observe(.attemptStarted(1), of: activity)
        var exchange = ExchangeMetrics()
        exchange.firstByte = .seconds(-3)
        self.metrics.observe(.exchangeFinished(exchange), of: activity)
        self.metrics.didStop(activity, self.end(ExchangeMetrics.Timings(queue: .seconds(-1), total: .seconds(-5))))
        let snapshot = await self.metrics.snapshot()
        #expect(snapshot.requestDuration?.sum == 0)
        #expect(snapshot.requestDuration?.counts.first == 1)
        #expect(snapshot.histogram(.queueDuration)?.sum == 0)
        #expect(snapshot.histogram(.firstByteDuration)?.sum == 0)
        #expect(snapshot.requestDuration?.percentile(0.5) != nil)
    }

    @Test func `times and sizes of any magnitude do not trap`() async throws {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        for size in [Int64.max, .min, -1, 0] {
            let activity = try self.activity()
            self.metrics.willStart(activity)
            for _ in 0..<3 {
                self.metrics.observe(.attemptStarted(1), of: activity)
                self.metrics.observe(.sent(TransferProgress(bytes: size, total: nil)), of: activity)
                self.metrics.observe(.received(TransferProgress(bytes: size, total: nil)), of: activity)
                var exchange = ExchangeMetrics()
                (exchange.bytesSent, exchange.bytesReceived, exchange.firstByte) = (size, size, longest)
                self.metrics.observe(.exchangeFinished(exchange), of: activity)
            }
            self.metrics.didStop(
                activity, self.end(ExchangeMetrics.Timings(queue: longest, total: longest), attempts: .max, size: .max))
        }
        let snapshot = await self.metrics.snapshot()
        #expect(snapshot.finishedRequests == 4)
        #expect(snapshot.requestDuration?.counts.last == 4)
        #expect(snapshot.counter(.sentBytes) == 3 * Double(1 << 60))
        #expect(snapshot.text().hasSuffix("# EOF\n"))
    }

    @Test func `bytes of parts that come at once are counted once`() async throws {
        let activity = try self.activity()
        self.metrics.willStart(activity)
        for attempt in 1...5 {
            self.metrics.observe(.attemptStarted(attempt), of: activity)
            self.metrics.observe(.responseHead(HTTPResponse.Head(status: .partialContent)), of: activity)
            let bytes = Int64(attempt) * 100_000
            self.metrics.observe(.received(TransferProgress(bytes: bytes, total: 500_000)), of: activity)
        }
        self.metrics.didStop(activity, self.end(attempts: 5, size: 500_000))
        #expect(await self.metrics.snapshot().counter(.receivedBytes) == 500_000)
    }

    @Test func `bytes that are told again and again are counted as they come, and once`() async throws {
        let activity = try self.activity()
        self.metrics.willStart(activity)
        self.metrics.observe(.attemptStarted(1), of: activity)
        for bytes in stride(from: Int64(0), through: 1_000_000, by: 10_000) {
            self.metrics.observe(.received(TransferProgress(bytes: bytes, total: nil)), of: activity)
        }
        let early = await self.metrics.snapshot().counter(.receivedBytes)
        #expect(early > 900_000)
        #expect(early <= 1_000_000)
        // The next attempt begins anew.
        self.metrics.observe(.attemptStarted(2), of: activity)
        self.metrics.observe(.received(TransferProgress(bytes: 500, total: nil)), of: activity)
        self.metrics.didStop(activity, self.end(attempts: 2, size: 500))
        let snapshot = await self.metrics.snapshot()
        #expect(snapshot.counter(.receivedBytes) == 1_000_500)
        #expect(snapshot.histogram(.responseBodySize)?.sum == 500)
    }

    @Test func `the time to the first byte is of each attempt`() async throws {
        let clock = TestClock()
        var options = MetricsOptions()
        options.clock = clock
        let (metrics, activity) = (try MetricsAccessory(options), try self.activity())
        metrics.willStart(activity)
        for milliseconds in [100, 500] {
            metrics.observe(.attemptStarted(1), of: activity)
            clock.advance(by: .milliseconds(milliseconds))
            metrics.observe(.responseHead(HTTPResponse.Head(status: 503)), of: activity)
            clock.advance(by: .seconds(5))
            metrics.observe(.responseHead(HTTPResponse.Head(status: 503)), of: activity)
        }
        metrics.observe(.attemptStarted(3), of: activity)
        var exchange = ExchangeMetrics()
        exchange.firstByte = .seconds(1)
        metrics.observe(.exchangeFinished(exchange), of: activity)
        metrics.didStop(activity, self.end(attempts: 3))
        let first = await metrics.snapshot().histogram(.firstByteDuration)
        #expect(first?.count == 3)
        #expect(first?.sum == 1.6)
    }
}
