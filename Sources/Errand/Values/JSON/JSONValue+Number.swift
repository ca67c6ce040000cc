extension JSONValue {
    /// A number as JSON has them (RFC 8259 §6): any count of digits, any exponent, nothing rounded.
    ///
    /// Two numbers are equal when they have the same value, however they are written: `1`, `1.0` and `10e-1` are.
    public struct Number: Sendable {
        /// The number as it stands in the document.
        public let text: String

        /// Takes a text that is known to be a number.
        init(unchecked text: String) {
            self.text = text
        }

        /// Creates a whole number.
        public init(_ value: some BinaryInteger) {
            self.text = String(value)
        }

        /// Creates a number, or returns `nil` for infinity and what is not a number: JSON has neither.
        public init?(_ value: Double) {
            guard value.isFinite else { return nil }
            self.text = value.description
        }

        /// The number, if it is a whole one that fits, such as `3`, `3.0` or `3e2`.
        public var int: Int? {
            if let value = Int(self.text) { return value }
            let parts = self.parts
            if parts.digits.isEmpty { return 0 }
            // More zeros than this fit into no `Int`.
            guard let exponent = parts.exponent, 0...18 ~= exponent else { return nil }
            return Int((parts.isNegative ? "-" : "") + parts.digits + String(repeating: "0", count: exponent))
        }

        /// The nearest number that a `Double` can be; infinite if it is too large for one.
        public var double: Double {
            // The grammar of JSON is a part of the one that `Double` reads.
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
        // Zero is one number, with whatever sign and exponent.
        guard !parts.digits.isEmpty else { return NumberParts() }
        let written = rest.dropFirst(mantissa.count + 1)
        if let exponent = written.isEmpty ? 0 : Int(written) {
            parts.scale(by: exponent, scale)
        } else {
            (parts.exponent, parts.largeExponent) = (nil, String(written.drop { $0 == "+" }))
        }
        return parts
    }

    /// Tells whether two numbers have the same value.
    public static func == (left: JSONValue.Number, right: JSONValue.Number) -> Bool {
        left.text == right.text || left.parts == right.parts
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.parts)
    }
}

/// A number as digits without zeros at either end, and the power of ten they are to be multiplied with.
private struct NumberParts: Hashable {
    var isNegative = false
    var digits = ""
    /// `nil` if it is beyond all that fits into an `Int`.
    var exponent: Int? = 0
    /// The exponent as it is written, if it is that large.
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
    /// The number as it stands in the document.
    public var description: String { self.text }
}
