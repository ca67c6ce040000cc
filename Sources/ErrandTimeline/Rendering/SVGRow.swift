/// One row of a picture: its label, its bar and its result.
struct SVGRow {
    private typealias Size = SVGDrawing.Size

    let row: TimelineRows.Row
    let isLastOfFamily: Bool
    let labels: TimelineRendering.Labels
    let axis: TimeAxis
    let width: Double
    let labelWidth: Double
    let isPartOfPage: Bool

    /// The attributes of the row for the script.
    var data: String {
        guard case .span(let span) = self.row.content else { return " data-depth=\"\(self.row.depth)\"" }
        return " data-depth=\"\(self.row.depth)\" data-end=\"\(span.outcome)\""
    }

    /// The content of the row's group.
    var content: String {
        switch self.row.content {
        case .more(let count, let interval): self.more(count, interval)
        case .span(let span): self.span(span)
        }
    }

    private var indent: Double { Size.margin + Double(min(self.row.depth, 5)) * 18 }

    private func span(_ span: Timeline.Span) -> String {
        let words = SpanWords(span: span, labels: self.labels)
        let bar = span.kind == .request ? self.bar(span) : self.bracket(span)
        return "<title>\(Markup.escaped(words.hover(self.axis.offset)))</title>"
            + self.background + self.branch + self.icon(span.outcome) + self.label(span, words)
            + "<g class=\"b\">\(bar)</g>" + self.result(span, words)
    }

    private func more(_ count: Int, _ interval: Timeline.Interval?) -> String {
        let text = "… \(Words.count(count)) more"
        var content = "<title>\(text), not drawn</title>\(self.background)\(self.branch)"
        content += "<text class=\"d\" x=\"\(Words.coordinate(self.indent))\" y=\"17\">\(text)</text>"
        guard let interval else { return content }
        let (start, length) = self.place(interval)
        let ends = "x1=\"\(Words.coordinate(start))\" x2=\"\(Words.coordinate(start + length))\""
        return content + "<g class=\"b\"><line class=\"mo\" \(ends) y1=\"13\" y2=\"13\"\(self.time(interval))/></g>"
    }

    // MARK: - The label

    private var background: String {
        "<rect class=\"h\" x=\"6\" width=\"\(Words.coordinate(self.width - 12))\" height=\"26\" rx=\"4\"/>"
    }

    /// The line from the parent.
    private var branch: String {
        guard self.row.depth > 0 else { return "" }
        let x = Words.coordinate(self.indent - 13)
        return "<path class=\"tr\" d=\"M\(x) 0V\(self.isLastOfFamily ? "13" : "26")M\(x) 13h8\"/>"
    }

    private func icon(_ outcome: Timeline.Span.Outcome) -> String {
        let (name, path) =
            switch outcome {
            case .finished: ("ok", "M1 5.5l2.7 2.7L9 2")
            case .failed: ("no", "M1.5 1.5l7 7m0-7l-7 7")
            case .cancelled: ("ca", "M5 .8a4.2 4.2 0 1 0 .01 0zM2.2 7.8l5.6-5.6")
            case .cached: ("hi", "M6 .5L1.8 5.6h3L4 9.5l4.2-5.2h-3z")
            case .running: ("ru", "M5 .8a4.2 4.2 0 1 0 .01 0zM5 2.8V5l1.6 1")
            }
        return "<path class=\"i \(name)\" transform=\"translate(\(Words.coordinate(self.indent)) 8)\" d=\"\(path)\"/>"
    }

    private func label(_ span: Timeline.Span, _ words: SpanWords) -> String {
        let x = self.indent + 16
        let room = (Size.margin + self.labelWidth - 12 - x) / 6.4
        let name = Markup.cut(words.name, to: room)
        let rest = room - Markup.width(name) - 1.5
        let target = rest > 4 ? Markup.cut(words.target, to: rest) : ""
        let tail = target.isEmpty ? "" : "<tspan class=\"d\" dx=\"7\">\(Markup.escaped(target))</tspan>"
        let style = span.kind == .request ? "n" : "co"
        return "<text class=\"\(style)\" x=\"\(Words.coordinate(x))\" y=\"17\">\(Markup.escaped(name))\(tail)</text>"
    }

    private func result(_ span: Timeline.Span, _ words: SpanWords) -> String {
        let right = self.width - Size.margin
        let style = span.outcome == .failed ? "re bad" : span.outcome == .finished ? "re" : "re d"
        let result = Markup.cut(words.result, to: (Size.result - Size.duration - 12) / 5.9)
        var content = ""
        if !result.isEmpty {
            content += "<text class=\"\(style)\" x=\"\(Words.coordinate(right - Size.duration))\" y=\"17\">"
            content += "\(Markup.escaped(result))</text>"
        }
        content += "<text class=\"du\" x=\"\(Words.coordinate(right))\" y=\"17\">"
        return content + "\(Markup.escaped(Words.duration(span.interval.duration)))</text>"
    }

    // MARK: - The bar

    /// The bar of a batch or chain: a line around its children.
    private func bracket(_ span: Timeline.Span) -> String {
        let (start, length) = self.place(span.interval)
        let end = start + length
        return self.rect("g", start, 11, length, 4, radius: 2, time: span.interval)
            + self.mark("g", start, 8, 2, 10, at: span.interval.start)
            + (self.cap(span, at: end) ?? self.mark("g", end - 2, 8, 2, 10, at: span.interval.end))
    }

    private func bar(_ span: Timeline.Span) -> String {
        let (start, length) = self.place(span.interval)
        var content = self.rect("t", start, 7, length, 12, radius: 2, time: span.interval)
        content += self.phases(span, start, length)
        for attempt in span.attempts.dropFirst() {
            // A wedge at the beginning of another attempt.
            let begin = attempt.interval.start
            let (x, time) = (Words.coordinate(self.axis.x(begin)), self.time(begin))
            content += "<path class=\"at\" d=\"M\(x) 6.5l-2.5-4h5z\"\(time)/>"
        }
        for attempt in span.attempts.dropLast() where attempt.failure != nil {
            let end = attempt.interval.end
            content += self.mark("cap-failed", self.axis.x(end) - 2, 5, 2, 16, at: end)
        }
        return content + (self.cap(span, at: start + length) ?? "")
    }

    private func phases(_ span: Timeline.Span, _ start: Double, _ length: Double) -> String {
        // If the phases are too short to be distinguished, the longest stands for all.
        guard self.isPartOfPage || length >= 3 else {
            let longest = span.phases.max { $0.interval.duration < $1.interval.duration }
            return longest.map { self.rect("p-\($0.kind)", start, 7, length, 12) } ?? ""
        }
        return span.phases.map { phase in
            let x = self.axis.x(phase.interval.start)
            let length = self.axis.x(phase.interval.end) - x
            // Anything shorter is invisible, unless a script zooms in.
            guard self.isPartOfPage || length >= 0.2 else { return "" }
            let attempt = span.attemptCount > 1 ? phase.attempt.map { " (attempt \($0))" } ?? "" : ""
            let words = "\(phase.kind.words)\(attempt): \(Words.duration(phase.interval.duration))"
            return self.rect("p-\(phase.kind)", x, 7, max(0.4, length), 12, time: phase.interval, title: words)
        }
        .joined()
    }

    /// The mark of a failure or a cancellation.
    private func cap(_ span: Timeline.Span, at end: Double) -> String? {
        switch span.outcome {
        case .failed, .cancelled: self.mark("cap-\(span.outcome)", end - 1.5, 4, 3, 18, at: span.interval.end)
        case .running, .finished, .cached: nil
        }
    }

    /// The left end and the length; an instant gets a visible length.
    private func place(_ interval: Timeline.Interval) -> (start: Double, length: Double) {
        let (start, end) = (self.axis.x(interval.start), self.axis.x(interval.end))
        let length = max(2, end - start)
        return (min(start, self.axis.left + self.axis.width - length), length)
    }

    // MARK: - Shapes

    /// A shape whose length represents a duration.
    private func rect(
        _ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, radius: Int = 0,
        time: Timeline.Interval? = nil, title: String? = nil
    ) -> String {
        let corners = radius > 0 ? " rx=\"\(radius)\"" : ""
        let start = self.box(style, x, y, width, height) + corners + (time.map(self.time) ?? "")
        return title.map { "\(start)><title>\(Markup.escaped($0))</title></rect>" } ?? "\(start)/>"
    }

    /// A shape that marks a moment.
    private func mark(
        _ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, at moment: Duration
    ) -> String {
        "\(self.box(style, x, y, width, height))\(self.time(moment))/>"
    }

    private func box(_ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String {
        let place = "x=\"\(Words.coordinate(x))\" y=\"\(Words.coordinate(y))\""
        return
            "<rect class=\"\(style)\" \(place) width=\"\(Words.coordinate(width))\" height=\"\(Words.coordinate(height))\""
    }

    /// The attributes with the times of an interval, for the script.
    private func time(_ interval: Timeline.Interval) -> String {
        guard self.isPartOfPage else { return "" }
        let (start, end) = (self.axis.offset(interval.start), self.axis.offset(interval.end))
        return " data-from=\"\(start.wholeNanoseconds)\" data-to=\"\(end.wholeNanoseconds)\""
    }

    private func time(_ moment: Duration) -> String {
        self.isPartOfPage ? " data-at=\"\(self.axis.offset(moment).wholeNanoseconds)\"" : ""
    }
}
