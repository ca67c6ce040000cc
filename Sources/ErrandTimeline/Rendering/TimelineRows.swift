/// The rows of a picture, in order, with their nesting depth.
struct TimelineRows {
    struct Row {
        enum Content {
            case span(Timeline.Span)
            /// The number of children of the row above that are not drawn, and their common interval.
            case more(Int, Timeline.Interval?)
        }

        let content: Content
        let depth: Int
    }

    private(set) var rows: [Row] = []
    /// The number of spans that are neither drawn nor counted in a row.
    private(set) var omitted = 0

    private let spans: [Timeline.Span]
    private let rendering: TimelineRendering
    private var children: [UInt64: [Int]] = [:]
    private var isVisited: [Bool]

    init(_ timeline: Timeline, _ rendering: TimelineRendering) {
        self.spans = timeline.spans
        self.rendering = rendering
        self.isVisited = Array(repeating: false, count: timeline.spans.count)
        let roots = self.sortIntoFamilies()
        for root in roots { self.visit(root) }
        // A decoded timeline may have cyclic parents.
        for index in self.spans.indices where !self.isVisited[index] { self.visit(index) }
        // A decoded timeline may contain any number.
        let (omitted, isTooLarge) = self.omitted.addingReportingOverflow(timeline.omitted)
        self.omitted = isTooLarge ? .max : omitted
    }

    /// Finds the children of each span; returns the spans without a parent, in the order in which they started.
    private mutating func sortIntoFamilies() -> [Int] {
        let ids = Set(self.spans.map(\.id))
        var roots: [Int] = []
        for (index, span) in self.spans.enumerated() {
            if let parent = span.parent, ids.contains(parent), parent != span.id {
                self.children[parent, default: []].append(index)
            } else {
                roots.append(index)
            }
        }
        for id in self.children.keys {
            self.children[id]?.sort {
                (self.spans[$0].position ?? .max, self.spans[$0].interval.start, $0)
                    < (self.spans[$1].position ?? .max, self.spans[$1].interval.start, $1)
            }
        }
        return roots.sorted { (self.spans[$0].interval.start, $0) < (self.spans[$1].interval.start, $1) }
    }

    /// Draws a span and its descendants, with an explicit stack, so that any depth is safe.
    private mutating func visit(_ root: Int) {
        enum Step {
            case span(Int, depth: Int)
            case more([Int], depth: Int)
        }
        var steps = [Step.span(root, depth: 0)]
        while let step = steps.popLast() {
            switch step {
            case .more(let indices, let depth):
                self.skip(indices, depth: depth)
            case .span(let index, let depth):
                guard !self.isVisited[index] else { continue }
                self.isVisited[index] = true
                self.draw(Row(content: .span(self.spans[index]), depth: depth), counting: 1)
                let all = self.children.removeValue(forKey: self.spans[index].id) ?? []
                let drawn = all.prefix(max(0, self.rendering.childLimit))
                if all.count > drawn.count { steps.append(.more(Array(all[drawn.count...]), depth: depth + 1)) }
                steps += drawn.reversed().map { .span($0, depth: depth + 1) }
            }
        }
    }

    private mutating func draw(_ row: Row, counting count: Int) {
        if self.rows.count < max(0, self.rendering.rowLimit) {
            self.rows.append(row)
        } else {
            self.omitted += count
        }
    }

    private mutating func skip(_ indices: [Int], depth: Int) {
        let left = indices.filter { !self.isVisited[$0] }
        for index in left { self.isVisited[index] = true }
        let spans = left.map { self.spans[$0].interval }
        guard let start = spans.map(\.start).min(), let end = spans.map(\.end).max() else { return }
        self.draw(
            Row(content: .more(left.count, Timeline.Interval(start: start, end: max(start, end))), depth: depth),
            counting: left.count)
    }
}
