public import struct Foundation.Data

/// Parses a JSON text in UTF-8, strictly by RFC 8259; a byte order mark before it is skipped (§8.1).
///
/// Foundation's parser is no stricter, has less precise error positions, and rounds numbers.
struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    /// True if an object has two members with the same name, of which the last wins.
    private(set) var hasRepeatedNames = false

    init(_ data: Data) {
        self.bytes = [UInt8](data.jsonInUTF8)
        if self.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.index = 3 }
    }

    /// Parses the whole text.
    mutating func parse() throws(TextProblem) -> JSONValue {
        do throws(JSONFault) {
            let value = try self.value()
            self.skipSpace()
            guard self.index == self.bytes.count else { throw self.unexpected("the end") }
            return value
        } catch {
            throw TextProblem(error.message, in: self.bytes, at: error.index)
        }
    }

    // MARK: - Values

    private mutating func value() throws(JSONFault) -> JSONValue {
        self.skipSpace()
        switch self.next {
        case UInt8(ascii: "{"): return .object(try self.nested { parser throws(JSONFault) in try parser.members() })
        case UInt8(ascii: "["): return .array(try self.nested { parser throws(JSONFault) in try parser.elements() })
        case UInt8(ascii: "\""): return .string(try self.string())
        case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number(try self.number())
        case UInt8(ascii: "t"): return try self.word("true", .bool(true))
        case UInt8(ascii: "f"): return try self.word("false", .bool(false))
        case UInt8(ascii: "n"): return try self.word("null", .null)
        default: throw self.unexpected("a value")
        }
    }

    private mutating func nested<Content>(
        _ read: (inout JSONParser) throws(JSONFault) -> Content
    ) throws(JSONFault) -> Content {
        guard self.depth < depthLimit else {
            throw self.fault("arrays and objects are nested more than \(depthLimit) levels deep")
        }
        self.depth += 1
        self.index += 1
        defer { self.depth -= 1 }
        return try read(&self)
    }

    private mutating func members() throws(JSONFault) -> JSONValue.Members {
        var members = JSONValue.Members()
        self.skipSpace()
        if self.take(UInt8(ascii: "}")) { return members }
        while true {
            self.skipSpace()
            guard self.next == UInt8(ascii: "\"") else { throw self.unexpected("the name of a member") }
            let name = try self.string()
            self.skipSpace()
            guard self.take(UInt8(ascii: ":")) else { throw self.unexpected("\":\"") }
            let count = members.count
            members[name] = try self.value()
            if members.count == count { self.hasRepeatedNames = true }
            self.skipSpace()
            if self.take(UInt8(ascii: "}")) { return members }
            guard self.take(UInt8(ascii: ",")) else { throw self.unexpected("\",\" or \"}\"") }
        }
    }

    private mutating func elements() throws(JSONFault) -> [JSONValue] {
        var elements: [JSONValue] = []
        self.skipSpace()
        if self.take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try self.value())
            self.skipSpace()
            if self.take(UInt8(ascii: "]")) { return elements }
            guard self.take(UInt8(ascii: ",")) else { throw self.unexpected("\",\" or \"]\"") }
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        guard self.bytes[self.index...].starts(with: word.utf8) else { throw self.unexpected("a value") }
        self.index += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONFault) -> JSONValue.Number {
        let start = self.index
        _ = self.take(UInt8(ascii: "-"))
        if !self.take(UInt8(ascii: "0")) { try self.digits() }
        if self.take(UInt8(ascii: ".")) { try self.digits() }
        if self.take(UInt8(ascii: "e")) || self.take(UInt8(ascii: "E")) {
            if !self.take(UInt8(ascii: "+")) { _ = self.take(UInt8(ascii: "-")) }
            try self.digits()
        }
        return JSONValue.Number(unchecked: String(decoding: self.bytes[start..<self.index], as: UTF8.self))
    }

    private mutating func digits() throws(JSONFault) {
        let start = self.index
        while let next = self.next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= next { self.index += 1 }
        if self.index == start { throw self.unexpected("a digit") }
    }

    // MARK: - Strings

    private mutating func string() throws(JSONFault) -> String {
        self.index += 1
        let start = self.index
        while let next = self.next {
            switch next {
            case UInt8(ascii: "\""):
                let text = try self.text(start..<self.index)
                self.index += 1
                return text
            case UInt8(ascii: "\\"): return try self.escapedString(from: start)
            case 0..<0x20: throw self.unexpected("no control character in a string")
            default: self.index += 1
            }
        }
        throw self.unexpected("the end of a string")
    }

    /// Continues a string at its first escape.
    private mutating func escapedString(from start: Int) throws(JSONFault) -> String {
        var text = try self.text(start..<self.index)
        while true {
            switch self.next {
            case UInt8(ascii: "\"")?:
                self.index += 1
                return text
            case UInt8(ascii: "\\")?: text.unicodeScalars.append(try self.escape())
            case nil: throw self.unexpected("the end of a string")
            default: text += try self.plainRun()
            }
        }
    }

    private mutating func plainRun() throws(JSONFault) -> String {
        let start = self.index
        while let next = self.next, next != UInt8(ascii: "\""), next != UInt8(ascii: "\\") {
            guard next >= 0x20 else { throw self.unexpected("no control character in a string") }
            self.index += 1
        }
        return try self.text(start..<self.index)
    }

    private func text(_ range: Range<Int>) throws(JSONFault) -> String {
        if let text = String(validUTF8: self.bytes[range]) { return text }
        throw JSONFault(index: range.lowerBound, message: "a string is not UTF-8")
    }

    private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
        let start = self.index
        self.index += 1
        guard let kind = self.next else { throw self.unexpected("the end of a string") }
        self.index += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try self.unicodeEscape(from: start)
        default: throw JSONFault(index: start, message: "a backslash precedes a character that it does not escape")
        }
    }

    private mutating func unicodeEscape(from start: Int) throws(JSONFault) -> Unicode.Scalar {
        let high = try self.fourDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard 0xD800..<0xDC00 ~= high, self.take(UInt8(ascii: "\\")), self.take(UInt8(ascii: "u")) else {
            throw JSONFault(index: start, message: "one half of a surrogate pair is missing")
        }
        let low = try self.fourDigits()
        guard 0xDC00..<0xE000 ~= low,
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw JSONFault(index: start, message: "one half of a surrogate pair is missing") }
        return scalar
    }

    private mutating func fourDigits() throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = self.next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw self.unexpected("a hexadecimal digit")
            }
            value = value << 4 | UInt32(digit)
            self.index += 1
        }
        return value
    }

    // MARK: - Bytes

    private var next: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard self.next == byte else { return false }
        self.index += 1
        return true
    }

    private mutating func skipSpace() {
        while let next = self.next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { self.index += 1 }
    }

    private func fault(_ message: String) -> JSONFault {
        JSONFault(index: self.index, message: message)
    }

    private func unexpected(_ expected: String) -> JSONFault {
        self.fault("expected \(expected), found \(TextProblem.name(of: self.next))")
    }
}

/// A fault with the position of its byte.
private struct JSONFault: Error {
    let index: Int
    let message: String
}

extension JSONValue {
    /// Parses a JSON text in UTF-8 (RFC 8259).
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` and the position of the problem;
    ///   also if arrays and objects are nested more than 128 levels deep.
    public init(parsing data: Data) throws(ErrandError) {
        do throws(TextProblem) {
            try self.init(reading: data)
        } catch {
            throw ErrandError(.decodingFailed, "the text is not JSON: \(error)")
        }
    }

    /// Parses a JSON text, for callers that describe the text themselves.
    init(reading data: Data) throws(TextProblem) {
        var parser = JSONParser(data)
        self = try parser.parse()
    }
}
