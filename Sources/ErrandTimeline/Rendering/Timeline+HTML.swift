internal import Errand
internal import Foundation

extension Timeline {
    /// Returns a page with the timeline as an interactive waterfall and as a table.
    ///
    /// The page is self-contained, and its policy forbids it to load anything. Its own script zooms and filters;
    /// without scripts, the picture and the table are still shown. The same timeline and rendering give the same text.
    ///
    /// - Parameter rendering: The rendering options.
    /// - Returns: An HTML document.
    /// - Complexity: O(*n* log *n*) in the number of spans.
    public func html(_ rendering: TimelineRendering = TimelineRendering()) -> String {
        HTMLPage(self, rendering).text
    }
}

/// The page of a timeline.
struct HTMLPage {
    private let drawing: SVGDrawing
    private let table: HTMLTable
    private let title: String

    init(_ timeline: Timeline, _ rendering: TimelineRendering) {
        var rendering = rendering
        // A page has enough room.
        rendering.width = max(rendering.width, 640)
        self.drawing = SVGDrawing(timeline, rendering, isPartOfPage: true)
        self.table = HTMLTable(rows: self.drawing.rows, labels: rendering.labels, axis: self.drawing.axis)
        self.title = Markup.escaped(Markup.line(rendering.title))
    }

    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(self.title)</title>
        <style>\(HTMLAssets.style)</style>
        </head>
        <body>
        <header><h1>\(self.title)</h1><p>\(Markup.escaped(self.drawing.summary))</p></header>
        \(HTMLAssets.tools)
        <main>
        <div class="picture">\(self.drawing.element)</div>
        <details><summary>The same as a table</summary>
        \(self.table.text)</details>
        </main>
        <div id="panel" role="tooltip" hidden></div>
        <script>\(HTMLAssets.script)</script>
        </body>
        </html>

        """
    }

    /// A policy that forbids all loading, and all scripts but the page's own, whatever a name contains.
    private static let policy: String = {
        let styles = [HTMLAssets.style, SVGStyle.sheet].map(Self.source).joined(separator: " ")
        return "default-src 'none'; style-src \(styles); script-src \(Self.source(HTMLAssets.script)); "
            + "base-uri 'none'; form-action 'none'"
    }()

    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256(of: text).bytes).base64EncodedString())'"
    }
}
