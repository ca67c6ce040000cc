/// The colors of a picture, in light and dark mode.
///
/// The kinds of phases differ in lightness as well as in hue, and always come in the same order, so that color-blind
/// readers can distinguish them; failures and cancellations have their own shapes.
enum SVGStyle {
    /// The style sheet, whose rules apply only inside a picture.
    static let sheet: String = {
        let light = Self.rules(
            Self.surface.map { ($0.rule, $0.light) } + Self.phases.map { (".p-\($0.kind)", "fill:\($0.light)") })
        let dark = Self.rules(
            Self.surface.map { ($0.rule, $0.dark) } + Self.phases.map { (".p-\($0.kind)", "fill:\($0.dark)") })
        return Self.fixed + light + "@media (prefers-color-scheme:dark){\(dark)}"
    }()

    private static let fixed = Self.rules([
        ("text", "font:12px \(Self.fonts)"), (".ti", "font-size:16px;font-weight:600"),
        (".ax,.lg,.su", "font-size:11px"),
        (".n", "font-weight:500"), (".co", "font-weight:700"), (".co .d", "font-weight:400"),
        (".re,.du", "font-size:11.5px;text-anchor:end"),
        (".du", "font-variant-numeric:tabular-nums"), (".ax", "text-anchor:middle"),
        (".h", "fill:none;pointer-events:all"),
        (".i", "fill:none;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round"), (".tr", "fill:none"),
        (".mo", "stroke-width:2;stroke-dasharray:2 4;fill:none"),
    ])

    private static let fonts =
        "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif"

    private static let surface: [(rule: String, light: String, dark: String)] = [
        (".bg", "fill:#fff;stroke:#d8dee4", "fill:#0d1117;stroke:#30363d"),
        ("text", "fill:#1f2328", "fill:#e6edf3"),
        (".d,.ax,.lg,.su,.du", "fill:#59636e", "fill:#9198a1"),
        (".gr", "stroke:#e7eaee", "stroke:#21262d"),
        (".tr", "stroke:#c4cbd3", "stroke:#3d444d"),
        (".r:hover .h", "fill:#f3f5f8", "fill:#161b22"),
        (".t", "fill:#e2e6eb", "fill:#2a313a"),
        (".g", "fill:#8c96a3", "fill:#7d8590"),
        (".mo", "stroke:#8c96a3", "stroke:#7d8590"),
        (".ok", "stroke:#117733", "stroke:#3fb950"),
        (".no", "stroke:#c4001d", "stroke:#ff7b72"),
        (".ca,.ru", "stroke:#6e7781", "stroke:#9198a1"),
        (".hi", "stroke:#117733", "stroke:#56d364"),
        ("text.bad", "fill:#b3001b", "fill:#ff8d85"),
        (".cap-failed", "fill:#c4001d", "fill:#ff6b61"),
        (".cap-cancelled", "fill:#6e7781", "fill:#9198a1"),
        (".at", "fill:#1f2328", "fill:#e6edf3"),
    ]

    private static let phases: [(kind: Timeline.Phase.Kind, light: String, dark: String)] = [
        (.cache, "#117733", "#56d364"),
        (.queue, "#aeb6c1", "#5b6572"),
        (.lookup, "#66b8e0", "#88ccee"),
        (.connect, "#e69f00", "#e69f00"),
        (.tls, "#aa4499", "#c46bb5"),
        (.send, "#2a9d8f", "#44aa99"),
        (.wait, "#dccb6a", "#ddcc77"),
        (.receive, "#332288", "#7c83ff"),
        (.process, "#57606a", "#d0d7de"),
    ]

    private static func rules(_ rules: [(selector: String, body: String)]) -> String {
        rules.map { rule in
            let selectors = rule.selector.split(separator: ",").map { ".errand \($0)" }.joined(separator: ",")
            return "\(selectors){\(rule.body)}\n"
        }
        .joined()
    }
}
