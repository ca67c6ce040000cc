/// A media type with its parameters, as in `text/html; charset=utf-8` (RFC 9110 §8.3.1).
///
/// Type, subtype, parameter names and the charset are stored in lower case, because they are case-insensitive; other
/// values are unchanged.
public struct MIMEType: Sendable, Hashable {
    /// A parameter of a media type (RFC 9110 §5.6.6).
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public let name: String
        /// The value without quotes.
        public let value: String

        init(name: String, value: String) {
            self.name = name.asciiLowercased()
            self.value = self.name == "charset" ? value.asciiLowercased() : value
        }
    }

    /// The part before the slash, in lower case, or `*` in a pattern.
    public let type: String
    /// The part after the slash, in lower case, or `*` in a pattern; empty only for a malformed literal.
    public let subtype: String
    /// The parameters in their order.
    public let parameters: [Parameter]

    /// Creates a media type from text such as `application/json; charset="utf-8"`.
    ///
    /// - Returns: `nil` if the text does not follow the grammar of RFC 9110 §8.3.1.
    public init?(_ text: String) {
        var scanner = FieldScanner(text)
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token(),
            let parameters = scanner.parameters()
        else { return nil }
        self.init(type: type, subtype: subtype, parameters: parameters)
    }

    /// Creates a media type from received text; invalid parameters are skipped.
    static func received(_ text: String) -> MIMEType? {
        var scanner = FieldScanner(text)
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else { return nil }
        scanner.skipWhitespace()
        guard scanner.isAtEnd || scanner.take(";") else { return nil }
        return MIMEType(type: type, subtype: subtype, parameters: scanner.soundParameters())
    }

    private init(type: String, subtype: String, parameters: [Parameter] = []) {
        self.type = type.asciiLowercased()
        self.subtype = subtype.asciiLowercased()
        self.parameters = parameters
    }

    /// The type and subtype without parameters, as in `text/html`.
    public var essence: String {
        self.subtype.isEmpty ? self.type : "\(self.type)/\(self.subtype)"
    }

    /// The charset parameter, in lower case (RFC 9110 §8.3.2).
    public var charset: String? { self["charset"] }

    /// The value of the first parameter with a name, ignoring case.
    public subscript(parameter: String) -> String? {
        self.parameters.first { $0.name.isEqualIgnoringASCIICase(to: parameter) }?.value
    }

    /// Returns this type with another charset.
    func with(charset: String) -> MIMEType {
        let others = self.parameters.filter { $0.name != "charset" }
        return MIMEType(
            type: self.type, subtype: self.subtype,
            parameters: [Parameter(name: "charset", value: charset)] + others)
    }

    /// Returns true if this type matches a pattern: a type, `type/*` or `*/*` (RFC 9110 §12.5.1), or `type/*+suffix`
    /// for all subtypes with a structured syntax suffix (RFC 6838 §4.2.8).
    ///
    /// Parameters are ignored on both sides. A malformed literal matches no pattern.
    public func matches(_ pattern: MIMEType) -> Bool {
        guard !self.subtype.isEmpty else { return false }
        if pattern.type == "*" { return pattern.subtype == "*" }
        guard self.type == pattern.type else { return false }
        if pattern.subtype.startsExactly(with: "*+") {
            return self.subtype.endsExactly(with: pattern.subtype.dropFirst())
        }
        return self.subtype == pattern.subtype || pattern.subtype == "*"
    }

    // MARK: - Common types

    /// JSON (RFC 8259).
    public static let json = MIMEType(type: "application", subtype: "json")
    /// Arbitrary bytes.
    public static let octetStream = MIMEType(type: "application", subtype: "octet-stream")
    /// Form items, encoded like a query.
    public static let formURLEncoded = MIMEType(type: "application", subtype: "x-www-form-urlencoded")
    /// Plain text.
    public static let plainText = MIMEType(type: "text", subtype: "plain")
    /// HTML.
    public static let html = MIMEType(type: "text", subtype: "html")
    /// The pattern that matches every type.
    public static let any = MIMEType(type: "*", subtype: "*")
}

// MARK: - Conformances

extension MIMEType: ExpressibleByStringLiteral {
    /// Creates a media type from a literal.
    ///
    /// A malformed literal does not trap: all of it becomes ``type``, ``subtype`` is empty, and the value matches no
    /// type, so the mistake shows where the value is used.
    public init(stringLiteral value: String) {
        self = MIMEType(value) ?? MIMEType(type: value, subtype: "")
    }
}

extension MIMEType: CustomStringConvertible {
    /// The text of a field value; parameter values are quoted if needed.
    public var description: String {
        self.parameters.reduce(into: self.essence) { text, parameter in
            let value = parameter.value
            text += "; \(parameter.name)=\(value.isHTTPToken ? value : value.asQuotedString)"
        }
    }
}

// MARK: - Reading

extension FieldScanner {
    /// Parses `*( OWS ";" OWS [ parameter ] )` up to the end (RFC 9110 §5.6.6).
    fileprivate mutating func parameters() -> [MIMEType.Parameter]? {
        var parameters: [MIMEType.Parameter] = []
        self.skipWhitespace()
        while !self.isAtEnd {
            guard self.take(";") else { return nil }
            self.skipWhitespace()
            if self.isAtEnd || self.byte == UInt8(ascii: ";") { continue }
            guard let parameter = self.parameter() else { return nil }
            parameters.append(parameter)
            self.skipWhitespace()
        }
        return parameters
    }

    private mutating func parameter() -> MIMEType.Parameter? {
        guard let name = self.token(), self.take("="), let value = self.quotedString() ?? self.token(),
            !self.isCut, value.utf8.allSatisfy({ $0.isFieldWhitespace || $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        return MIMEType.Parameter(name: name, value: value)
    }

    /// Parses parameters after the first semicolon up to the end, skipping invalid ones.
    ///
    /// - Complexity: O(*n*): after an unterminated quoted string, quotes are ignored.
    mutating func soundParameters() -> [MIMEType.Parameter] {
        var (parameters, hasQuotes): ([MIMEType.Parameter], Bool) = ([], true)
        while !self.isAtEnd {
            var whole = self
            var text = hasQuotes ? whole.part(upTo: ";") : ""
            hasQuotes = hasQuotes && !whole.isCut
            if hasQuotes {
                self = whole
            } else {
                text = self.text { $0 != UInt8(ascii: ";") }
                self.skip()
            }
            var part = FieldScanner(text)
            if let parameter = part.parameter(), part.isAtEnd { parameters.append(parameter) }
        }
        return parameters
    }
}
