/// Escapes untrusted text for SVG and HTML.
enum Markup {
    /// The replacement for a character that must not be shown.
    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    /// Escapes a text for an XML or HTML element, or for an attribute in double quotes.
    ///
    /// Line breaks are kept. Characters that XML forbids, other control characters, and those that change the text
    /// direction are replaced.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n": escaped += "\n"
            default: escaped.unicodeScalars.append(self.isShown(scalar) ? scalar : self.replacement)
            }
        }
        return escaped
    }

    /// The text with line breaks replaced with spaces, for one line of a tooltip.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { self.breaksLines($0) ? " " : $0 }))
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFF9...0xFFFB: false
        case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: false
        default: scalar.value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(scalar.value)
        }
    }

    private static func breaksLines(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    // MARK: - Widths

    /// Truncates a text to a width in letters, with an ellipsis at its end.
    static func cut(_ text: String, to width: Double) -> String {
        guard self.width(text) > width else { return text }
        var (cut, used) = ("", 1.0)
        for character in text {
            used += self.width(character)
            guard used <= width else { break }
            cut.append(character)
        }
        return cut + "…"
    }

    /// The approximate width of a text in letters of average width.
    static func width(_ text: String) -> Double {
        text.reduce(0) { $0 + self.width($1) }
    }

    private static func width(_ character: Character) -> Double {
        guard let value = character.unicodeScalars.first?.value else { return 0 }
        switch value {
        case 0x21, 0x27...0x29, 0x2C, 0x2E, 0x2F, 0x3A, 0x3B, 0x49, 0x5B...0x5D, 0x66, 0x69, 0x6A, 0x6C, 0x72, 0x74,
            0x7C:
            return 0.6
        case 0x4D, 0x57, 0x6D, 0x77, 0x25, 0x40: return 1.6
        case 0x41...0x5A, 0x26, 0x3C...0x3E: return 1.25
        case 0x20..<0x1100: return 1.05
        // East Asian letters, emoji and all unknown characters count as wide.
        default: return 2.1
        }
    }
}
