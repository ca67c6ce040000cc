internal import struct Foundation.Data

/// Parts of a JSON text that Foundation's decoder must not be given as they are, found in one pass.
///
/// - It has a limit of depth of its own, of 512, but traps where a text goes beyond it and ends there (Swift 6.3.1 on
///   Linux: 513 opening brackets and nothing else).
/// - Of two members with one name it takes the first, and ``JSONValue`` the last, as most parsers do.
/// - It compares names as `String` does; see ``JSONTwins``.
struct JSONSurvey {
    /// Whether an object may have two members with the same name, or with names that look the same.
    private(set) var needsParsing = false

    /// An open array or object.
    private struct Container {
        /// Where its names begin among those of all that is open; an array has none.
        let firstName: Int
        /// Its names where there are many.
        var manyNames: Set<UInt64>?
    }

    private let bytes: [UInt8]
    private var index = 0
    /// What is open, the outermost first.
    private var open: [Container] = []
    /// The names of what is open, as digests, those of the innermost last.
    private var names: [UInt64] = []
    /// The string that was just read, which is a name if a colon follows.
    private var last: (digest: UInt64, isUnusual: Bool)?

    /// - Throws: ``TextProblem`` where the text goes too deep.
    /// - Complexity: O(*n*).
    init(_ data: Data) throws(TextProblem) {
        self.bytes = [UInt8](data)
        while self.index < self.bytes.count {
            try self.take(self.bytes[self.index])
            self.index += 1
        }
    }

    private mutating func take(_ byte: UInt8) throws(TextProblem) {
        switch byte {
        case UInt8(ascii: "\""): return self.takeString()
        case UInt8(ascii: ":"): self.takeName()
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            guard self.open.count < depthLimit else {
                throw TextProblem(
                    "arrays and objects lie more than \(depthLimit) deep in each other", in: self.bytes, at: self.index)
            }
            self.open.append(Container(firstName: self.names.count))
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            if let closed = self.open.popLast() { self.names.removeSubrange(closed.firstName...) }
        case 0x20, 0x0A, 0x0D, 0x09: return
        default: break
        }
        self.last = nil
    }

    /// Goes to the quotation mark that ends the string which begins here.
    private mutating func takeString() {
        // FNV-1a: whether names with the same digest are the same shows when the text is parsed.
        var (digest, isUnusual): (UInt64, Bool) = (0xCBF2_9CE4_8422_2325, false)
        self.index += 1
        while self.index < self.bytes.count, self.bytes[self.index] != UInt8(ascii: "\"") {
            let byte = self.bytes[self.index]
            let isEscape = byte == UInt8(ascii: "\\")
            isUnusual = isUnusual || isEscape || byte >= 0x80
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
            self.index += isEscape ? 2 : 1
        }
        self.last = (digest, isUnusual)
    }

    private mutating func takeName() {
        guard let (digest, isUnusual) = self.last, !self.open.isEmpty else { return }
        // What is escaped may be a name that is there without that.
        if isUnusual || self.isRepeated(digest, in: self.open.count - 1) { self.needsParsing = true }
    }

    /// Adds a name to what is open; returns whether it was there already, or another with the same digest.
    private mutating func isRepeated(_ digest: UInt64, in container: Int) -> Bool {
        if self.open[container].manyNames != nil {
            return self.open[container].manyNames?.insert(digest).inserted == false
        }
        let first = self.open[container].firstName
        for index in first..<self.names.count where self.names[index] == digest { return true }
        self.names.append(digest)
        if self.names.count - first > 24 { self.open[container].manyNames = Set(self.names[first...]) }
        return false
    }
}

extension Data {
    /// A JSON text in UTF-8, which RFC 8259 §8.1 asks for; one in UTF-16 or UTF-32 is converted.
    ///
    /// A JSON text begins with a character of ASCII, so that zeros tell them apart.
    var jsonInUTF8: Data {
        guard self.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) else { return self }
        let beginning = [UInt8](self.prefix(4))
        let encoding: String.Encoding
        switch beginning {
        case [0, 0, 0xFE, 0xFF], [0xFF, 0xFE, 0, 0]: encoding = .utf32
        case _ where beginning.starts(with: [0, 0, 0]): encoding = .utf32BigEndian
        case _ where beginning.dropFirst() == [0, 0, 0]: encoding = .utf32LittleEndian
        case _ where beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]): encoding = .utf16
        case _ where beginning.first == 0: encoding = .utf16BigEndian
        case _ where beginning.dropFirst().first == 0: encoding = .utf16LittleEndian
        default: return self
        }
        return String(data: self, encoding: encoding).map { Data($0.utf8) } ?? self
    }
}
