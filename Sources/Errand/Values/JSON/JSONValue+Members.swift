extension JSONValue {
    /// The members of a JSON object, by name.
    ///
    /// Names are compared code unit by code unit (RFC 8259 §8.3). A `Dictionary` with keys of type `String` would lose
    /// members: "é" as one code point and as two are one key there, and so are "K" and the Kelvin sign.
    ///
    /// ```swift
    /// var members: JSONValue.Members = ["id": 7, "name": "Ann"]
    /// members["name"] = nil
    /// ```
    public struct Members: Sendable, Hashable {
        private var values: [ExactText: JSONValue]

        /// Creates members from names and values; the last one of a repeated name wins.
        public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
            self.values = Dictionary(members.map { (ExactText($0.key), $0.value) }) { $1 }
        }

        /// Creates an empty collection of members.
        public init() {
            self.values = [:]
        }

        private init(_ values: [ExactText: JSONValue]) {
            self.values = values
        }

        /// The number of members.
        public var count: Int { self.values.count }

        /// A Boolean value that indicates whether there are no members.
        public var isEmpty: Bool { self.values.isEmpty }

        /// The names, in the order of their bytes in UTF-8.
        ///
        /// - Complexity: O(*n* · log *n*).
        public var names: [String] { self.values.keys.sorted().map(\.string) }

        /// The member with a name, or `nil` if there is none; setting `nil` removes it.
        public subscript(name: String) -> JSONValue? {
            get { self.values[ExactText(name)] }
            set { self.values[ExactText(name)] = newValue }
        }

        /// Returns members with the same names and transformed values.
        public func mapValues<E: Error>(_ transform: (JSONValue) throws(E) -> JSONValue) throws(E) -> Members {
            var mapped = self.values
            for (name, value) in self.values { mapped[name] = try transform(value) }
            return Members(mapped)
        }

        /// Returns the members that satisfy a condition.
        public func filter<E: Error>(
            _ isIncluded: ((key: String, value: JSONValue)) throws(E) -> Bool
        ) throws(E) -> Members {
            var kept: [ExactText: JSONValue] = [:]
            for (name, value) in self.values where try isIncluded((name.string, value)) { kept[name] = value }
            return Members(kept)
        }
    }
}

extension JSONValue.Members: Sequence {
    /// Iterates over the members, in unspecified order.
    public struct Iterator: IteratorProtocol {
        private var members: Dictionary<ExactText, JSONValue>.Iterator

        fileprivate init(_ members: [ExactText: JSONValue]) {
            self.members = members.makeIterator()
        }

        /// Returns the next member, or `nil` after the last.
        public mutating func next() -> (key: String, value: JSONValue)? {
            self.members.next().map { ($0.key.string, $0.value) }
        }
    }

    /// Returns an iterator over the members.
    public func makeIterator() -> Iterator { Iterator(self.values) }
}

extension JSONValue.Members: ExpressibleByDictionaryLiteral {
    /// Creates members from a literal; the last one of a repeated name wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (key: $0, value: $1) })
    }
}

// MARK: - Equality

extension JSONValue: Hashable {
    /// Returns true if two values are equal; texts are compared code unit by code unit (RFC 8259 §8.3).
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members)
        }
    }
}
