/// The value of a structured field (RFC 9651): one item, a list or a dictionary.
///
/// A value that is malformed anywhere is no value at all (RFC 9651 §4.2): readers get `nil` for the whole field.
enum StructuredField {
    /// A value without parameters (RFC 9651 §3.3).
    enum BareItem: Sendable, Hashable {
        /// A whole number of up to 15 digits.
        case integer(Int64)
        /// A number with a fraction of up to three digits.
        case decimal(Double)
        /// A text of ASCII, without its quotes and escapes.
        case string(String)
        /// A word.
        case token(String)
        case bytes([UInt8])
        case boolean(Bool)
        /// Seconds since 1970.
        case date(Int64)
        /// A text of Unicode.
        case displayString(String)
    }

    /// Values by their keys; of a repeated key the last one counts (RFC 9651 §3.2).
    typealias ItemParameters = [String: BareItem]

    /// A value with parameters.
    struct Item: Sendable, Hashable {
        let value: BareItem
        let parameters: ItemParameters
    }

    /// A member of a list or of a dictionary.
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

    /// Parses a dictionary (RFC 9651 §3.2); of a repeated key the last one counts.
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

    /// Writes a text as a token where it is one, else as a string (RFC 9651 §4.1.6); `nil` for one that is not in ASCII.
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
    /// The value of a structured field that is an item; `nil` without one, or where it is malformed.
    func structuredItem(_ name: String) -> StructuredField.BareItem? {
        self[name].flatMap(StructuredField.item)?.value
    }

    /// The members of a structured field that is a list; `nil` without one, or where it is malformed.
    func structuredList(_ name: String) -> [StructuredField.Member]? {
        self[name].flatMap(StructuredField.list)
    }

    /// The members of a structured field that is a dictionary; `nil` without one, or where it is malformed.
    func structuredDictionary(_ name: String) -> [String: StructuredField.Member]? {
        self[name].flatMap(StructuredField.dictionary)
    }
}
