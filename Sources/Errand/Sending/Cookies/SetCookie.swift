internal import struct Foundation.Date

/// A parsed `Set-Cookie` value, not yet checked (RFC 6265 §5.2).
///
/// The last of repeated attributes counts. Unknown attributes are ignored, as are those with a value of more than 1024
/// bytes (RFC 6265bis §5.6).
struct SetCookie {
    private static let attributeLimit = 1024

    /// The name, without surrounding white space; never empty.
    let name: String
    /// The value, without surrounding white space.
    let value: String
    /// The domain as written; an empty one means none.
    private(set) var domain = ""
    /// The path, if it starts with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: StoredCookie.SameSite?

    private var expires: Date?
    /// In seconds; infinite if it is out of range.
    private var maxAge: Double?

    /// Parses a value.
    init(_ text: String) throws(CookieRefusal) {
        guard !text.utf8.contains(where: \.isCookieControl) else { throw .illegalCharacter }
        let (pair, attributes) = text.utf8[...].cut(at: UInt8(ascii: ";"))
        let (name, value) = pair.cut(at: UInt8(ascii: "="))
        guard let value else { throw .missingName }
        self.name = name.trimmed
        self.value = value.trimmed
        guard !self.name.isEmpty else { throw .missingName }
        var rest = attributes
        while let attribute = rest {
            let (head, tail) = attribute.cut(at: UInt8(ascii: ";"))
            self.take(head)
            rest = tail
        }
    }

    /// Returns the expiry date of a cookie received at a date: `Max-Age` overrides `Expires` (RFC 6265 §5.3).
    func expires(receivedAt date: Date) -> Date? {
        guard let maxAge = self.maxAge else { return self.expires }
        return maxAge > 0 ? min(date.addingTimeInterval(maxAge), .distantFuture) : .distantPast
    }

    private mutating func take(_ attribute: Substring.UTF8View) {
        let (head, tail) = attribute.cut(at: UInt8(ascii: "="))
        let value = tail?.trimmed ?? ""
        guard value.utf8.count <= Self.attributeLimit else { return }
        switch head.trimmed.asciiLowercased() {
        case "expires": self.expires = CookieDate.parse(value) ?? self.expires
        case "max-age": self.maxAge = Self.seconds(value) ?? self.maxAge
        case "domain": self.domain = value
        case "path": self.path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": self.isSecure = true
        case "httponly": self.isHTTPOnly = true
        case "samesite": self.sameSite = StoredCookie.SameSite(rawValue: value.asciiLowercased())
        default: break
        }
    }

    /// Parses a whole number of seconds, with an optional minus sign (RFC 6265 §5.2.2).
    private static func seconds(_ text: String) -> Double? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return isNegative ? 0 : digits.reduce(0) { $0 * 10 + Double($1 & 0x0F) }
    }
}

extension Substring.UTF8View {
    /// Returns the parts before and after the first occurrence of a byte, if it occurs.
    fileprivate func cut(at byte: UInt8) -> (Substring.UTF8View, Substring.UTF8View?) {
        guard let index = self.firstIndex(of: byte) else { return (self, nil) }
        return (self[..<index], self[self.index(after: index)...])
    }

    /// The text without surrounding spaces and tabs.
    fileprivate var trimmed: String { String(Substring(self)).trimmingFieldWhitespace() }
}
