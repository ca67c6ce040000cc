/// The character classes and small grammars of HTTP/1.1 messages, over bytes.
enum LoopbackSyntax {
    /// A number read from the wire.
    enum Number {
        case value(Int)
        case tooLarge
        case malformed
    }

    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")

    private static let tokenBytes: [Bool] = {
        let marks = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        return (0...UInt8.max).map(marks.contains)
    }()

    /// Returns whether a byte is allowed in a token (a method or a field name).
    static func isToken(_ byte: UInt8) -> Bool { tokenBytes[Int(byte)] }

    /// Returns whether a byte is allowed in a request target.
    static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// Returns whether a byte is allowed in a field value.
    static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    /// Returns whether a byte is a space or a tab.
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns the value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    /// Parses a sequence of digits in a radix up to 16, as a number of at most `limit`.
    static func number(_ digits: some Sequence<UInt8>, radix: Int, limit: Int) -> Number {
        var value = 0
        var isEmpty = true
        var isTooLarge = false
        for byte in digits {
            guard let digit = hexValue(byte), digit < radix else { return .malformed }
            isEmpty = false
            let (product, overflows) = value.multipliedReportingOverflow(by: radix)
            isTooLarge = isTooLarge || overflows || product > limit - min(digit, limit)
            value = isTooLarge ? 0 : product + digit
        }
        guard !isEmpty else { return .malformed }
        return isTooLarge || value > limit ? .tooLarge : .value(value)
    }
}
