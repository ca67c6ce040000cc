internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandTimeline

/// What becomes of the moments that a transport measured.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TimelineMetricsTests {
    /// The phases of an attempt that started after a second, with these metrics in milliseconds.
    private func story(
        _ change: (inout ExchangeMetrics) -> Void, told: Int = 100, failed: Bool = false, sentAt: Int? = nil
    ) -> [String] {
        var attempt = AttemptDraft(number: 1, startedAt: .seconds(1))
        var metrics = ExchangeMetrics()
        change(&metrics)
        if let sentAt {
            metrics.bytesSent = 5
            attempt.observe(.sent(TransferProgress(bytes: 5, total: 5)), at: .milliseconds(1000 + sentAt))
        }
        attempt.observe(.exchangeFinished(metrics), at: .milliseconds(1000 + told))
        if failed { attempt.fail("timedOut", at: .milliseconds(1000 + told)) }
        var span = Timeline.Span(id: 1, kind: .request, name: "", interval: TimelineFixture.interval(0, 0))
        span.phases = attempt.phases(asOf: .seconds(3)).map { phase in
            let (start, end) = (phase.interval.start - .seconds(1), phase.interval.end - .seconds(1))
            return Timeline.Phase(phase.kind, Timeline.Interval(start: start, end: end))
        }
        return span.story
    }

    private func fill(_ metrics: inout ExchangeMetrics, upTo count: Int) {
        let moments: [WritableKeyPath<ExchangeMetrics, Duration?>] = [
            \.started, \.nameResolved, \.connected, \.secured, \.requestStarted, \.firstByte, \.finished,
        ]
        for (index, moment) in moments.prefix(count).enumerated() {
            metrics[keyPath: moment] = .milliseconds(10 * (index + 1))
        }
    }

    @Test func `each moment ends a phase`() {
        #expect(
            self.story { self.fill(&$0, upTo: 7) } == [
                "lookup 10-20", "connect 20-30", "tls 30-40", "wait 50-60", "receive 60-70",
            ])
        #expect(
            self.story({ self.fill(&$0, upTo: 7) }, sentAt: 55) == [
                "lookup 10-20", "connect 20-30", "tls 30-40", "send 50-55", "wait 55-60", "receive 60-70",
            ])
    }

    @Test(arguments: [
        (1, "lookup 10-100"), (2, "connect 20-100"), (3, "tls 30-100"), (5, "wait 50-100"), (6, "receive 60-100"),
    ])
    func `a failure ends the phase that it came in`(count: Int, last: String) {
        #expect(self.story({ self.fill(&$0, upTo: count) }, failed: true).last == last)
    }

    @Test func `an open connection was not made`() {
        let story = self.story {
            $0.isConnectionReused = true
            $0.requestStarted = .milliseconds(2)
            $0.firstByte = .milliseconds(30)
            $0.finished = .milliseconds(31)
        }
        #expect(story == ["wait 2-30", "receive 30-31"])
    }

    @Test func `moments out of order and out of bounds stay within the attempt`() {
        let story = self.story {
            $0.started = .milliseconds(-50)
            $0.nameResolved = .milliseconds(40)
            $0.connected = .milliseconds(30)
            $0.requestStarted = .seconds(900)
            $0.firstByte = .seconds(1000)
        }
        #expect(story == ["lookup 0-40"])
        #expect(self.story({ $0.firstByte = .milliseconds(60) }) == ["wait 0-60", "receive 60-100"])
        #expect(self.story({ _ in }) == ["lookup 0-100"])
    }

    @Test func `over a real connection all of it is measured`() async throws {
        let server = try LoopbackServer()
        server.route(
            "GET", "/a", LoopbackReply.dripped(Data(repeating: 1, count: 64), chunk: 32, every: .milliseconds(2)))
        server.route("POST", "/post", .text("x"))
        let accessory = TimelineAccessory()
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.accessories = [accessory]
        }
        _ = try await client.send(GetBytes(path: "a"))
        _ = try await client.send(PostText(path: "post"))
        await client.shutdown()
        let spans = accessory.timeline.spans
        try #require(spans.count == 2)
        try accessory.timeline.checkInvariants()
        let kinds = spans.map { Set($0.phases.map(\.kind)) }
        #expect(kinds[0].isSuperset(of: [.connect, .wait, .receive]))
        #expect(!kinds[1].contains(.connect))
        #expect(spans.map { $0.attempts.first?.httpVersion } == ["HTTP/1.1", "HTTP/1.1"])
        #expect(spans.map { $0.attempts.first?.isConnectionReused } == [false, true])
        #expect(spans[0].attempts.first?.bytesReceived == 64 && spans[1].attempts.first?.bytesSent == 4)
    }
}

private struct GetBytes: Endpoint {
    let path: EndpointPath
}

private struct PostText: Endpoint {
    typealias Response = String
    let path: EndpointPath
    var method: HTTPMethod { .post }
    var body: RequestBody { .text("text") }
}
