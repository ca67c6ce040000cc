/// Parses the value of a structured field from left to right (RFC 9651 §4.2); `nil` if it is malformed.
///
/// Each byte is read once.
struct StructuredFieldParser {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        self.rest = text.utf8[...]
    }

    var isAtEnd: Bool { self.rest.isEmpty }

    mutating func skipSpaces() { self.rest = self.rest.drop { $0 == 0x20 } }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard self.rest.first == UInt8(ascii: scalar) else { return false }
        self.rest.removeFirst()
        return true
    }

    private mutating func text(while belongs: (UInt8) -> Bool) -> String {
        let text = self.rest.prefix(while: belongs)
        self.rest = self.rest[text.endIndex...]
        return String(Substring(text))
    }

    // MARK: - Containers

    /// Parses members between commas (RFC 9651 §4.2.1, §4.2.2).
    mutating func members<Members>(
        _ none: Members, _ parse: (inout Members, inout StructuredFieldParser) -> Void?
    ) -> Members? {
        var members = none
        while !self.isAtEnd {
            guard parse(&members, &self) != nil else { return nil }
            self.rest = self.rest.drop(while: \.isFieldWhitespace)
            if self.isAtEnd { break }
            guard self.take(",") else { return nil }
            self.rest = self.rest.drop(while: \.isFieldWhitespace)
            // A trailing comma is invalid.
            if self.isAtEnd { return nil }
        }
        return members
    }

    /// Parses an item or an inner list (RFC 9651 §4.2.1.1).
    mutating func member() -> StructuredField.Member? {
        guard self.take("(") else { return self.item().map { .item($0) } }
        var items: [StructuredField.Item] = []
        while true {
            self.skipSpaces()
            if self.take(")") { return self.parameters().map { .innerList(items, $0) } }
            guard let item = self.item(), self.rest.first == 0x20 || self.rest.first == UInt8(ascii: ")") else {
                return nil
            }
            items.append(item)
        }
    }

    mutating func item() -> StructuredField.Item? {
        guard let value = self.bareItem(), let parameters = self.parameters() else { return nil }
        return StructuredField.Item(value: value, parameters: parameters)
    }

    /// Parses parameters (RFC 9651 §4.2.3.2); the last one of a repeated key wins.
    mutating func parameters() -> StructuredField.ItemParameters? {
        var parameters: StructuredField.ItemParameters = [:]
        while self.take(";") {
            self.skipSpaces()
            guard let key = self.key(), let value = self.take("=") ? self.bareItem() : .boolean(true) else {
                return nil
            }
            parameters[key] = value
        }
        return parameters
    }

    /// Parses a key (RFC 9651 §4.2.3.3).
    mutating func key() -> String? {
        guard let first = self.rest.first, first.isSmallLetter || first == UInt8(ascii: "*") else { return nil }
        return self.text { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"): true
            default: byte.isSmallLetter || byte.isASCIIDigit
            }
        }
    }

    // MARK: - Bare items

    private mutating func bareItem() -> StructuredField.BareItem? {
        switch self.rest.first {
        case UInt8(ascii: "\""): return self.string().map { .string($0) }
        case UInt8(ascii: ":"): return self.byteSequence().map { .bytes($0) }
        case UInt8(ascii: "?"): return self.boolean()
        case UInt8(ascii: "@"): return self.date()
        case UInt8(ascii: "%"): return self.displayString().map { .displayString($0) }
        case let byte? where byte == UInt8(ascii: "-") || byte.isASCIIDigit: return self.number()
        case let byte? where byte == UInt8(ascii: "*") || byte.isASCIILetter:
            return .token(self.text { $0.isHTTPToken || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") })
        default: return nil
        }
    }

    /// Parses an integer of up to 15 digits, or a decimal with up to 12 digits before and 3 after its point (RFC 9651
    /// §4.2.4).
    private mutating func number() -> StructuredField.BareItem? {
        let sign = self.take("-") ? "-" : ""
        let digits = self.text(while: \.isASCIIDigit)
        guard 1...15 ~= digits.utf8.count else { return nil }
        guard self.take(".") else { return Int64(sign + digits).map { .integer($0) } }
        let fraction = self.text(while: \.isASCIIDigit)
        guard digits.utf8.count <= 12, 1...3 ~= fraction.utf8.count else { return nil }
        return Double("\(sign)\(digits).\(fraction)").map { .decimal($0) }
    }

    private mutating func boolean() -> StructuredField.BareItem? {
        guard self.take("?") else { return nil }
        return self.take("1") ? .boolean(true) : self.take("0") ? .boolean(false) : nil
    }

    private mutating func date() -> StructuredField.BareItem? {
        guard self.take("@"), case .integer(let seconds)? = self.number() else { return nil }
        return .date(seconds)
    }

    /// Parses a string (RFC 9651 §4.2.5): visible ASCII and spaces, with escapes for quotes and backslashes only.
    private mutating func string() -> String? {
        guard self.take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = self.rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let next = self.rest.popFirst(), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") else {
                    return nil
                }
                bytes.append(next)
            case 0x20...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// Parses a display string (RFC 9651 §4.2.10): UTF-8 in which all except visible ASCII is percent-encoded.
    private mutating func displayString() -> String? {
        guard self.take("%"), self.take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = self.rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validUTF8: bytes)
            case UInt8(ascii: "%"):
                guard let high = self.rest.popFirst()?.smallHexValue, let low = self.rest.popFirst()?.smallHexValue
                else { return nil }
                bytes.append(high << 4 | low)
            case 0x20...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// Parses a byte sequence (RFC 9651 §4.2.7): Base64 between colons, with optional padding.
    private mutating func byteSequence() -> [UInt8]? {
        guard self.take(":") else { return nil }
        let text = self.rest.prefix { $0 != UInt8(ascii: ":") }
        self.rest = self.rest[text.endIndex...]
        guard self.take(":") else { return nil }
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text[digits.endIndex...]
        guard padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }), digits.count % 4 != 1,
            padding.isEmpty || (digits.count + padding.count) % 4 == 0
        else { return nil }
        var (bytes, pending, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for digit in digits {
            guard let value = digit.base64Value else { return nil }
            pending = pending << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(count)))
            }
        }
        // Remaining bits are ignored.
        return bytes
    }
}

extension UInt8 {
    /// True for a lower-case ASCII letter.
    fileprivate var isSmallLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }

    /// The value of a lower-case hexadecimal digit.
    fileprivate var smallHexValue: UInt8? { self.isASCIIDigit || self.isSmallLetter ? self.hexValue : nil }

    /// The value of a Base64 digit (RFC 4648 §4).
    fileprivate var base64Value: UInt8? {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
