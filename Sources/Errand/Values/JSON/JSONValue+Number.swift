extension JSONValue {
    /// A number in JSON (RFC 8259 §6), with any number of digits, any exponent and without rounding.
    ///
    /// Two numbers are equal if they have the same value, however they are written, like `1`, `1.0` and `10e-1`.
    public struct Number: Sendable {
        /// The number as written in the document.
        public let text: String

        /// Creates a number from valid text.
        init(unchecked text: String) {
            self.text = text
        }

        /// Creates a whole number.
        public init(_ value: some BinaryInteger) {
            self.text = String(value)
        }

        /// Creates a number, or returns `nil` for infinity and NaN, which JSON does not have.
        public init?(_ value: Double) {
            guard value.isFinite else { return nil }
            self.text = value.description
        }

        /// The number as an `Int`, if it is an integer in range, such as `3`, `3.0` or `3e2`.
        public var int: Int? {
            if let value = Int(self.text) { return value }
            let parts = self.parts
            if parts.digits.isEmpty { return 0 }
            // More zeros than this do not fit in an `Int`.
            guard let exponent = parts.exponent, 0...18 ~= exponent else { return nil }
            return Int((parts.isNegative ? "-" : "") + parts.digits + String(repeating: "0", count: exponent))
        }

        /// The nearest `Double`; infinite if it is out of range.
        public var double: Double {
            // The grammar of JSON is a subset of that of `Double`.
            Double(self.text) ?? .nan
        }
    }
}

// MARK: - Equality

extension JSONValue.Number: Hashable {
    private var parts: NumberParts {
        var parts = NumberParts()
        var (scale, isFraction) = (0, false)
        var rest = self.text[...]
        if rest.first == "-" {
            parts.isNegative = true
            rest = rest.dropFirst()
        }
        let mantissa = rest.prefix { $0 != "e" && $0 != "E" }
        for digit in mantissa {
            if digit == "." {
                isFraction = true
            } else {
                if isFraction { scale -= 1 }
                if digit != "0" || !parts.digits.isEmpty { parts.digits.append(digit) }
            }
        }
        while parts.digits.last == "0" {
            parts.digits.removeLast()
            scale += 1
        }
        // Zero is one number, with any sign and exponent.
        guard !parts.digits.isEmpty else { return NumberParts() }
        let written = rest.dropFirst(mantissa.count + 1)
        if let exponent = written.isEmpty ? 0 : Int(written) {
            parts.scale(by: exponent, scale)
        } else {
            (parts.exponent, parts.largeExponent) = (nil, String(written.drop { $0 == "+" }))
        }
        return parts
    }

    /// Returns true if two numbers have the same value.
    public static func == (left: JSONValue.Number, right: JSONValue.Number) -> Bool {
        left.text == right.text || left.parts == right.parts
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.parts)
    }
}

/// A number as digits without leading and trailing zeros, and a power of ten.
private struct NumberParts: Hashable {
    var isNegative = false
    var digits = ""
    /// `nil` if it does not fit in an `Int`.
    var exponent: Int? = 0
    /// The exponent as text, if it does not fit in an `Int`.
    var largeExponent = ""

    mutating func scale(by exponent: Int, _ scale: Int) {
        let (sum, isTooLarge) = exponent.addingReportingOverflow(scale)
        self.exponent = isTooLarge ? nil : sum
        if isTooLarge { self.largeExponent = String(exponent) }
    }
}

// MARK: - Conformances

extension JSONValue.Number: ExpressibleByIntegerLiteral {
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension JSONValue.Number: CustomStringConvertible {
    /// The number as written in the document.
    public var description: String { self.text }
}
