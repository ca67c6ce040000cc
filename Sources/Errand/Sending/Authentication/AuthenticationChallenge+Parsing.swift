extension AuthenticationChallenge {
    /// Reads the challenges of one field value.
    ///
    /// The commas between challenges are also those between parameters (RFC 9110 §11.6.1): a word at the start of an
    /// element is a scheme unless an equals sign follows it.
    ///
    /// - Parameter value: The value of a `WWW-Authenticate` field, or of several joined.
    /// - Returns: What could be read, in its order.
    static func parse(_ value: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var scanner = ChallengeScanner(value)
        while let (word, isFirst) = scanner.nextWord() {
            if let value = scanner.parameterValue() {
                guard let last = challenges.indices.last, challenges[last].token68 == nil else { continue }
                challenges[last].parameters.append(Parameter(name: word, value: value))
            } else if isFirst {
                challenges.append(AuthenticationChallenge(scheme: word, token68: scanner.token68()))
            }
        }
        return challenges
    }
}

/// Reads the pieces of challenges from left to right, each byte once or twice.
private struct ChallengeScanner {
    private let bytes: [UInt8]
    private var index = 0
    /// Nothing but separators was read since the last comma.
    private var isAtStart = true

    init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    private var byte: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    /// Reads up to the next token, which may be the first of an element; `nil` at the end.
    mutating func nextWord() -> (word: String, isFirst: Bool)? {
        while let byte = self.byte {
            if byte == UInt8(ascii: ",") {
                self.isAtStart = true
                self.index += 1
            } else if byte.isFieldWhitespace {
                self.index += 1
            } else if byte.isHTTPToken {
                defer { self.isAtStart = false }
                return (self.text(while: \.isHTTPToken), self.isAtStart)
            } else {
                self.isAtStart = false
                if self.quotedString() == nil { self.index += 1 }
            }
        }
        return nil
    }

    /// Reads an equals sign and the value behind it, if the last word is the name of a parameter.
    mutating func parameterValue() -> String? {
        let start = self.index
        self.skipWhitespace()
        guard self.byte == UInt8(ascii: "=") else {
            self.index = start
            return nil
        }
        self.index += 1
        self.skipWhitespace()
        return self.quotedString()
            ?? self.text { !$0.isFieldWhitespace && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    }

    /// Reads a token68 if all of what is left of the element is one (RFC 9110 §11.2).
    mutating func token68() -> String? {
        let start = self.index
        self.skipWhitespace()
        guard self.index > start, self.byte?.mayStandInToken68 == true else {
            self.index = start
            return nil
        }
        let token = self.text(while: \.mayStandInToken68) + self.text { $0 == UInt8(ascii: "=") }
        self.skipWhitespace()
        guard self.byte == nil || self.byte == UInt8(ascii: ",") else {
            self.index = start
            return nil
        }
        return token
    }

    /// Reads a quoted string and undoes its escapes (RFC 9110 §5.6.4); one without an end goes to the end.
    private mutating func quotedString() -> String? {
        guard self.byte == UInt8(ascii: "\"") else { return nil }
        self.index += 1
        var content: [UInt8] = []
        while let byte = self.byte, byte != UInt8(ascii: "\"") {
            self.index += 1
            guard byte == UInt8(ascii: "\\"), let escaped = self.byte else {
                content.append(byte)
                continue
            }
            content.append(escaped)
            self.index += 1
        }
        if self.byte != nil { self.index += 1 }
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func text(while belongs: (UInt8) -> Bool) -> String {
        let start = self.index
        while let byte = self.byte, belongs(byte) { self.index += 1 }
        return String(decoding: self.bytes[start..<self.index], as: UTF8.self)
    }

    private mutating func skipWhitespace() {
        while self.byte?.isFieldWhitespace == true { self.index += 1 }
    }
}

extension UInt8 {
    /// Whether this byte may stand in a token68 before its padding (RFC 9110 §11.2).
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
