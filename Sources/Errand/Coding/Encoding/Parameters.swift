/// The arguments of a call: a tree of names and values that becomes a query, a form, JSON or a property list.
///
/// ```swift
/// var parameters: Parameters { ["id": 1, "tags": ["a", "b"]] }
/// ```
///
/// What it becomes, and where that goes, the ``ParameterEncoding`` says. A name may occur more than once at one place
/// of a query or a form; JSON and property lists refuse that.
public struct Parameters: Sendable, Hashable {
    /// One argument.
    public struct Item: Sendable, Hashable {
        /// The name, not escaped.
        public var name: String
        /// The value.
        public var value: Parameters.Value
    }

    /// The arguments, in the order in which they were given.
    public private(set) var items: [Item]

    /// Creates parameters from names and values.
    public init(_ items: [(String, Parameters.Value)] = []) {
        self.items = items.map { Item(name: $0, value: $1) }
    }

    /// Creates the parameters that an `Encodable` encodes itself as; see ``Parameters/Value/encoding(_:)``.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``, also for what does not encode
    ///   itself as names and values.
    public init(encoding value: some Encodable) throws(ErrandError) {
        guard case .object(let parameters) = try Parameters.Value.encoding(value) else {
            throw ErrandError(
                .encodingFailed, "\(type(of: value)) cannot become parameters: it is not made of names and values")
        }
        self = parameters
    }

    /// Whether there are none.
    public var isEmpty: Bool { self.items.isEmpty }

    /// The first value of a name; setting it replaces every value of the name, `nil` removes them.
    public subscript(name: String) -> Parameters.Value? {
        get {
            self.items.first { $0.name.isExactly(name) }?.value
        }
        set {
            let place = self.items.firstIndex { $0.name.isExactly(name) } ?? self.items.endIndex
            self.items.removeAll { $0.name.isExactly(name) }
            if let newValue { self.items.insert(Item(name: name, value: newValue), at: place) }
        }
    }

    /// Adds an argument behind the others, whether or not there is one of its name.
    public mutating func append(_ name: String, _ value: Parameters.Value) {
        self.items.append(Item(name: name, value: value))
    }

    /// Adds the arguments of others behind these.
    public mutating func append(_ other: Parameters) {
        self.items += other.items
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters in the order of the literal; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, Parameters.Value)...) {
        self.init(elements)
    }
}

extension Parameters: Encodable {
    /// Encodes the parameters as names and values.
    ///
    /// - Throws: What the encoder throws, an `EncodingError` for a name that occurs more than once, and ``ErrandError``
    ///   with the code ``ErrandError/Code/encodingFailed`` where arrays and objects lie more than 128 deep in each
    ///   other.
    public func encode(to encoder: any Encoder) throws {
        try encoder.checkDepth()
        var container = encoder.container(keyedBy: ParameterName.self)
        var names = MemberNames()
        for item in self.items {
            try names.add(item.name, at: container.codingPath)
            try container.encode(item.value, forKey: ParameterName(item.name))
        }
    }
}

/// The names of the members that an object has so far.
struct MemberNames {
    /// As encoders compare names: of two that they take for one, one would get lost.
    private var seen: Set<String> = []

    /// Adds the name of one more member.
    ///
    /// - Throws: An `EncodingError` for a name that was there before.
    mutating func add(_ name: String, at path: [any CodingKey]) throws {
        guard self.seen.insert(name).inserted else {
            throw EncodingError.invalidValue(
                name, EncodingError.Context(codingPath: path, debugDescription: "\"\(name)\" occurs more than once"))
        }
    }
}

/// A name as encoders want it.
struct ParameterName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) {
        self.stringValue = name
    }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

extension Parameters.Item: CustomReflectable {
    /// A mirror with `***` for the value of a name that secrets have; see ``HTTPURL/redacted``.
    public var customMirror: Mirror {
        let value: Any = Redaction.standard.isSecret(self.name) ? Redaction.mark : self.value
        return Mirror(self, children: ["name": self.name, "value": value], displayStyle: .struct)
    }
}
