/// Scans a field value from left to right (RFC 9110 §5.6); text that does not match is not consumed.
struct FieldScanner {
    private var rest: Substring.UTF8View
    /// True if a quoted string had no end, so that its content is uncertain.
    private(set) var isCut = false

    init(_ text: String) {
        self.rest = Substring(text.trimmingFieldWhitespace()).utf8
    }

    var byte: UInt8? { self.rest.first }
    var isAtEnd: Bool { self.rest.isEmpty }

    mutating func skip() { self.rest = self.rest.dropFirst() }

    mutating func skipWhitespace() { self.rest = self.rest.drop(while: \.isFieldWhitespace) }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard self.byte == UInt8(ascii: scalar) else { return false }
        self.skip()
        return true
    }

    mutating func text(while belongs: (UInt8) -> Bool) -> String {
        let text = self.rest.prefix(while: belongs)
        self.rest = self.rest[text.endIndex...]
        return String(Substring(text))
    }

    mutating func token() -> String? {
        let token = self.text(while: \.isHTTPToken)
        return token.isEmpty ? nil : token
    }

    /// Reads a quoted string and its escapes (RFC 9110 §5.6.4); without a closing quote, it extends to the end.
    mutating func quotedString() -> String? {
        guard self.take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = self.rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte == UInt8(ascii: "\\") ? self.rest.popFirst() ?? byte : byte)
        }
        self.isCut = true
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads up to a separator outside quoted strings and past it, without surrounding white space.
    ///
    /// - Parameters:
    ///   - separator: The separator.
    ///   - hasEscapes: True if a backslash in a quoted string is an escape.
    /// - Returns: The part before it, possibly empty.
    mutating func part(upTo separator: Unicode.Scalar, hasEscapes: Bool = true) -> String {
        var (isQuoted, isEscaped) = (false, false)
        let part = self.rest.prefix { byte in
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted, hasEscapes {
                isEscaped = byte == UInt8(ascii: "\\")
            }
            return isQuoted || byte != UInt8(ascii: separator)
        }
        if isQuoted { self.isCut = true }
        self.rest = self.rest[part.endIndex...].dropFirst()
        return String(Substring(part)).trimmingFieldWhitespace()
    }
}

extension String {
    /// Returns the parts between separators outside quoted strings, without surrounding white space and empty parts.
    func fieldParts(at separator: Unicode.Scalar, hasEscapes: Bool = true) -> [String] {
        var (scanner, parts) = (FieldScanner(self), [String]())
        while !scanner.isAtEnd { parts.append(scanner.part(upTo: separator, hasEscapes: hasEscapes)) }
        return parts.filter { !$0.isEmpty }
    }

    /// The text as a quoted string (RFC 9110 §5.6.4).
    var asQuotedString: String {
        var text = "\""
        // By scalars, because a combining mark after a quote would hide it.
        for scalar in self.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}

extension HTTPFields {
    /// Returns the names in a list field, in lower case.
    func names(listedIn field: String) -> [String] {
        self.values(for: field).flatMap { $0.asciiLowercased().parts(at: ",") }
            .map { $0.trimmingFieldWhitespace() }.filter { !$0.isEmpty }
    }
}
