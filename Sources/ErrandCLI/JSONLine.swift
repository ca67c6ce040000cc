/// Parts of lines of JSON for a program.
enum JSONLine {
    /// Writes a JSON string (RFC 8259 §7); what a terminal would act on is escaped, for a person may look at it, too.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where Terminal.isUnprintable(scalar):
                // Two of them for what lies beyond the basic plane.
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
