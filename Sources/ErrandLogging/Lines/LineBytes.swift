/// Writes the parts of lines as bytes: numbers, quoted texts, durations.
///
/// Whatever a text contains, the output stays on one line and holds no terminal control characters. The core's JSON
/// writer does not escape those, as the standard allows.
extension [UInt8] {
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe self.append(contentsOf: $0) }
    }

    mutating func append(decimal number: some BinaryInteger) {
        if number < 0 { self.append(UInt8(ascii: "-")) }
        var rest = UInt64(clamping: number.magnitude)
        let start = self.count
        repeat {
            self.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        // Not as a slice, which would be copied.
        for index in start..<(start + self.count) / 2 { self.swapAt(index, self.count - 1 - (index - start)) }
    }

    /// Appends a number padded with zeros to the given number of digits.
    mutating func append(_ number: Int, digits: Int) {
        var rest = number
        self.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digits))
        for place in 1...digits {
            self[self.count - place] += UInt8(rest % 10)
            rest /= 10
        }
    }

    // MARK: - Texts

    /// The escape sequences for characters that are not written literally.
    enum Escape {
        /// As in Swift: `\u{1B}`.
        case text
        /// As in JSON: `\u001b`.
        case json
    }

    /// Appends a text in quotes.
    mutating func append(quoting text: some StringProtocol, as escape: Escape) {
        self.append(UInt8(ascii: "\""))
        self.append(escaping: text, as: escape)
        self.append(UInt8(ascii: "\""))
    }

    /// Appends a text, in quotes unless it is a single word.
    mutating func append(word text: String) {
        if !text.isEmpty, text.utf8.isPlain(from: 0x21) {
            self.append(contentsOf: text.utf8)
        } else {
            self.append(quoting: text, as: .text)
        }
    }

    private mutating func append(escaping text: some StringProtocol, as escape: Escape) {
        if text.utf8.isPlain(from: 0x20) { return self.append(contentsOf: text.utf8) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                self.append(UInt8(ascii: "\\"))
                self.append(UInt8(truncatingIfNeeded: scalar.value))
            case "\n": self.append("\\n")
            case "\r": self.append("\\r")
            case "\t": self.append("\\t")
            case _ where scalar.isUnprintable: self.append(number: scalar, as: escape)
            default: self.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    private mutating func append(number scalar: Unicode.Scalar, as escape: Escape) {
        switch escape {
        case .text:
            self.append("\\u{")
            self.append(contentsOf: String(scalar.value, radix: 16, uppercase: true).utf8)
            self.append(UInt8(ascii: "}"))
        case .json:
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                self.append("\\u")
                self.append(contentsOf: String(repeating: "0", count: 4 - digits.utf8.count).utf8)
                self.append(contentsOf: digits.utf8)
            }
        }
    }

    // MARK: - Time

    /// Appends a duration with three decimals in milliseconds for people, or with six in seconds for programs.
    mutating func append(_ duration: Duration, inSeconds: Bool) {
        // Durations saturate at about a hundred years.
        let bounded = Swift.min(Swift.max(duration, .seconds(-3_200_000_000)), .seconds(3_200_000_000))
        let (seconds, attoseconds) = bounded.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        if microseconds < 0 { self.append(UInt8(ascii: "-")) }
        let magnitude = Int(microseconds.magnitude)
        let unit = inSeconds ? 1_000_000 : 1000
        self.append(decimal: magnitude / unit)
        self.append(UInt8(ascii: "."))
        self.append(magnitude % unit, digits: inSeconds ? 6 : 3)
    }
}

extension Sequence<UInt8> {
    /// True if all bytes belong to characters that are written literally, starting at the given ASCII character.
    ///
    /// Looks at all bytes: without an early exit, the loop is vectorized.
    fileprivate func isPlain(from first: UInt8) -> Bool {
        func count(_ bytes: some Sequence<UInt8>) -> Int {
            bytes.reduce(0) { count, byte in
                let isOther = byte < first || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                return count | (isOther ? 1 : 0)
            }
        }
        return (self.withContiguousStorageIfAvailable { unsafe count($0) } ?? count(self)) == 0
    }
}

extension Unicode.Scalar {
    /// True for characters that a terminal interprets or does not show.
    fileprivate var isUnprintable: Bool {
        if self.isASCII { return self.value < 0x20 || self.value == 0x7F }
        switch self.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: return true
        default: return false
        }
    }
}
