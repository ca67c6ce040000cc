/// A media type with its parameters, as in `text/html; charset=utf-8` (RFC 9110 §8.3.1).
///
/// Type, subtype, names of parameters and the charset are kept in lower case, because they are compared that way;
/// other values stay as they are.
public struct MIMEType: Sendable, Hashable {
    /// One parameter of a media type (RFC 9110 §5.6.6).
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
    /// The part behind the slash, in lower case, or `*` in a pattern; empty only if a literal was malformed.
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

    /// Creates a media type from what a server has sent: a parameter with a flaw is as if it was not there.
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

    /// Type and subtype without parameters, as in `text/html`.
    public var essence: String {
        self.subtype.isEmpty ? self.type : "\(self.type)/\(self.subtype)"
    }

    /// The character encoding the type names, in lower case (RFC 9110 §8.3.2).
    public var charset: String? { self["charset"] }

    /// The value of the first parameter of a name, whatever the case of the name.
    public subscript(parameter: String) -> String? {
        self.parameters.first { $0.name.isEqualIgnoringASCIICase(to: parameter) }?.value
    }

    /// Returns this type with a character encoding in place of the one it may name.
    func with(charset: String) -> MIMEType {
        let others = self.parameters.filter { $0.name != "charset" }
        return MIMEType(
            type: self.type, subtype: self.subtype,
            parameters: [Parameter(name: "charset", value: charset)] + others)
    }

    /// Tells whether this type falls under a pattern: a type, `type/*` or `*/*` (RFC 9110 §12.5.1), or `type/*+suffix`
    /// for all subtypes with a structured syntax suffix (RFC 6838 §4.2.8).
    ///
    /// Parameters count on neither side. What came of a malformed literal matches nothing.
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
    /// Bytes nothing else is known of.
    public static let octetStream = MIMEType(type: "application", subtype: "octet-stream")
    /// The items of a form, encoded like a query.
    public static let formURLEncoded = MIMEType(type: "application", subtype: "x-www-form-urlencoded")
    /// Plain text.
    public static let plainText = MIMEType(type: "text", subtype: "plain")
    /// HTML.
    public static let html = MIMEType(type: "text", subtype: "html")
    /// The pattern that everything falls under.
    public static let any = MIMEType(type: "*", subtype: "*")
}

// MARK: - Conformances

extension MIMEType: ExpressibleByStringLiteral {
    /// Creates a media type from a literal.
    ///
    /// A malformed literal does not trap: the whole of it becomes ``type``, ``subtype`` stays empty, and the value
    /// matches nothing, so that the mistake shows where the value is used.
    public init(stringLiteral value: String) {
        self = MIMEType(value) ?? MIMEType(type: value, subtype: "")
    }
}

extension MIMEType: CustomStringConvertible {
    /// The text of a field value; values of parameters are quoted where they have to be.
    public var description: String {
        self.parameters.reduce(into: self.essence) { text, parameter in
            let value = parameter.value
            text += "; \(parameter.name)=\(value.isHTTPToken ? value : value.asQuotedString)"
        }
    }
}

// MARK: - Reading

extension FieldScanner {
    /// Reads `*( OWS ";" OWS [ parameter ] )` up to the end (RFC 9110 §5.6.6).
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

    /// Reads parameters from behind the first semicolon up to the end, without those that have a flaw.
    ///
    /// - Complexity: O(*n*): once a quoted string has no end quotes mean nothing any more.
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
