internal import ErrandLocks

/// Received header fields, parsed on demand.
///
/// Most responses are used only for their body; making strings of unused fields would cost more than receiving them.
package final class RawHTTPFields: Sendable {
    private let bytes: [UInt8]
    private let start: Int
    private let parsed = Locked<[HTTPField]?>(nil)

    /// Stores bytes with field lines (RFC 9112 §5) from an offset on, each terminated by LF or CR LF.
    package init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        self.start = start
    }

    /// The fields, in order; invalid lines are skipped.
    package var fields: [HTTPField] {
        self.parsed.withLock { parsed in
            if let parsed { return parsed }
            let fields = HTTPFieldLines(self.bytes, from: self.start).map(\.field)
            parsed = fields
            return fields
        }
    }
}

/// A field line in bytes, including continuation lines (RFC 9112 §5, §5.2).
package struct HTTPFieldLine {
    fileprivate let bytes: [UInt8]
    package let name: Range<Int>
    /// The value, including the line breaks of folded lines.
    package let value: Range<Int>

    /// Returns true if the field has a name, ignoring case.
    package func isNamed(_ other: StaticString) -> Bool {
        guard other.utf8CodeUnitCount == self.name.count else { return false }
        return other.withUTF8Buffer { other in
            unsafe zip(self.name, other).allSatisfy { self.bytes[$0].asciiLowercase == $1.asciiLowercase }
        }
    }

    /// True if the name is a token (RFC 9110 §5.6.2).
    package var hasValidName: Bool {
        !self.name.isEmpty && self.name.allSatisfy { self.bytes[$0].isHTTPToken }
    }

    /// The bytes of the value.
    package var content: ArraySlice<UInt8> { self.bytes[self.value] }

    /// The value as text, see ``FieldOctets``; a fold is one space (RFC 9112 §5.2).
    package var text: String {
        var slice = Array(self.content)
        if slice.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) {
            for index in slice.indices where [0x0A, 0x0D, 0].contains(slice[index]) { slice[index] = 0x20 }
        }
        return FieldOctets.text(slice)
    }

    /// The field.
    package var field: HTTPField {
        HTTPField(name: String(decoding: self.bytes[self.name], as: UTF8.self), value: self.text)
    }
}

/// Parses field lines in sequence.
///
/// A line without a colon has an empty name, for the caller to handle.
package struct HTTPFieldLines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var index: Int

    package init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        self.index = start
    }

    /// The next field line; `nil` at the empty line or at the end.
    package mutating func next() -> HTTPFieldLine? {
        let start = self.index
        guard start < self.bytes.count else { return nil }
        var end = self.endOfLine(from: start)
        guard self.contentEnd(start, end) > start else { return nil }
        while end < self.bytes.count, self.bytes[end].isFieldWhitespace { end = self.endOfLine(from: end) }
        self.index = end
        return self.line(start, self.contentEnd(start, end))
    }

    private func line(_ start: Int, _ end: Int) -> HTTPFieldLine {
        let colon = self.bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) ?? start
        var (first, last) = (Swift.min(colon + 1, end), end)
        while first < last, self.bytes[first].isFieldWhitespace { first += 1 }
        while last > first, self.bytes[last - 1].isFieldWhitespace { last -= 1 }
        var nameEnd = colon
        while nameEnd > start, self.bytes[nameEnd - 1].isFieldWhitespace { nameEnd -= 1 }
        return HTTPFieldLine(bytes: self.bytes, name: start..<nameEnd, value: first..<last)
    }

    /// Returns the offset after the line feed of the line.
    private func endOfLine(from start: Int) -> Int {
        self.bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? self.bytes.count
    }

    /// Returns the offset before the line break of a line.
    private func contentEnd(_ start: Int, _ end: Int) -> Int {
        var end = end
        while end > start, self.bytes[end - 1] == 0x0A || self.bytes[end - 1] == 0x0D { end -= 1 }
        return end
    }
}
