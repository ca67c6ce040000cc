internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation

/// Timelines to draw.
enum TimelineFixture {
    static func interval(_ start: Int, _ end: Int) -> Timeline.Interval {
        Timeline.Interval(start: .milliseconds(start), end: .milliseconds(end))
    }

    static func request(
        _ id: UInt64, _ start: Int, _ end: Int, name: String = "GetUser", parent: UInt64? = nil, position: Int? = nil
    ) -> Timeline.Span {
        var span = Timeline.Span(
            id: id, kind: .request, name: name, interval: self.interval(start, end), parent: parent, position: position)
        span.outcome = .finished
        span.status = 200
        span.method = "GET"
        span.url = "https://api.example.com/v1/users?id=\(id)&token=***"
        span.attemptCount = 1
        span.attempts = [Timeline.Attempt(number: 1, interval: self.interval(start, end))]
        span.phases = [Timeline.Phase(.wait, self.interval(start, end), attempt: 1)]
        return span
    }

    static func batch(_ id: UInt64, of count: Int) -> [Timeline.Span] {
        var batch = Timeline.Span(id: id, kind: .batch, name: "batch", interval: self.interval(0, count))
        batch.outcome = .finished
        batch.endedChildren = count
        return [batch] + (0..<count).map { self.request(id + 1 + UInt64($0), $0, $0 + 1, parent: id, position: $0) }
    }

    /// One of everything: all kinds of phases, all ways to end, several attempts, names that are hard to write.
    static let everything: Timeline = {
        var spans = Self.batch(1, of: 5)
        let outcomes = Timeline.Span.Outcome.allCases
        for (index, outcome) in outcomes.enumerated() {
            spans[index + 1].outcome = outcome
            spans[index + 1].interval = Self.interval(index * 3, 60 - index)
        }
        spans[0].interval = Self.interval(0, 100)
        spans[4].failure = "connectionLost"
        spans[5].failure = "cancelled"
        spans[1].phases = Timeline.Phase.Kind.allCases.enumerated().map {
            Timeline.Phase($1, Self.interval($0 * 6, $0 * 6 + 6), attempt: 1)
        }
        var chain = Timeline.Span(id: 20, kind: .chain, name: "chain", interval: Self.interval(60, 160))
        chain.outcome = .failed
        chain.failure = "unacceptableStatus"
        chain.endedChildren = 2
        var retried = Self.request(21, 60, 120, name: "Get<\"Käse\" & 'Brot'>", parent: 20, position: 0)
        retried.attempts = (0..<3).map {
            Timeline.Attempt(number: $0 + 1, interval: Self.interval(60 + $0 * 20, 75 + $0 * 20))
        }
        retried.attempts[0].failure = "timedOut"
        retried.attempts[1].status = 302
        retried.attempts[2].status = 200
        retried.attemptCount = 3
        retried.phases = (0..<3).map {
            Timeline.Phase(.wait, Self.interval(60 + $0 * 20, 75 + $0 * 20), attempt: $0 + 1)
        }
        var refused = Self.request(22, 120, 160, name: "猫の名前は何ですか👩‍👩‍👧‍👦", parent: 20, position: 1)
        refused.outcome = .failed
        refused.failure = "unacceptableStatus"
        refused.status = 404
        let instant = Self.request(30, 80, 80, name: String(repeating: "AVeryLongName", count: 20))
        return Timeline(spans: spans + [chain, retried, refused, instant], omitted: 7)
    }()

    /// A text of any scalars, the troublesome ones among them.
    static func text(_ random: inout SplitMix64) -> String {
        let pieces = [
            "<", ">", "&", "\"", "'", "]]>", "<!--", "-->", "</script>", "</title>", "</style>", "&amp;", "\u{0}",
            "\u{B}", "\r\n",
            "\t", "\u{7F}", "\u{85}", "\u{2028}", "\u{202E}", "\u{FFFE}", "\u{FFFF}", "\u{1FFFE}", "é", "猫", "👩‍👩‍👧",
            "\u{301}",
        ]
        return (0..<random.next(below: 12)).map { _ in
            guard random.next(below: 3) == 0 else { return pieces[random.next(below: pieces.count)] }
            let value = UInt32(random.next(below: 0x11_0000))
            return Unicode.Scalar(value).map { String($0) } ?? "?"
        }
        .joined()
    }
}
