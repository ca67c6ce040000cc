/// Header or trailer fields in wire order, with case-insensitive lookup.
public struct LoopbackFields: Sendable, Hashable {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name as written on the wire.
        public var name: String
        /// The value without surrounding white space.
        public var value: String

        /// Creates a field from its name and value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var lines: [Field]

    /// Creates fields from field lines.
    public init(_ lines: [Field] = []) {
        self.lines = lines
    }

    /// The value of the first field with that name, or `nil`.
    public subscript(name: String) -> String? {
        lines.first { Self.isSameName($0.name, name) }?.value
    }

    /// Returns the values of all fields with that name, in order.
    public func values(of name: String) -> [String] {
        lines.compactMap { Self.isSameName($0.name, name) ? $0.value : nil }
    }

    /// Appends a field, in addition to any with the same name.
    public mutating func append(_ name: String, _ value: String) {
        lines.append(Field(name: name, value: value))
    }

    /// Returns whether `token` is among the comma-separated members of the fields named `name`, ignoring case.
    func contains(token: String, in name: String) -> Bool {
        lines.contains { line in
            Self.isSameName(line.name, name)
                && line.value.split(separator: ",").contains { member in
                    Self.isSameName(String(member.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }), token)
                }
        }
    }

    /// Compares two field names or tokens, ignoring the case of ASCII letters.
    static func isSameName(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension LoopbackFields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { lines.startIndex }
    /// The position after the last field.
    public var endIndex: Int { lines.endIndex }
    /// The field at a position.
    public subscript(position: Int) -> Field { lines[position] }
}

extension LoopbackFields: ExpressibleByDictionaryLiteral {
    /// Creates fields from a dictionary literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }
}
