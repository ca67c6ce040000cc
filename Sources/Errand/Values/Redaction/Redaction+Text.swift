extension Redaction {
    /// Replaces text that looks like a secret in free-form text, such as an error message.
    ///
    /// Replaced are the value after a name of a secret and a `=` or a `:`, quoted or not; the value of a secret header
    /// field; a credential after its scheme; and the user info and fragment of URLs. Secrets without such a context are
    /// not detected.
    package func text(_ text: String) -> String {
        var scanner = TextRedactor(self, text)
        return scanner.run()
    }
}

/// Scans a text once; see ``Redaction/text(_:)``.
private struct TextRedactor {
    private let redaction: Redaction
    private let bytes: [UInt8]
    private var index = 0
    private var shown: [UInt8] = []
    private var isInURL = false

    private static let schemes: Set<ExactText> = ["bearer", "basic", "digest", "negotiate", "dpop"]

    init(_ redaction: Redaction, _ text: String) {
        self.redaction = redaction
        self.bytes = Array(text.utf8)
        self.shown.reserveCapacity(self.bytes.count)
    }

    mutating func run() -> String {
        while self.index < self.bytes.count {
            if self.bytes[self.index].mayStandInName {
                self.takeName()
            } else if self.bytes[self.index...].starts(with: "://".utf8) {
                self.copy(to: self.index + 3)
                self.isInURL = true
                self.skipUser()
            } else if self.isInURL, self.bytes[self.index] == UInt8(ascii: "#") {
                self.index = self.end(from: self.index) { $0.endsURLInText }
            } else {
                if self.bytes[self.index].endsURLInText { self.isInURL = false }
                self.copy(to: self.index + 1)
            }
        }
        return String(decoding: self.shown, as: UTF8.self)
    }

    private mutating func skipUser() {
        let authority = self.index..<self.end(from: self.index) { $0.endsAuthority || $0.endsURLInText }
        guard let at = self.bytes[authority].lastIndex(of: UInt8(ascii: "@")) else { return }
        self.index = at + 1
    }

    // MARK: - Names and their values

    private mutating func takeName() {
        let end = self.end(from: self.index) { !$0.mayStandInName }
        let name = String(decoding: self.bytes[self.index..<end], as: UTF8.self)
        self.copy(to: end)
        guard let (separator, start) = self.separator(behind: end) else { return self.takeCredential(behind: name) }
        guard self.isSecret(name, separator) else { return }
        self.copy(to: start)
        self.hideValue(of: name, separator)
    }

    private func isSecret(_ name: String, _ separator: UInt8) -> Bool {
        // In messages, a code is usually an error code.
        self.redaction.hides(name, isOfResponse: separator == UInt8(ascii: ":"))
    }

    /// Returns the `=` or `:` after a name, possibly after its closing quote, and the start of the value.
    private func separator(behind end: Int) -> (UInt8, Int)? {
        var next = self.end(from: end) { !$0.isQuoteInText }
        next = self.end(from: next) { !$0.isFieldWhitespace }
        guard next < self.bytes.count else { return nil }
        let separator = self.bytes[next]
        guard separator == UInt8(ascii: "=") || separator == UInt8(ascii: ":"),
            !self.bytes[next...].starts(with: "://".utf8)
        else { return nil }
        return (separator, self.end(from: next + 1) { !$0.isFieldWhitespace })
    }

    private mutating func hideValue(of name: String, _ separator: UInt8) {
        guard self.index < self.bytes.count else { return }
        let first = self.bytes[self.index]
        let end: Int
        if first.isQuoteInText {
            end = self.openQuotation()
        } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            || separator == UInt8(ascii: ":") && self.redaction.isSecretHeader(name)
        {
            // The end of the value is uncertain.
            end = self.bytes.count
        } else {
            end = self.endOfCredential(from: self.index) ?? self.end(from: self.index) { $0.endsValueInText }
        }
        if end > self.index { self.shown += Redaction.mark.utf8 }
        self.index = end
    }

    /// Skips the opening quote here; returns the end of the quoted text.
    private mutating func openQuotation() -> Int {
        let isEscaped = self.bytes[self.index] == UInt8(ascii: "\\")
        let quote = isEscaped ? self.bytes[self.index...].dropFirst().first : self.bytes[self.index]
        self.copy(to: min(self.index + (isEscaped ? 2 : 1), self.bytes.count))
        var next = self.index
        while next < self.bytes.count, self.bytes[next] != quote {
            guard self.bytes[next] == UInt8(ascii: "\\") else {
                next += 1
                continue
            }
            // In a nested quotation, the closing quote has a `\` before it.
            if isEscaped, self.bytes[next...].dropFirst().first == quote { return next }
            next += 2
        }
        return min(next, self.bytes.count)
    }

    /// Returns the end of a credential with its scheme, if there is one.
    private func endOfCredential(from start: Int) -> Int? {
        let end = self.end(from: start) { !$0.mayStandInName }
        let scheme = String(decoding: self.bytes[start..<end], as: UTF8.self).asciiLowercased()
        guard Self.schemes.contains(ExactText(scheme)), end < self.bytes.count, self.bytes[end].isFieldWhitespace else {
            return nil
        }
        let next = self.end(from: end) { !$0.isFieldWhitespace }
        return self.end(from: next) { $0.endsValueInText }
    }

    /// Hides a credential after its scheme, unless it is a lower-case word.
    private mutating func takeCredential(behind name: String) {
        guard Self.schemes.contains(ExactText(name.asciiLowercased())) else { return }
        let start = self.end(from: self.index) { !$0.isFieldWhitespace }
        let end = self.end(from: start) { $0.endsValueInText }
        guard start > self.index, end > start,
            !self.bytes[start..<end].allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 })
        else { return }
        self.copy(to: start)
        self.shown += Redaction.mark.utf8
        self.index = end
    }

    // MARK: - Bytes

    private func end(from start: Int, where ends: (UInt8) -> Bool) -> Int {
        self.bytes[start...].firstIndex(where: ends) ?? self.bytes.count
    }

    private mutating func copy(to end: Int) {
        self.shown += self.bytes[self.index..<end]
        self.index = end
    }
}

extension UInt8 {
    /// True if the byte can be part of a name in a text.
    fileprivate var mayStandInName: Bool {
        switch self {
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "%"), UInt8(ascii: "~"),
            UInt8(ascii: "+"), UInt8(ascii: "$"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "*"), 0x80...:
            true
        default: self.isASCIILetter || self.isASCIIDigit
        }
    }

    /// True if the byte starts or ends a quotation; a nested one starts with a `\`.
    fileprivate var isQuoteInText: Bool {
        self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") || self == UInt8(ascii: "\\")
    }

    fileprivate var endsURLInText: Bool {
        self <= 0x20 || self.isQuoteInText || self == UInt8(ascii: "<") || self == UInt8(ascii: ">")
    }

    fileprivate var endsValueInText: Bool {
        switch self {
        case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "}"),
            UInt8(ascii: "]"), UInt8(ascii: "#"):
            true
        default: self.endsURLInText
        }
    }
}
