/// Terminal output: colors, the progress bar, and text on a single line.
enum Terminal {
    /// Moves to the start of the line and clears it.
    static let eraseLine = "\r\u{1B}[K"

    /// Redraws lines over previous ones, as one text; the cursor stays at the end of the last one.
    ///
    /// The terminal cuts lines that are too long, for example with characters of two columns: a line that wraps would
    /// count as two.
    static func redraw(_ lines: [String], over drawn: Int) -> String {
        let rest = drawn > lines.count ? "\u{1B}[J" : ""
        return "\u{1B}[?7l" + Self.top(of: drawn) + lines.map { "\u{1B}[K" + $0 }.joined(separator: "\r\n") + rest
            + "\u{1B}[?7h"
    }

    /// Erases the given number of lines.
    static func erase(_ drawn: Int) -> String {
        drawn > 1 ? Self.top(of: drawn) + "\u{1B}[J" : Self.eraseLine
    }

    /// Moves to the start of the first of the given number of lines.
    private static func top(of drawn: Int) -> String { "\r" + (drawn > 1 ? "\u{1B}[\(drawn - 1)A" : "") }

    /// Returns whether to use colors: on a terminal, unless `NO_COLOR` is set.
    static func wantsColor(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Escapes line breaks and terminal control characters.
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

    /// True for characters that a terminal interprets or does not show.
    static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// The tone of a line, which determines its color.
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

/// The progress of a long operation, and its display.
struct ProgressBar: Sendable {
    /// The destination of a bar.
    enum Destination: Sendable {
        /// With the results; without a terminal, it is replaced by ten plain lines.
        case output
        /// With the error messages; not shown without a terminal.
        case errors
    }

    let place: Destination
    let total: Int
    private(set) var finished = 0

    init(_ place: Destination, total: Int) {
        self.place = place
        self.total = max(0, total)
    }

    /// Increments the progress, and returns whether to draw it: `steps` times from start to end.
    mutating func advance(steps: Int) -> Bool {
        self.finished += 1
        return self.finished >= self.total || self.finished % max(1, self.total / max(1, steps)) == 0
    }

    /// The count without the bar.
    var count: String { "\(self.finished) of \(self.total)" }

    /// The bar, at most as wide as the given number of columns.
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
