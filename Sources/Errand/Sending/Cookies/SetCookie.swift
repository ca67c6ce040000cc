internal import struct Foundation.Date

/// A `Set-Cookie` value taken apart, and not judged yet (RFC 6265 §5.2).
///
/// Of attributes that are repeated the last one counts, and unknown ones are ignored, as are those whose value has more
/// than 1024 bytes (RFC 6265bis §5.6).
struct SetCookie {
    private static let attributeLimit = 1024

    /// The name, without the spaces around it; never empty.
    let name: String
    /// The value, without the spaces around it.
    let value: String
    /// The domain as it is spelt; an empty one is the same as none.
    private(set) var domain = ""
    /// The path, if there is one that starts with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: StoredCookie.SameSite?

    private var expires: Date?
    /// In seconds; infinite if there are too many to count.
    private var maxAge: Double?

    /// Takes a value apart.
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

    /// When the cookie ends that was received at a date: `Max-Age` counts before `Expires` (RFC 6265 §5.3).
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

    /// Reads a whole number of seconds, which may have a minus sign and nothing else around it (RFC 6265 §5.2.2).
    private static func seconds(_ text: String) -> Double? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return isNegative ? 0 : digits.reduce(0) { $0 * 10 + Double($1 & 0x0F) }
    }
}

extension Substring.UTF8View {
    /// The part before the first of a byte, and the part behind it, if the byte is there.
    fileprivate func cut(at byte: UInt8) -> (Substring.UTF8View, Substring.UTF8View?) {
        guard let index = self.firstIndex(of: byte) else { return (self, nil) }
        return (self[..<index], self[self.index(after: index)...])
    }

    /// The text without the spaces and tabs around it.
    fileprivate var trimmed: String { String(Substring(self)).trimmingFieldWhitespace() }
}
