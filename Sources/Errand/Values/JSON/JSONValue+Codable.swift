internal import struct Foundation.Decimal

/// A free-form part of a value that is coded with others; works with coders of any format.
///
/// Coders pass numbers as Swift types, not as text: only in this conversion, a decoded number keeps at most 38 digits,
/// and one with more cannot be encoded. Coders also treat canonically equivalent names, such as "é" as one code point
/// and as two, as one: an object with both fails to be encoded.
extension JSONValue: Codable {
    /// Decodes a value.
    ///
    /// - Throws: `DecodingError` for a value that JSON does not have.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Name.self) {
            self = .object(try Self.members(members))
        } else if var elements = try? decoder.unkeyedContainer() {
            self = .array(try Self.elements(&elements))
        } else {
            self = try Self.leaf(decoder.singleValueContainer())
        }
    }

    private static func members(_ container: KeyedDecodingContainer<Name>) throws -> Members {
        var members = Members()
        for key in container.allKeys { members[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
        return members
    }

    private static func elements(_ container: inout any UnkeyedDecodingContainer) throws -> [JSONValue] {
        var elements: [JSONValue] = []
        while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
        return elements
    }

    private static func leaf(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return .string(text) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int.self) { return .int(value) }
        if let value = try? container.decode(UInt64.self) { return .number(JSONValue.Number(value)) }
        let value = try container.decode(Double.self)
        // A `Double` represents all numbers of up to 15 digits exactly; where it may have rounded, a `Decimal` has up
        // to 38.
        if let number = JSONValue.Number(value), number.text.utf8.count <= 15 { return .number(number) }
        if let decimal = try? container.decode(Decimal.self) {
            return .number(JSONValue.Number(unchecked: "\(decimal)"))
        }
        guard let number = JSONValue.Number(value) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON has no number \(value)")
        }
        return .number(number)
    }

    /// Encodes the value.
    ///
    /// - Throws: The error of the encoder, an `EncodingError` for an object with two canonically equivalent names, and
    ///   ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` if arrays and objects are nested more than
    ///   128 levels deep.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            try encoder.checkDepth()
            var container = encoder.container(keyedBy: Name.self)
            if let name = members.twin {
                let problem = "\"\(name)\" has a canonically equivalent name, which coders take for the same"
                throw EncodingError.invalidValue(
                    self, EncodingError.Context(codingPath: container.codingPath, debugDescription: problem))
            }
            for (name, value) in members { try container.encode(value, forKey: Name(stringValue: name)) }
        case .array(let values):
            try encoder.checkDepth()
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        default:
            var container = encoder.singleValueContainer()
            try self.encodeLeaf(into: &container)
        }
    }

    private func encodeLeaf(into container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .string(let text): try container.encode(text)
        case .number(let number):
            if let value = number.int {
                try container.encode(value)
            } else if let value = UInt64(number.text) {
                try container.encode(value)
            } else if JSONValue.Number(number.double) == number {
                try container.encode(number.double)
            } else if let value = Decimal(string: number.text), JSONValue.Number(unchecked: "\(value)") == number {
                try container.encode(value)
            } else {
                throw EncodingError.invalidValue(
                    number,
                    EncodingError.Context(
                        codingPath: container.codingPath, debugDescription: "no Swift type holds \(number)"))
            }
        case .null, .array, .object: try container.encodeNil()
        }
    }

    /// An arbitrary member name.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
