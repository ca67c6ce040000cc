/// Writes numbers and strings in sequence, little-endian.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe self.bytes.append(contentsOf: $0) }
    }

    /// Writes the length, then the bytes; `nil` is written as a length that no string has.
    mutating func write(_ bytes: (some Collection<UInt8>)?) {
        self.write(bytes.map { UInt64($0.count) } ?? .max)
        if let bytes { self.bytes.append(contentsOf: bytes) }
    }

    mutating func write(_ text: String?) {
        self.write(text?.utf8)
    }

    /// Writes the number of elements, then each element.
    mutating func write<Element>(_ list: [Element], _ write: (inout FieldWriter, Element) -> Void) {
        self.write(UInt64(list.count))
        for element in list { write(&self, element) }
    }

    /// Appends the output of another writer.
    mutating func append(_ fields: ArraySlice<UInt8>) {
        self.bytes += fields
    }
}

/// Reads the output of a ``FieldWriter``, never beyond the end.
struct FieldReader {
    private let all: ArraySlice<UInt8>
    private var position: Int

    /// The input is shorter than expected, or different.
    struct Problem: Error {}

    init(_ bytes: ArraySlice<UInt8>) {
        self.all = bytes
        self.position = bytes.startIndex
    }

    var isAtEnd: Bool { self.position == self.all.endIndex }

    mutating func number() throws(Problem) -> UInt64 {
        guard self.all.endIndex - self.position >= 8 else { throw Problem() }
        let offset = self.position - self.all.startIndex
        self.position += 8
        // The check above ensures that all eight bytes are present.
        return unsafe self.all.withUnsafeBytes {
            UInt64(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    mutating func bytesIfAny() throws(Problem) -> ArraySlice<UInt8>? {
        let count = try self.number()
        return count == .max ? nil : try self.take(count)
    }

    /// Does not validate UTF-8: data that passed its checksum was written from a string.
    mutating func textIfAny() throws(Problem) -> String? {
        try self.bytesIfAny().map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func text() throws(Problem) -> String {
        guard let text = try self.textIfAny() else { throw Problem() }
        return text
    }

    mutating func list<Element>(
        _ read: (inout FieldReader) throws(Problem) -> Element
    ) throws(Problem) -> [Element] {
        var list: [Element] = []
        for _ in 0..<(try self.number()) { list.append(try read(&self)) }
        return list
    }

    /// - Returns: The skipped bytes, for another reader.
    mutating func skip(fields: Int) throws(Problem) -> ArraySlice<UInt8> {
        let start = self.position
        for _ in 0..<fields { _ = try self.bytesIfAny() }
        return self.all[start..<self.position]
    }

    private mutating func take(_ count: UInt64) throws(Problem) -> ArraySlice<UInt8> {
        guard count <= UInt64(self.all.endIndex - self.position) else { throw Problem() }
        defer { self.position += Int(count) }
        return self.all[self.position..<self.position + Int(count)]
    }
}

/// Numbers followed by a checksum.
enum CheckedNumbers {
    static func bytes(_ numbers: [UInt64]) -> [UInt8] {
        var writer = FieldWriter()
        for number in numbers { writer.write(number) }
        writer.write(WyHash.checksum(of: writer.bytes))
        return writer.bytes
    }

    /// - Returns: A reader of the numbers; `nil` if the checksum does not match.
    static func reader(of bytes: ArraySlice<UInt8>) -> FieldReader? {
        let numbers = bytes.dropLast(8)
        var end = FieldReader(bytes[numbers.endIndex...])
        guard (try? end.number()) == WyHash.checksum(of: numbers) else { return nil }
        return FieldReader(numbers)
    }
}
