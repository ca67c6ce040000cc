internal import Errand

/// The recorded activities, ended and running.
struct TimelineRecorder {
    private let limit: Int
    private var spans: [Timeline.Span] = []
    private var omitted = 0
    /// The running activities, with their indices among the spans.
    private var open: [RequestID: (place: Int, draft: SpanDraft)] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Records an activity that starts, if there is room; has no effect the second time.
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
