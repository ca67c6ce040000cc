public import struct Foundation.Date

extension Parameters {
    /// A value in the parameters of a call: a leaf, or a container of values.
    ///
    /// Most are written as literals: `["id": 1, "tags": ["a", "b"], "range": ["from": 1, "to": nil]]`.
    public enum Value: Sendable, Hashable {
        /// A text.
        case string(String)
        /// An integer.
        case int(Int)
        /// An integer that is too large for an `Int`.
        case unsigned(UInt64)
        /// A number; a non-finite one is written by the style, or fails the request.
        case double(Double)
        /// A Boolean, written as `1` or `0` unless the style says otherwise.
        case bool(Bool)
        /// A date, written in the format of the style.
        case date(Date)
        /// No value: only the name is sent.
        case null
        /// Values in order.
        case array([Parameters.Value])
        /// Unordered values, each sent under the same name; they are sorted by their texts.
        case set(Set<Parameters.Value>)
        /// Names and values.
        case object(Parameters)

        /// Returns the value that an `Encodable` encodes itself as.
        ///
        /// Dates stay dates, and a `Set` is a set. `Data` becomes base64 and a `URL` its text. A `Decimal` becomes a
        /// number if a Swift number has the same digits, and otherwise the text of its digits.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
        public static func encoding(_ value: some Encodable) throws(ErrandError) -> Parameters.Value {
            do {
                return try ParameterEncoder.encode(value)
            } catch {
                throw ErrandError(wrapping: error, as: .encodingFailed, "\(type(of: value)) cannot become parameters")
            }
        }
    }
}

// MARK: - Literals

extension Parameters.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates the null value.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array.
    public init(arrayLiteral elements: Parameters.Value...) { self = .array(elements) }
    /// Creates an object, in the order of the literal.
    public init(dictionaryLiteral elements: (String, Parameters.Value)...) { self = .object(Parameters(elements)) }
}

// MARK: - Encodable

extension Parameters.Value: Encodable {
    /// Encodes the value by its kind: a set as an array, sorted by the texts of its elements.
    ///
    /// - Throws: The error of the encoder, an `EncodingError` for a name that an object has more than once, and
    ///   ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` if arrays and objects are nested more than
    ///   128 levels deep.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let values): try Self.encode(values, to: encoder)
        case .set(let values): try Self.encode(values.sortedByText, to: encoder)
        case .object(let parameters): try parameters.encode(to: encoder)
        default:
            var container = encoder.singleValueContainer()
            try self.encodeLeaf(to: &container)
        }
    }

    private func encodeLeaf(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .string(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        // As a `Date`, so that the encoder's strategy applies.
        case .date(let value): try container.encode(value)
        case .null, .array, .set, .object: try container.encodeNil()
        }
    }

    private static func encode(_ values: [Parameters.Value], to encoder: any Encoder) throws {
        try encoder.checkDepth()
        var container = encoder.unkeyedContainer()
        for value in values { try container.encode(value) }
    }
}

extension Set<Parameters.Value> {
    /// The elements in an order that is the same in each process: by their texts, leaves before containers.
    var sortedByText: [Parameters.Value] {
        self.map { (text: $0.sortingText, value: $0) }.sorted { $0.text < $1.text }.map(\.value)
    }
}

extension Parameters.Value {
    /// The text by which a set sorts its elements.
    fileprivate var sortingText: String { self.sortingText(depth: 0) }

    /// Returns the text without levels beyond the depth limit, which fail the encoding later.
    private func sortingText(depth: Int) -> String {
        func text(_ value: Parameters.Value) -> String { depth < depthLimit ? value.sortingText(depth: depth + 1) : "" }
        switch self {
        case .string(let value): return value
        case .int(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .double(let value): return value.shortText
        case .bool(let value): return value ? "1" : "0"
        case .date(let value): return value.timeIntervalSince1970.shortText
        case .null: return ""
        // After every other character, so that containers come last.
        case .array(let values): return "\u{10FFFF}[" + values.map(text).joined(separator: "\u{0}") + "]"
        case .set(let values): return "\u{10FFFF}(" + values.map(text).sorted().joined(separator: "\u{0}") + ")"
        case .object(let parameters):
            let members = parameters.items.map { "\($0.name)\u{0}\(text($0.value))" }
            return "\u{10FFFF}{" + members.sorted().joined(separator: "\u{0}") + "}"
        }
    }
}

extension Double {
    /// The shortest text that is read back as this number, without a fraction if it has none.
    var shortText: String {
        let text = self.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
