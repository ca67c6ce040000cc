/// Escapes untrusted text for HTML.
enum Markup {
    /// The replacement for a character that must not be shown.
    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    /// Escapes a text for an HTML element, or for an attribute in double quotes.
    ///
    /// Line breaks are kept. Control characters, and those that change the text direction, are replaced.
    static func escaped(_ text: some StringProtocol) -> String {
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

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFF9...0xFFFB: false
        case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: false
        default: scalar.value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(scalar.value)
        }
    }
}
