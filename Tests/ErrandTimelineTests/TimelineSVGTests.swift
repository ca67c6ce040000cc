internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation
internal import TestEffort
internal import Testing

/// The picture as text: that it is XML, has everything in it, and no more than that.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TimelineSVGTests {
    private func tree(_ timeline: Timeline, _ configure: (inout TimelineRendering) -> Void = { _ in }) throws -> XMLTree
    {
        var rendering = TimelineRendering()
        configure(&rendering)
        return try XMLTree(parsing: Data(timeline.svg(rendering).utf8))
    }

    private func rows(_ tree: XMLTree) -> [XMLTree] {
        tree.children(named: "g").filter { $0.attribute("class") == "r" }
    }

    /// The label of a row.
    private func label(_ row: XMLTree) -> String {
        row.children(named: "text").first?.text ?? ""
    }

    @Test func `everything there can be is well-formed XML, with a row for each`() throws {
        let tree = try self.tree(TimelineFixture.everything)
        #expect(tree.name == "svg" && tree.attribute("xmlns") == "http://www.w3.org/2000/svg")
        #expect(tree.attribute("role") == "img" && tree["title"]?.text == "Timeline")
        #expect(tree["desc"]?.text.contains("GetUser: cancelled") == true)
        #expect(self.rows(tree).count == TimelineFixture.everything.spans.count)
        #expect(self.rows(tree).allSatisfy { $0["title"]?.text.isEmpty == false })
        #expect(tree.children(named: "text").contains { $0.text == "… and 7 more that are not drawn" })
    }

    @Test func `every kind of phase and every end has its colour`() {
        let svg = TimelineFixture.everything.svg()
        for kind in Timeline.Phase.Kind.allCases {
            #expect(svg.contains(".p-\(kind){") && svg.contains("class=\"p-\(kind)\""), "\(kind)")
        }
        for mark in ["cap-failed", "cap-cancelled", "i ok", "i no", "i ca", "i hi", "i ru", "at"] {
            #expect(svg.contains("class=\"\(mark)\""), "\(mark)")
        }
    }

    @Test func `needs nothing but itself`() {
        let svg = TimelineFixture.everything.svg()
        for word in ["<script", "@import", "url(", "href", "<image", "<foreignObject", "@font-face"] {
            #expect(!svg.contains(word), "\(word)")
        }
        #expect(svg.contains("prefers-color-scheme:dark"))
    }

    @Test func `the same gives the same`() {
        #expect(TimelineFixture.everything.svg() == TimelineFixture.everything.svg())
        #expect(TimelineFixture.everything.html() == TimelineFixture.everything.html())
    }

    @Test func `children stand below what they belong to, in the order of their positions`() throws {
        var spans = TimelineFixture.batch(1, of: 3)
        spans.swapAt(1, 3)
        spans.append(TimelineFixture.request(9, 1, 2, name: "Alone"))
        let rows = self.rows(try self.tree(Timeline(spans: spans)))
        #expect(
            rows.map(self.label).map { $0.prefix { $0 != " " } } == [
                "batch3", "GetUserGET", "GetUserGET", "GetUserGET", "AloneGET",
            ])
        let ids = rows.compactMap { $0["title"]?.text.firstMatch(of: /id=(\d+)/)?.1 }
        #expect(ids == ["2", "3", "4", "9"])
    }

    @Test func `a large batch shows its first children and how many more there are`() throws {
        let timeline = Timeline(spans: TimelineFixture.batch(1, of: 10_000) + [TimelineFixture.request(20_000, 0, 1)])
        let rows = self.rows(try self.tree(timeline))
        #expect(rows.count == 1 + 40 + 1 + 1)
        #expect(self.label(rows[41]) == "… 9\u{A0}960 more")
        #expect(timeline.svg().utf8.count < 60_000 && timeline.html().utf8.count < 200_000)
    }

    @Test func `no more rows are drawn than asked for`() throws {
        let spans = (0..<100).map { TimelineFixture.request(UInt64($0), $0, $0 + 1) }
        let tree = try self.tree(Timeline(spans: spans, omitted: 5)) { $0.rowLimit = 10 }
        #expect(self.rows(tree).count == 10)
        #expect(tree.children(named: "text").last?.text == "… and 95 more that are not drawn")
        let limited = try self.tree(Timeline(spans: TimelineFixture.batch(1, of: 50))) { $0.rowLimit = 3 }
        #expect(limited.children(named: "text").last?.text == "… and 48 more that are not drawn")
    }

    @Test func `nothing and an instant can be drawn`() throws {
        #expect(try self.tree(Timeline()).children(named: "text").last?.text == "Nothing ran.")
        let instant = self.rows(try self.tree(Timeline(spans: [TimelineFixture.request(1, 5, 5)])))
        let bar = try #require(instant.first?.children(named: "g").first?.children.first)
        #expect(bar.attribute("width") == "2")
    }

    @Test(arguments: [
        Timeline.Interval(start: .seconds(Int64.min), end: .seconds(Int64.max)),
        Timeline.Interval(start: .seconds(5), end: .zero),
    ])
    func `what is beyond all measure can be drawn somehow`(interval: Timeline.Interval) throws {
        let span = self.request { span in
            span.interval = interval
            span.phases = [Timeline.Phase(.wait, interval)]
        }
        #expect(self.rows(try self.tree(Timeline(spans: [span, TimelineFixture.request(2, 0, 1)]))).count == 2)
        #expect(Timeline(spans: [span]).html().hasSuffix("</html>\n"))
    }

    private func request(_ change: (inout Timeline.Span) -> Void) -> Timeline.Span {
        var span = TimelineFixture.request(1, 0, 1)
        change(&span)
        return span
    }

    @Test func `parents in a circle, and twins, are drawn once each`() throws {
        let circle = [
            TimelineFixture.request(1, 0, 1, parent: 2), TimelineFixture.request(2, 0, 1, parent: 1),
            TimelineFixture.request(3, 0, 1, parent: 3), TimelineFixture.request(3, 0, 1, parent: 99),
        ]
        #expect(self.rows(try self.tree(Timeline(spans: circle))).count == 4)
        let deep = (0..<5000).map { TimelineFixture.request(UInt64($0), 0, 1, parent: $0 == 0 ? nil : UInt64($0 - 1)) }
        #expect(self.rows(try self.tree(Timeline(spans: deep))).count == 1000)
    }

    @Test(arguments: [0, 1, 480, 900, 4000, Int.max])
    func `any width is made one that can be drawn`(width: Int) throws {
        let tree = try self.tree(TimelineFixture.everything) { $0.width = width }
        #expect(tree.attribute("width") == "\(min(max(width, 480), 4000))")
    }

    @Test func `names of any characters are written so that they stay texts`() throws {
        var random = SplitMix64(seed: 0x7191)
        for _ in 0..<TestEffort.rounds(of: 400) { try self.drawTexts(from: &random) }
    }

    private func drawTexts(from random: inout SplitMix64) throws {
        let texts = (0..<7).map { _ in TimelineFixture.text(&random) }
        let span = self.request { span in
            (span.name, span.url, span.tag, span.method, span.failure) = (
                texts[0], texts[1], texts[2], texts[3], texts[4]
            )
            span.outcome = .failed
            span.notes = [texts[5]]
        }
        let timeline = Timeline(spans: [span])
        let tree = try self.tree(timeline) { $0.title = texts[6] }
        #expect(self.rows(tree).count == 1)
        #expect(
            Set(self.names(in: tree)).isSubset(of: [
                "svg", "title", "desc", "style", "rect", "text", "tspan", "g", "path",
            ]))
        let html = timeline.html(TimelineRendering(title: texts[6], labels: .urls))
        #expect(html.ranges(of: "</script>").count == 1 && html.ranges(of: "<script>").count == 1)
        #expect(html.ranges(of: "<!--").isEmpty && html.ranges(of: "</svg>").count == 1)
    }

    private func names(in tree: XMLTree) -> [String] {
        [tree.name] + tree.children.flatMap(self.names)
    }

    @Test func `a quoted name comes out as it went in`() throws {
        let span = TimelineFixture.request(1, 0, 1, name: "Get<\"A&B\">'s é")
        let row = try #require(self.rows(try self.tree(Timeline(spans: [span]))).first)
        #expect(row["title"]?.text.hasPrefix("Get<\"A&B\">'s é\n") == true)
        #expect(self.label(row).hasPrefix("Get<\"A&B\">'s é"))
        let trick = TimelineFixture.request(1, 0, 1, name: "a\u{202E}b\u{0}c\nd")
        let tricked = try #require(self.rows(try self.tree(Timeline(spans: [trick]))).first)
        #expect(tricked["title"]?.text.hasPrefix("a\u{FFFD}b\u{FFFD}c d\n") == true)
    }
}

extension TimelineRendering {
    fileprivate init(title: String, labels: Labels) {
        self.init()
        self.title = title
        self.labels = labels
    }
}
