/// Octets of field values that are not UTF-8 (RFC 9110 §5.5), represented so that they are sent back unchanged.
///
/// Each becomes a private-use character, U+10FE00 plus its value, similar to Python's PEP 383, whose surrogates Swift
/// strings do not support. A cookie, a tag or a nonce received in Latin-1 is sent back with the same octets.
enum FieldOctets {
    private static let first: UInt32 = 0x10_FE00

    /// Returns the text of octets: UTF-8 if valid, and one character for each other octet.
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

    /// Returns the octets of a text as they are sent; `nil` if they are its UTF-8.
    static func octets(of text: String) -> [UInt8]? {
        guard Self.mayBeIn(text) else { return nil }
        var octets: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let octet = Self.octet(scalar) { octets.append(octet) } else { octets += Array(scalar.utf8) }
        }
        return octets
    }

    /// Returns a text for display: if it contains octets that are not UTF-8, all octets are read as Latin-1.
    static func readable(_ text: String) -> String {
        guard let octets = Self.octets(of: text) else { return text }
        return String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }

    /// Returns true if the text may contain such a character: all start with the same byte, which is rare.
    private static func mayBeIn(_ text: String) -> Bool { text.utf8.contains(0xF4) }

    private static func scalar(for octet: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(Self.first + UInt32(octet)) ?? "\u{FFFD}"
    }

    private static func octet(_ scalar: Unicode.Scalar) -> UInt8? {
        Self.first + 0x80...Self.first + 0xFF ~= scalar.value ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// Returns the character at the start of octets; `nil` if that is invalid, or one that stands for an octet.
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
