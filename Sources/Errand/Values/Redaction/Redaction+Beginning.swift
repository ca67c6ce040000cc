internal import struct Foundation.Data

extension Redaction {
    /// Replaces the values of secret members in the beginning of a JSON text, or of several texts in sequence.
    ///
    /// The rest is unchanged. From the first invalid byte on, the text is not shown, because its content is unknown.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isAboutError: True if it describes an error; a code is then an error code.
    /// - Returns: The text without secrets.
    /// - Complexity: O(*n*), whatever the nesting depth.
    package func beginning(ofJSON text: some Sequence<UInt8>, isAboutError: Bool = false) -> [UInt8] {
        var redactor = JSONRedactor(self, Array(text), isAboutError: isAboutError)
        return redactor.run()
    }
}

/// Scans a JSON text once, byte by byte; see ``Redaction/beginning(ofJSON:)``.
private struct JSONRedactor {
    /// The kind of text that is expected next.
    private enum Expectation {
        case value
        /// A value, or the end of an array that was just opened.
        case firstElement
        /// A name, or the end of an object that was just opened.
        case firstName
        case name
        /// The colon after a name.
        case colon(isSecret: Bool)
        /// A comma, or the end of an array or object.
        case behind
    }

    private let redaction: Redaction
    private let bytes: [UInt8]
    private let isAboutError: Bool
    private var index = 0
    private var place = Expectation.value
    /// The open containers, outermost first: true for an object, false for an array.
    private var open: [Bool] = []
    /// The depth at which a secret value started.
    private var hiddenDepth: Int?
    private var shown: [UInt8] = []

    init(_ redaction: Redaction, _ bytes: [UInt8], isAboutError: Bool) {
        self.redaction = redaction
        self.bytes = bytes
        self.isAboutError = isAboutError
        self.shown.reserveCapacity(bytes.count)
    }

    mutating func run() -> [UInt8] {
        while self.index < self.bytes.count {
            let byte = self.bytes[self.index]
            let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
            guard isSpace || self.take(byte) else {
                if self.hiddenDepth == nil { self.shown += Redaction.mark.utf8 }
                return self.shown
            }
            if isSpace { self.copy(to: self.index + 1) }
        }
        return self.shown
    }

    /// Takes the text that starts with a byte; returns false if it is not expected here.
    private mutating func take(_ byte: UInt8) -> Bool {
        switch (self.place, byte) {
        case (.firstName, UInt8(ascii: "\"")), (.name, UInt8(ascii: "\"")): return self.takeName()
        case (.colon(let isSecret), UInt8(ascii: ":")): self.takeColon(isSecret)
        case (.behind, UInt8(ascii: ",")): return self.takeComma()
        case (.behind, UInt8(ascii: "}")), (.firstName, UInt8(ascii: "}")): return self.close(isObject: true)
        case (.behind, UInt8(ascii: "]")), (.firstElement, UInt8(ascii: "]")): return self.close(isObject: false)
        case (.value, _), (.firstElement, _): return self.takeValue(byte)
        case (.behind, _) where self.open.isEmpty: return self.takeValue(byte)
        default: return false
        }
        return true
    }

    private mutating func takeValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            self.copy(to: self.index + 1)
            self.open.append(byte == UInt8(ascii: "{"))
            self.place = byte == UInt8(ascii: "{") ? .firstName : .firstElement
            return true
        case UInt8(ascii: "\""):
            self.takeString()
        default:
            let end = self.bytes[self.index...].firstIndex { !$0.mayStandInWord } ?? self.bytes.count
            guard self.isWord(self.bytes[self.index..<end]) else { return false }
            self.copy(to: end)
        }
        self.endValue()
        return true
    }

    /// Takes a string value; one that contains a secret, such as a URL, is hidden.
    private mutating func takeString() {
        let end = self.endOfString
        guard self.hiddenDepth == nil, self.redaction.hasSecret(in: self.text(self.bytes[self.index..<end])) else {
            return self.copy(to: end)
        }
        self.shown += "\"\(Redaction.mark)\"".utf8
        self.index = end
    }

    /// Returns the content of a string; if it is truncated or invalid, its bytes without backslashes.
    private func text(_ quoted: ArraySlice<UInt8>) -> String {
        let isPlain = !quoted.contains(UInt8(ascii: "\\"))
        if !isPlain, case .string(let text)? = try? JSONValue(parsing: Data(quoted)) { return text }
        return String(decoding: quoted.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }, as: UTF8.self)
    }

    /// Returns true for a number or one of the three literals, or the beginning of one at the end.
    private func isWord(_ word: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first else { return false }
        if first == UInt8(ascii: "-") || first.isASCIIDigit { return word.allSatisfy(\.mayStandInNumber) }
        let isCut = word.endIndex == self.bytes.count
        return ["true", "false", "null"].contains { isCut ? $0.utf8.starts(with: word) : word.elementsEqual($0.utf8) }
    }

    // MARK: - Objects

    private mutating func takeName() -> Bool {
        let end = self.endOfString
        let isSecret = self.isSecret(self.bytes[self.index..<end])
        self.copy(to: end)
        self.place = .colon(isSecret: isSecret)
        return true
    }

    private func isSecret(_ quoted: ArraySlice<UInt8>) -> Bool {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return self.isSecret(named: String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))
        }
        guard case .string(let name)? = try? JSONValue(parsing: Data(quoted)) else { return true }
        return self.isSecret(named: name)
    }

    private func isSecret(named name: String) -> Bool {
        self.isAboutError ? self.redaction.hides(name, isOfResponse: true) : self.redaction.isSecret(name)
    }

    private mutating func takeColon(_ isSecret: Bool) {
        self.copy(to: self.index + 1)
        self.place = .value
        guard isSecret, self.hiddenDepth == nil else { return }
        self.shown += "\"\(Redaction.mark)\"".utf8
        self.hiddenDepth = self.open.count
    }

    private mutating func takeComma() -> Bool {
        guard let isObject = self.open.last else { return false }
        self.copy(to: self.index + 1)
        self.place = isObject ? .name : .value
        return true
    }

    private mutating func close(isObject: Bool) -> Bool {
        guard self.open.last == isObject else { return false }
        self.copy(to: self.index + 1)
        self.open.removeLast()
        self.endValue()
        return true
    }

    private mutating func endValue() {
        self.place = .behind
        if self.hiddenDepth == self.open.count { self.hiddenDepth = nil }
    }

    // MARK: - Bytes

    /// The offset after the string that starts here, or the end if it is not terminated.
    private var endOfString: Int {
        var next = self.index + 1
        while next < self.bytes.count, self.bytes[next] != UInt8(ascii: "\"") {
            next += self.bytes[next] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(next + 1, self.bytes.count)
    }

    private mutating func copy(to end: Int) {
        if self.hiddenDepth == nil { self.shown += self.bytes[self.index..<end] }
        self.index = end
    }
}

extension UInt8 {
    fileprivate var mayStandInWord: Bool { self.isASCIILetter || self.mayStandInNumber }

    fileprivate var mayStandInNumber: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: self.isASCIIDigit
        }
    }
}
