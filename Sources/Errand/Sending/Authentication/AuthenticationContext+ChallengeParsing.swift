extension AuthenticationContext.Challenge {
    /// Parses the challenges of a field value.
    ///
    /// The commas between challenges are also those between parameters (RFC 9110 §11.6.1): a word at the start of an
    /// element is a scheme unless an equals sign follows it.
    ///
    /// - Parameter value: The value of a `WWW-Authenticate` field, or of several joined.
    /// - Returns: The valid challenges, in their order.
    static func parse(_ value: String) -> [AuthenticationContext.Challenge] {
        var challenges: [AuthenticationContext.Challenge] = []
        var scanner = ChallengeScanner(value)
        while let (word, isFirst) = scanner.nextWord() {
            if let value = scanner.parameterValue() {
                guard let last = challenges.indices.last, challenges[last].token68 == nil else { continue }
                challenges[last].parameters.append(Parameter(name: word, value: value))
            } else if isFirst {
                challenges.append(AuthenticationContext.Challenge(scheme: word, token68: scanner.token68()))
            }
        }
        return challenges
    }
}

/// Scans the elements of challenges from left to right, reading each byte at most twice.
private struct ChallengeScanner {
    private var scanner: FieldScanner
    /// True if only separators were read since the last comma.
    private var isAtStart = true

    init(_ text: String) {
        self.scanner = FieldScanner(text)
    }

    /// Reads up to the next token, and tells whether it starts an element; `nil` at the end.
    mutating func nextWord() -> (word: String, isFirst: Bool)? {
        while let byte = self.scanner.byte {
            if let word = self.scanner.token() {
                defer { self.isAtStart = false }
                return (word, self.isAtStart)
            }
            if byte == UInt8(ascii: ",") {
                self.isAtStart = true
            } else if !byte.isFieldWhitespace {
                self.isAtStart = false
                if self.scanner.quotedString() != nil { continue }
            }
            self.scanner.skip()
        }
        return nil
    }

    /// Reads an equals sign and the value after it, if the last word is the name of a parameter.
    mutating func parameterValue() -> String? {
        let start = self.scanner
        self.scanner.skipWhitespace()
        guard self.scanner.take("=") else {
            self.scanner = start
            return nil
        }
        self.scanner.skipWhitespace()
        return self.scanner.quotedString()
            ?? self.scanner.text { !$0.isFieldWhitespace && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    }

    /// Reads a token68 if the rest of the element is one (RFC 9110 §11.2).
    mutating func token68() -> String? {
        let start = self.scanner
        let hasSpace = self.scanner.byte?.isFieldWhitespace == true
        self.scanner.skipWhitespace()
        let token = self.scanner.text(while: \.mayStandInToken68)
        let padding = self.scanner.text { $0 == UInt8(ascii: "=") }
        self.scanner.skipWhitespace()
        guard hasSpace, !token.isEmpty, self.scanner.isAtEnd || self.scanner.byte == UInt8(ascii: ",") else {
            self.scanner = start
            return nil
        }
        return token + padding
    }
}

extension UInt8 {
    /// True if the byte is allowed in a token68 before its padding (RFC 9110 §11.2).
    fileprivate var mayStandInToken68: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
            UInt8(ascii: "/"):
            true
        default:
            self.isASCIILetter || self.isASCIIDigit
        }
    }
}
