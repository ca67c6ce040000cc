/// Writes numbers and texts one after another, little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe self.bytes.append(contentsOf: $0) }
    }

    mutating func write(_ bytes: [UInt8]) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Writes the length, then the text; what of a length is beyond 4 GiB is lost, and reading finds that out.
    mutating func write(_ text: String) {
        self.write(UInt32(truncatingIfNeeded: text.utf8.count))
        self.bytes.append(contentsOf: text.utf8)
    }

    mutating func write(_ text: String?) {
        self.write(UInt8(text == nil ? 0 : 1))
        if let text { self.write(text) }
    }
}

/// Reads what a ``ByteWriter`` wrote, and never beyond the end.
struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// There is less, or something else, than there should be.
    struct Problem: Error {}

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    var isAtEnd: Bool { self.position == self.bytes.endIndex }

    mutating func take(_ count: Int) throws(Problem) -> ArraySlice<UInt8> {
        guard count >= 0, count <= self.bytes.endIndex - self.position else { throw Problem() }
        defer { self.position += count }
        return self.bytes[self.position..<self.position + count]
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Problem) -> Number {
        let size = Number.bitWidth / 8
        guard size <= self.bytes.endIndex - self.position else { throw Problem() }
        var number: Number = 0
        for index in (self.position..<self.position + size).reversed() {
            number = number << 8 | Number(truncatingIfNeeded: self.bytes[index])
        }
        self.position += size
        return number
    }

    mutating func text() throws(Problem) -> String {
        // What passed its checksum is what was written, and that was a text.
        String(decoding: try self.take(Int(try self.number(UInt32.self))), as: UTF8.self)
    }

    mutating func flag() throws(Problem) -> Bool {
        switch try self.number(UInt8.self) {
        case 0: false
        case 1: true
        default: throw Problem()
        }
    }

    mutating func optionalText() throws(Problem) -> String? {
        try self.flag() ? try self.text() : nil
    }
}
