internal import ErrandTimeline
internal import Testing

extension Timeline.Span {
    /// The phases with their milliseconds, such as `wait 0-10`.
    var story: [String] {
        self.phases.map { "\($0.kind) \(Self.milliseconds($0.interval.start))-\(Self.milliseconds($0.interval.end))" }
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
}

extension Timeline {
    /// What holds for every timeline of which all has ended.
    func checkInvariants() throws {
        let spans = Dictionary(uniqueKeysWithValues: self.spans.map { ($0.id, $0) })
        for span in self.spans {
            try span.checkInvariants()
            guard let parent = span.parent.flatMap({ spans[$0] }) else { continue }
            try #require(parent.interval.start <= span.interval.start)
            try #require(parent.interval.end >= span.interval.end)
        }
        try #require(self.spans.map(\.interval.start) == self.spans.map(\.interval.start).sorted())
    }
}

extension Timeline.Span {
    /// What holds for everything that has ended.
    fileprivate func checkInvariants() throws {
        try #require(self.outcome != .running, "\(self.name) has ended")
        try #require(self.interval.start <= self.interval.end)
        try #require(self.phases.allSatisfy { $0.interval.end > $0.interval.start })
        let ends = [self.interval.start] + self.phases.map(\.interval.end)
        let starts = self.phases.map(\.interval.start) + [self.interval.end]
        try #require(zip(ends, starts).allSatisfy { $0 <= $1 }, "phases do not overlap, and are within: \(self.story)")
    }
}
