internal import ErrandTimeline
internal import TestEffort
internal import Testing

@Suite("Timelines with extreme moments", .timeLimit(.minutes(60)), .paced)
struct TimelineExtremesTests {
    @Test(arguments: [
        (Duration.zero, Duration.seconds(Int64.max)), (.seconds(Int64.min), .seconds(Int64.max)),
        (.seconds(Int64.max), .seconds(Int64.min)), (.zero, .seconds(1.6e20)), (.zero, .nanoseconds(1)),
        (.seconds(Int64.max), .seconds(Int64.max)),
    ])
    func `can be drawn`(start: Duration, end: Duration) {
        var span = TimelineFixture.request(.max, 0, 10)
        span.interval = Timeline.Interval(start: start, end: end)
        span.phases[0].interval = span.interval
        span.attempts[0].interval = span.interval
        (span.position, span.status, span.bodySize, span.attemptCount) = (.max, .min, .max, .max)
        (span.attempts[0].bytesSent, span.attempts[0].bytesReceived) = (.max, .min)
        let timeline = Timeline(spans: [span, TimelineFixture.request(1, 0, 10)], omitted: .max)
        #expect(timeline.svg().contains("<svg"))
        #expect(timeline.html().contains("<svg"))
        for number in [Int.max, 1 << 40, 1, 0, -1, .min] {
            var rendering = TimelineRendering()
            (rendering.width, rendering.rowLimit, rendering.childLimit) = (number, number, number)
            #expect(!timeline.svg(rendering).isEmpty)
        }
    }
}
