internal import struct Foundation.Data

/// Detects parts of a JSON text that Foundation's decoder must not receive unchanged, in one pass.
///
/// - Its own depth limit is 512, but it traps if a text exceeds it and ends there (Swift 6.3.1 on Linux: 513 opening
///   brackets and no more).
/// - Of two members with one name, it takes the first, and ``JSONValue`` the last, as most parsers do.
/// - It compares names as `String` does; see ``JSONTwins``.
struct JSONSurvey {
    /// True if an object may have two members with equal or canonically equivalent names.
    private(set) var needsParsing = false

    /// An open array or object.
    private struct Container {
        /// The index of its first name in the names of all open containers; arrays have none.
        let firstName: Int
        /// Its names, if there are many.
        var manyNames: Set<UInt64>?
    }

    private let bytes: [UInt8]
    private var index = 0
    /// The open containers, outermost first.
    private var open: [Container] = []
    /// The digests of the names in open containers, innermost last.
    private var names: [UInt64] = []
    /// The last string, which is a name if a colon follows.
    private var last: (digest: UInt64, isUnusual: Bool)?

    /// - Throws: ``TextProblem`` if the text is nested too deeply.
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
                    "arrays and objects are nested more than \(depthLimit) levels deep", in: self.bytes, at: self.index)
            }
            self.open.append(Container(firstName: self.names.count))
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            if let closed = self.open.popLast() { self.names.removeSubrange(closed.firstName...) }
        case 0x20, 0x0A, 0x0D, 0x09: return
        default: break
        }
        self.last = nil
    }

    /// Advances to the closing quote of the string that starts here.
    private mutating func takeString() {
        // FNV-1a: parsing determines later whether names with equal digests are equal.
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
        // An escaped name may equal an unescaped one.
        if isUnusual || self.isRepeated(digest, in: self.open.count - 1) { self.needsParsing = true }
    }

    /// Adds a name to the innermost container; returns true if it has that name already, or another with the same
    /// digest.
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
    /// The JSON text in UTF-8, as RFC 8259 §8.1 requires; UTF-16 and UTF-32 are converted.
    ///
    /// A JSON text starts with an ASCII character, so its zero bytes identify the encoding.
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
