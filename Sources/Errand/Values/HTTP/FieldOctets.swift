/// Octets of field values that are not UTF-8 (RFC 9110 §5.5), kept in texts so that they go back as they came.
///
/// Each is a private character, U+10FE00 and its value, as Python's PEP 383 does it with characters that Swift does not
/// have: a cookie, a tag or a nonce that a server has sent in Latin-1 is sent back with the same octets.
enum FieldOctets {
    private static let first: UInt32 = 0x10_FE00

    /// The text of octets: UTF-8 as far as they are that, and one character for each other one.
    ///
    /// - Complexity: O(*n*).
    static func text(_ octets: [UInt8]) -> String {
        if let text = String(validUTF8: octets), !Self.mayBeIn(text) { return text }
        var text = String.UnicodeScalarView()
        var index = 0
        while index < octets.count {
            let scalar = Self.scalar(octets[index...])
            text.append(scalar ?? Self.scalar(for: octets[index]))
            index += scalar?.utf8.count ?? 1
        }
        return String(text)
    }

    /// The octets of a text, as they are sent; `nil` where they are its UTF-8.
    static func octets(of text: String) -> [UInt8]? {
        guard Self.mayBeIn(text) else { return nil }
        var octets: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let octet = Self.octet(scalar) { octets.append(octet) } else { octets += Array(scalar.utf8) }
        }
        return octets
    }

    /// A text for people: where it has octets that are not UTF-8 all of them are taken for Latin-1.
    static func readable(_ text: String) -> String {
        guard let octets = Self.octets(of: text) else { return text }
        return String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }

    /// Whether there may be such a character in a text: all begin with the same byte, which others seldom have.
    private static func mayBeIn(_ text: String) -> Bool { text.utf8.contains(0xF4) }

    private static func scalar(for octet: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(Self.first + UInt32(octet)) ?? "\u{FFFD}"
    }

    private static func octet(_ scalar: Unicode.Scalar) -> UInt8? {
        Self.first + 0x80...Self.first + 0xFF ~= scalar.value ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// The character that octets begin with; `nil` where that is not UTF-8, or is one that stands for an octet.
    private static func scalar(_ octets: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let length =
            switch octets.first ?? 0 {
            case 0x00...0x7F: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0, octets.count >= length,
            let scalar = String(validUTF8: octets.prefix(length))?.unicodeScalars.first
        else { return nil }
        return Self.octet(scalar) == nil ? scalar : nil
    }
}
