/// Draws what came to a server in each second, as a picture for the documentation.
struct LoadPlot {
    struct Line {
        let name: String
        let colour: String
        let numbers: [Int]
    }

    let title: String
    /// The seconds that are marked, and what they are.
    let marked: (range: Range<Int>, name: String)
    let lines: [Line]

    private static let (left, top, width, height) = (56, 44, 720, 240)

    var svg: String {
        let count = self.lines.map(\.numbers.count).max() ?? 0
        // The highest second, up to the next line of the grid.
        let most = (self.lines.flatMap(\.numbers).max() ?? 0) / 500 * 500 + 500
        func x(_ second: Int) -> Int { Self.left + second * Self.width / max(1, count - 1) }
        func y(_ number: Int) -> Int { Self.top + Self.height - number * Self.height / most }
        var parts = [
            #"<svg xmlns="http://www.w3.org/2000/svg" role="img" width="900" height="330" viewBox="0 0 900 330">"#,
            "<title>\(self.title)</title>",
            "<style>text{font:12px system-ui,sans-serif;fill:#57606a}path{fill:none;stroke-width:2}</style>",
            #"<rect width="900" height="330" fill="white"/>"#,
            #"<text x="\#(Self.left)" y="22" font-weight="600">\#(self.title)</text>"#,
            #"<rect x="\#(x(self.marked.range.lowerBound))" y="\#(Self.top)" "#
                + #"width="\#(x(self.marked.range.upperBound) - x(self.marked.range.lowerBound))" "#
                + #"height="\#(Self.height)" fill="mistyrose"/>"#,
            #"<text x="\#(x(self.marked.range.lowerBound) + 6)" y="\#(Self.top + 14)">\#(self.marked.name)</text>"#,
        ]
        for number in stride(from: 0, through: most, by: 500) {
            parts.append(
                #"<path d="M\#(Self.left) \#(y(number))h\#(Self.width)" stroke="gainsboro" style="stroke-width:1"/>"#
                    + #"<text x="\#(Self.left - 6)" y="\#(y(number) + 4)" text-anchor="end">\#(number)</text>"#)
        }
        for second in stride(from: 0, through: count, by: 20) {
            parts.append(
                #"<text x="\#(x(second))" y="\#(Self.top + Self.height + 18)" text-anchor="middle">\#(second) s</text>"#
            )
        }
        for line in self.lines {
            let points = line.numbers.enumerated().map { "\(x($0.offset)) \(y($0.element))" }
            parts.append(#"<path d="M\#(points.joined(separator: "L"))" stroke="\#(line.colour)"/>"#)
        }
        for (index, line) in self.lines.enumerated() {
            let (across, down) = (Self.left + index * 240, Self.top + Self.height + 38)
            parts.append(
                #"<path d="M\#(across) \#(down - 4)h20" stroke="\#(line.colour)"/>"#
                    + #"<text x="\#(across + 26)" y="\#(down)">\#(line.name)</text>"#)
        }
        return (parts + ["</svg>", ""]).joined(separator: "\n")
    }
}
