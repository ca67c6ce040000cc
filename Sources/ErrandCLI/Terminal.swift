/// How things are drawn for a person: colours, the progress bar, lines that stay one line.
enum Terminal {
    /// Moves to the start of the line and clears it.
    static let eraseLine = "\r\u{1B}[K"

    /// Draws lines over those that were drawn before, as one text; the cursor stays at the end of the last one.
    ///
    /// What is too long, as of characters that take two columns, is cut by the terminal: a line that wraps would be two.
    static func redraw(_ lines: [String], over drawn: Int) -> String {
        let rest = drawn > lines.count ? "\u{1B}[J" : ""
        return "\u{1B}[?7l" + Self.top(of: drawn) + lines.map { "\u{1B}[K" + $0 }.joined(separator: "\r\n") + rest
            + "\u{1B}[?7h"
    }

    /// Takes away so many lines.
    static func erase(_ drawn: Int) -> String {
        drawn > 1 ? Self.top(of: drawn) + "\u{1B}[J" : Self.eraseLine
    }

    /// Moves to the start of the first of so many lines.
    private static func top(of drawn: Int) -> String { "\r" + (drawn > 1 ? "\u{1B}[\(drawn - 1)A" : "") }

    /// Whether colours are wanted: on a terminal, unless `NO_COLOR` says otherwise.
    static func wantsColor(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The text with everything escaped that would break its line or talk to the terminal.
    static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: Self.isUnprintable) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            if Self.isUnprintable(scalar) {
                line += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// Whether a terminal would act on it, or show nothing.
    static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// What a line says, for its colour.
enum Tone: Sendable {
    case plain
    case heading
    case good
    case bad

    func paint(_ text: String) -> String {
        switch self {
        case .plain: text
        case .heading: "\u{1B}[1m\(text)\u{1B}[0m"
        case .good: "\u{1B}[32m\(text)\u{1B}[0m"
        case .bad: "\u{1B}[31m\(text)\u{1B}[0m"
        }
    }
}

/// How far a long piece of work has come, and how that looks.
struct ProgressBar: Sendable {
    /// Where a bar is drawn.
    enum Place: Sendable {
        /// With the results; where that is no terminal, ten plain lines take its place.
        case output
        /// With the complaints; nowhere when that is no terminal.
        case errors
    }

    let place: Place
    let total: Int
    private(set) var finished = 0

    init(_ place: Place, total: Int) {
        self.place = place
        self.total = max(0, total)
    }

    /// Counts one more, and tells whether to draw: `steps` times from nothing to all.
    mutating func advance(steps: Int) -> Bool {
        self.finished += 1
        return self.finished >= self.total || self.finished % max(1, self.total / max(1, steps)) == 0
    }

    /// The count alone.
    var count: String { "\(self.finished) of \(self.total)" }

    /// The bar, no wider than so many columns.
    func drawn(columns: Int) -> String {
        let share = self.total == 0 ? 1 : min(1, Double(self.finished) / Double(self.total))
        let numbers = " \(self.count), \(Int(share * 100)) %"
        let width = min(40, columns - numbers.count - 3)
        guard width >= 5 else { return String(numbers.dropFirst().prefix(max(0, columns - 1))) }
        let filled = Int(share * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
        return "[\(bar)]\(numbers)"
    }
}
