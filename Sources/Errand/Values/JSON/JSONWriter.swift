public import struct Foundation.Data

/// Writes JSON in UTF-8 without spaces; members of objects are in the order of their names.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    mutating func write(_ value: JSONValue) throws(ErrandError) {
        switch value {
        case .null: self.bytes += "null".utf8
        case .bool(let value): self.bytes += (value ? "true" : "false").utf8
        case .number(let number): self.bytes += number.text.utf8
        case .string(let text): self.write(text)
        case .array(let values):
            try self.nested("[", "]", values) { writer, value throws(ErrandError) in try writer.write(value) }
        case .object(let members):
            try self.nested("{", "}", members.names) { writer, name throws(ErrandError) in
                writer.write(name)
                writer.bytes.append(UInt8(ascii: ":"))
                try writer.write(members[name] ?? .null)
            }
        }
    }

    private mutating func nested<Element>(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ elements: [Element],
        _ write: (inout JSONWriter, Element) throws(ErrandError) -> Void
    ) throws(ErrandError) {
        guard self.depth < depthLimit else { throw .nestedTooDeep }
        self.depth += 1
        self.bytes.append(UInt8(ascii: opening))
        for (index, element) in elements.enumerated() {
            if index > 0 { self.bytes.append(UInt8(ascii: ",")) }
            try write(&self, element)
        }
        self.bytes.append(UInt8(ascii: closing))
        self.depth -= 1
    }

    private mutating func write(_ text: String) {
        self.bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: self.bytes += "\\n".utf8
            case 0x0D: self.bytes += "\\r".utf8
            case 0x09: self.bytes += "\\t".utf8
            case 0..<0x20: self.bytes += "\\u00\(byte < 0x10 ? "0" : "1")\(String(byte & 0x0F, radix: 16))".utf8
            default: self.bytes.append(byte)
            }
        }
        self.bytes.append(UInt8(ascii: "\""))
    }

    /// Returns a text as a JSON string.
    static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.write(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// Returns the value as a JSON text: UTF-8, no spaces, the members of objects in the order of their names.
    ///
    /// Numbers keep their digits. Parsing the text again gives an equal value.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` if arrays and objects are nested
    ///   more than 128 levels deep.
    public func serialized() throws(ErrandError) -> Data {
        var writer = JSONWriter()
        try writer.write(self)
        return Data(writer.bytes)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as a JSON text on one line; levels beyond the depth limit are omitted.
    public var description: String {
        var writer = JSONWriter()
        try? writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
