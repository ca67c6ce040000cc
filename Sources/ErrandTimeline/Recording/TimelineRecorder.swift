internal import Errand

/// What an accessory has seen: what has ended, and what has not.
struct TimelineRecorder {
    private let limit: Int
    private var spans: [Timeline.Span] = []
    private var omitted = 0
    /// What has not ended, and its place among the spans.
    private var open: [RequestID: (place: Int, draft: SpanDraft)] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes in something that starts, if there is room; a second time does nothing.
    mutating func start(_ draft: SpanDraft, _ id: RequestID) {
        guard self.open[id] == nil else { return }
        guard self.spans.count < self.limit else {
            self.omitted += 1
            return
        }
        self.open[id] = (self.spans.count, draft)
        self.spans.append(draft.span(asOf: draft.startedAt))
    }

    mutating func change(_ id: RequestID, _ change: (inout SpanDraft) -> Void) {
        guard let index = self.open.index(forKey: id) else { return }
        change(&self.open.values[index].draft)
    }

    mutating func end(_ id: RequestID, at now: Duration) {
        guard let (place, draft) = self.open.removeValue(forKey: id) else { return }
        self.spans[place] = draft.span(asOf: now)
    }

    mutating func clear() {
        self.spans = []
        self.omitted = 0
        self.open = [:]
    }

    func timeline(asOf now: Duration) -> Timeline {
        var spans = self.spans
        for (place, draft) in self.open.values { spans[place] = draft.span(asOf: now) }
        return Timeline(spans: spans, omitted: self.omitted)
    }
}
