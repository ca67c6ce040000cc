/// The table with the values that a picture shows.
struct HTMLTable {
    let rows: TimelineRows
    let labels: TimelineRendering.Labels
    let axis: TimeAxis

    /// The table.
    var text: String {
        let kinds = self.kinds
        let heads = ["what", "request", "result", "start", "total"] + kinds.map(\.label) + ["attempts"]
        var text = "<div class=\"scroll\"><table>\n<thead><tr>"
        text += heads.map { "<th scope=\"col\">\($0)</th>" }.joined() + "</tr></thead>\n<tbody>\n"
        for row in self.rows.rows {
            switch row.content {
            case .more(let count, _):
                text += "<tr><td colspan=\"\(heads.count)\">\(self.indent(row))… \(Words.count(count)) more</td></tr>\n"
            case .span(let span):
                text += self.line(row, span, kinds)
            }
        }
        if self.rows.omitted > 0 {
            text += "<tr><td colspan=\"\(heads.count)\">… and \(Words.count(self.rows.omitted)) more</td></tr>\n"
        }
        return text + "</tbody>\n</table></div>\n"
    }

    /// The kinds of phases that occur.
    private var kinds: [Timeline.Phase.Kind] {
        Timeline.Phase.Kind.allCases.filter { kind in
            self.rows.rows.contains { row in
                guard case .span(let span) = row.content else { return false }
                return span.phases.contains { $0.kind == kind }
            }
        }
    }

    private func line(
        _ row: TimelineRows.Row, _ span: Timeline.Span, _ kinds: [Timeline.Phase.Kind]
    ) -> String {
        let words = SpanWords(span: span, labels: .names)
        let position = span.position.map { " [\($0)]" } ?? ""
        let request = span.url.map { "\(span.method ?? "") \($0)" } ?? words.target
        var texts = [
            words.result.isEmpty ? span.outcome.rawValue : words.result,
            Words.duration(self.axis.offset(span.interval.start)), Words.duration(span.interval.duration),
        ]
        let sums = SpanWords.sums(of: span.phases)
        texts += kinds.map { kind in sums.first { $0.kind == kind }.map { Words.duration($0.duration) } ?? "" }
        texts.append(span.kind == .request ? "\(span.attemptCount)" : "")
        let cells = texts.map { "<td class=\"number\">\(Markup.escaped($0))</td>" }.joined()
        let name = self.indent(row) + Markup.escaped(words.name + position)
        return
            "<tr><th scope=\"row\">\(name)</th><td class=\"url\">\(Markup.escaped(Markup.line(request)))</td>\(cells)</tr>\n"
    }

    private func indent(_ row: TimelineRows.Row) -> String {
        String(repeating: "&#8195;", count: min(row.depth, 5))
    }
}
