/// The value of a structured field (RFC 9651): an item, a list or a dictionary.
///
/// A malformed value is rejected as a whole (RFC 9651 §4.2): functions return `nil` for the field.
enum StructuredField {
    /// A value without parameters (RFC 9651 §3.3).
    enum BareItem: Sendable, Hashable {
        /// A whole number of up to 15 digits.
        case integer(Int64)
        /// A number with a fraction of up to three digits.
        case decimal(Double)
        /// An ASCII text, without its quotes and escapes.
        case string(String)
        /// A word.
        case token(String)
        case bytes([UInt8])
        case boolean(Bool)
        /// A date in seconds since 1970.
        case date(Int64)
        /// A Unicode text.
        case displayString(String)
    }

    /// Values by key; the last one of a repeated key wins (RFC 9651 §3.2).
    typealias ItemParameters = [String: BareItem]

    /// A value with parameters.
    struct Item: Sendable, Hashable {
        let value: BareItem
        let parameters: ItemParameters
    }

    /// A member of a list or dictionary.
    enum Member: Sendable, Hashable {
        case item(Item)
        case innerList([Item], ItemParameters)

        /// The value of an item; `nil` for an inner list.
        var value: BareItem? {
            if case .item(let item) = self { item.value } else { nil }
        }
    }

    /// Parses an item (RFC 9651 §3.3).
    static func item(_ text: String) -> Item? {
        Self.whole(text) { $0.item() }
    }

    /// Parses a list (RFC 9651 §3.1).
    static func list(_ text: String) -> [Member]? {
        Self.whole(text) { $0.members([Member]()) { list, parser in parser.member().map { list.append($0) } } }
    }

    /// Parses a dictionary (RFC 9651 §3.2); the last one of a repeated key wins.
    static func dictionary(_ text: String) -> [String: Member]? {
        Self.whole(text) { parser in
            parser.members([String: Member]()) { members, parser in
                guard let key = parser.key() else { return nil }
                let value =
                    parser.take("=")
                    ? parser.member() : parser.parameters().map { .item(Item(value: .boolean(true), parameters: $0)) }
                return value.map { members[key] = $0 }
            }
        }
    }

    /// Writes a text as a token if it is one, and otherwise as a string (RFC 9651 §4.1.6); `nil` if it is not ASCII.
    static func text(of value: String) -> String? {
        if Self.item(value)?.value == .token(value) { return value }
        return value.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? value.asQuotedString : nil
    }

    private static func whole<Value>(_ text: String, _ parse: (inout StructuredFieldParser) -> Value?) -> Value? {
        var parser = StructuredFieldParser(text)
        parser.skipSpaces()
        guard let value = parse(&parser) else { return nil }
        parser.skipSpaces()
        return parser.isAtEnd ? value : nil
    }
}

extension StructuredField.BareItem {
    var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    var boolean: Bool? {
        if case .boolean(let isTrue) = self { isTrue } else { nil }
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension HTTPFields {
    /// Returns the value of a structured item field; `nil` if it is missing or malformed.
    func structuredItem(_ name: String) -> StructuredField.BareItem? {
        self[name].flatMap(StructuredField.item)?.value
    }

    /// Returns the members of a structured list field; `nil` if it is missing or malformed.
    func structuredList(_ name: String) -> [StructuredField.Member]? {
        self[name].flatMap(StructuredField.list)
    }

    /// Returns the members of a structured dictionary field; `nil` if it is missing or malformed.
    func structuredDictionary(_ name: String) -> [String: StructuredField.Member]? {
        self[name].flatMap(StructuredField.dictionary)
    }
}
