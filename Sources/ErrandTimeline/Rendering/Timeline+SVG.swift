extension Timeline {
    /// Returns the timeline as a waterfall: a self-contained picture.
    ///
    /// It has no script, loads no resources, and follows light and dark mode. Its parts have tooltips. The same
    /// timeline and rendering give the same text.
    ///
    /// - Parameter rendering: The rendering options.
    /// - Returns: An SVG document.
    /// - Complexity: O(*n* log *n*) in the number of spans.
    public func svg(_ rendering: TimelineRendering = TimelineRendering()) -> String {
        SVGDrawing(self, rendering).document
    }
}

/// A picture of a timeline under construction.
struct SVGDrawing {
    enum Size {
        static let margin = 16.0
        static let row = 26.0
        static let legend = 18.0
        static let result = 158.0
        static let duration = 58.0
    }

    let rows: TimelineRows
    let width: Double
    let axis: TimeAxis
    private let timeline: Timeline
    private let rendering: TimelineRendering
    private let labelWidth: Double
    private let isPartOfPage: Bool

    init(_ timeline: Timeline, _ rendering: TimelineRendering, isPartOfPage: Bool = false) {
        self.isPartOfPage = isPartOfPage
        self.timeline = timeline
        self.rendering = rendering
        self.rows = TimelineRows(timeline, rendering)
        self.width = Double(min(max(480, rendering.width), 4000))
        self.labelWidth = min(max(150, self.width * 0.31), 420)
        self.axis = TimeAxis(
            timeline.interval, left: Size.margin + self.labelWidth,
            width: self.width - 2 * Size.margin - self.labelWidth - Size.result)
    }

    // MARK: - The document

    /// The picture as a file of its own.
    var document: String { "\(self.element)\n" }

    /// The picture as an element.
    ///
    /// As a part of a page it has no heading, and has exact times as attributes, for the script that moves its parts.
    var element: String {
        let (legend, isPart) = (self.legend, self.isPartOfPage)
        let top = (isPart ? 30 : 60) + legend.height
        let rows = self.drawnRows(from: top)
        let height = rows.bottom + 14
        let space = isPart ? self.axisData : " xmlns=\"http://www.w3.org/2000/svg\""
        let size = "\(Words.coordinate(self.width)) \(Words.coordinate(height))"
        return """
            <svg\(space) class="errand" role="img" aria-labelledby="errand-title errand-description" \
            width="\(Words.coordinate(self.width))" height="\(Words.coordinate(height))" viewBox="0 0 \(size)">
            <title id="errand-title">\(self.escapedTitle)</title>
            <desc id="errand-description">\(Markup.escaped(self.description))</desc>
            <style>\(SVGStyle.sheet)</style>
            <rect class="bg" x=".5" y=".5" width="\(Words.coordinate(self.width - 1))" \
            height="\(Words.coordinate(height - 1))" rx="8"/>
            \(isPart ? "" : self.heading)\
            \(legend.text)\(self.grid(from: top, to: rows.bottom))\(rows.text)</svg>
            """
    }

    private var heading: String {
        let right = Words.coordinate(self.width - Size.margin)
        return "<text class=\"ti\" x=\"16\" y=\"28\">\(self.escapedTitle)</text>\n"
            + "<text class=\"su\" x=\"\(right)\" y=\"28\" text-anchor=\"end\">\(Markup.escaped(self.summary))</text>\n"
    }

    /// The attributes of the axis for the script.
    private var axisData: String {
        let (left, width) = (Words.coordinate(self.axis.left), Words.coordinate(self.axis.width))
        return " data-left=\"\(left)\" data-width=\"\(width)\" data-length=\"\(Words.decimal(self.axis.length, 0))\""
    }

    private var escapedTitle: String {
        Markup.escaped(Markup.cut(Markup.line(self.rendering.title), to: self.width / 12))
    }

    /// The number of spans, and their total time.
    var summary: String {
        let requests = self.timeline.spans.count { $0.kind == .request }
        let failed = self.timeline.spans.count { $0.kind == .request && $0.outcome == .failed }
        var parts = ["\(Words.count(requests)) \(requests == 1 ? "request" : "requests")"]
        if failed > 0 { parts.append("\(Words.count(failed)) failed") }
        if let interval = self.timeline.interval { parts.append(Words.duration(interval.duration)) }
        return parts.joined(separator: " · ")
    }

    private var description: String {
        let lines = self.rows.rows.prefix(40).map { row -> String in
            switch row.content {
            case .more(let count, _): return "\(Words.count(count)) more"
            case .span(let span):
                let words = SpanWords(span: span, labels: self.rendering.labels)
                let result = words.result.isEmpty ? span.outcome.rawValue : words.result
                return "\(words.name): \(result), \(Words.duration(span.interval.duration))"
            }
        }
        return (["A waterfall chart: \(self.summary)."] + lines).joined(separator: "\n")
    }

    // MARK: - Around the rows

    private var legend: (text: String, height: Double) {
        var items: [(shape: String, label: String)] = []
        let spans = self.drawnSpans
        for kind in Timeline.Phase.Kind.allCases where spans.contains(where: { $0.phases.contains { $0.kind == kind } })
        {
            items.append(("<rect class=\"p-\(kind)\" width=\"11\" height=\"11\" rx=\"2\"/>", kind.label))
        }
        if spans.contains(where: self.hasGaps) {
            items.append(("<rect class=\"t\" width=\"11\" height=\"11\" rx=\"2\"/>", "hooks and other"))
        }
        if spans.contains(where: { $0.outcome == .failed || $0.attempts.contains { $0.failure != nil } }) {
            items.append(("<rect class=\"cap-failed\" x=\"4\" y=\"-2\" width=\"3\" height=\"15\"/>", "failed"))
        }
        if spans.contains(where: { $0.outcome == .cancelled }) {
            items.append(("<rect class=\"cap-cancelled\" x=\"4\" y=\"-2\" width=\"3\" height=\"15\"/>", "cancelled"))
        }
        guard !items.isEmpty else { return ("", 0) }
        return self.lay(items)
    }

    /// Returns whether a span has parts outside of its phases.
    private func hasGaps(_ span: Timeline.Span) -> Bool {
        guard span.kind == .request else { return false }
        let covered = span.phases.reduce(Duration.zero) { $0 + $1.interval.duration }
        let pixel = Duration.nanoseconds(1) * (self.axis.length / self.axis.width)
        return span.interval.duration - covered > pixel || span.phases.isEmpty
    }

    /// Lays out the legend, in as many lines as needed.
    private func lay(_ items: [(shape: String, label: String)]) -> (text: String, height: Double) {
        let first = self.isPartOfPage ? 12.0 : 42.0
        var (text, x, y) = ("", Size.margin, first)
        for item in items {
            let width = 17 + Markup.width(item.label) * 6 + 14
            if x + width > self.width - Size.margin, x > Size.margin {
                x = Size.margin
                y += Size.legend
            }
            text += "<g transform=\"translate(\(Words.coordinate(x)) \(Words.coordinate(y)))\">\(item.shape)"
            text += "<text class=\"lg\" x=\"17\" y=\"9.5\">\(item.label)</text></g>\n"
            x += width
        }
        return (text, y - first + Size.legend)
    }

    private var drawnSpans: [Timeline.Span] {
        self.rows.rows.compactMap { if case .span(let span) = $0.content { span } else { nil } }
    }

    private func grid(from top: Double, to bottom: Double) -> String {
        guard !self.rows.rows.isEmpty else { return "" }
        let lines = self.axis.ticks.map { tick in
            let x = Words.coordinate(tick.x)
            return "<path class=\"gr\" d=\"M\(x) \(Words.coordinate(top - 4))V\(Words.coordinate(bottom))\"/>"
                + "<text class=\"ax\" x=\"\(x)\" y=\"\(Words.coordinate(top - 9))\">\(tick.label)</text>\n"
        }
        return "<g class=\"grid\">\n\(lines.joined())</g>\n"
    }

    // MARK: - The rows

    private func drawnRows(from top: Double) -> (text: String, bottom: Double) {
        guard !self.rows.rows.isEmpty else {
            return ("<text class=\"d\" x=\"16\" y=\"\(Words.coordinate(top + 4))\">Nothing ran.</text>\n", top + 10)
        }
        var (text, y) = ("", top)
        for (index, row) in self.rows.rows.enumerated() {
            let drawing = SVGRow(
                row: row, isLastOfFamily: self.isLastOfFamily(index), labels: self.rendering.labels, axis: self.axis,
                width: self.width, labelWidth: self.labelWidth, isPartOfPage: self.isPartOfPage)
            text +=
                "<g class=\"r\"\(self.isPartOfPage ? drawing.data : "") transform=\"translate(0 \(Words.coordinate(y)))\">\(drawing.content)</g>\n"
            y += Size.row
        }
        if self.rows.omitted > 0 {
            text += "<text class=\"d end\" x=\"16\" y=\"\(Words.coordinate(y + 17))\">"
            text += "… and \(Words.count(self.rows.omitted)) more that are not drawn</text>\n"
            y += Size.row
        }
        return (text, y)
    }

    /// Returns whether a row is the last of its siblings.
    private func isLastOfFamily(_ index: Int) -> Bool {
        let depth = self.rows.rows[index].depth
        let next = self.rows.rows[(index + 1)...].first { $0.depth <= depth }
        return next.map { $0.depth < depth } ?? true
    }
}
