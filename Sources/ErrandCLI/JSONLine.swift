/// Parts of JSON lines.
enum JSONLine {
    /// Formats a JSON string (RFC 8259 §7); terminal control characters are escaped, since a person may look at it.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where Terminal.isUnprintable(scalar):
                // A surrogate pair for scalars beyond the basic plane.
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
