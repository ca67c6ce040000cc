/// The parameters of a call: a tree of names and values that becomes a query, a form, JSON or a property list.
///
/// ```swift
/// var parameters: Parameters { ["id": 1, "tags": ["a", "b"]] }
/// ```
///
/// The ``ParameterEncoding`` sets its format and placement. A name may be repeated in a query or a form; JSON and
/// property lists do not support that.
public struct Parameters: Sendable, Hashable {
    /// A parameter.
    public struct Item: Sendable, Hashable {
        /// The name, not escaped.
        public var name: String
        /// The value.
        public var value: Parameters.Value
    }

    /// The parameters, in the given order.
    public private(set) var items: [Item]

    /// Creates parameters from names and values.
    public init(_ items: [(String, Parameters.Value)] = []) {
        self.items = items.map { Item(name: $0, value: $1) }
    }

    /// Creates the parameters that an `Encodable` encodes itself as; see ``Parameters/Value/encoding(_:)``.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``, also for a value that does not
    ///   encode itself as names and values.
    public init(encoding value: some Encodable) throws(ErrandError) {
        guard case .object(let parameters) = try Parameters.Value.encoding(value) else {
            throw ErrandError(
                .encodingFailed, "\(type(of: value)) cannot become parameters: it does not consist of names and values")
        }
        self = parameters
    }

    /// A Boolean value that indicates whether there are no parameters.
    public var isEmpty: Bool { self.items.isEmpty }

    /// The first value of a name; setting it replaces all values of the name, and `nil` removes them.
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

    /// Appends a parameter, whether or not there is one with its name.
    public mutating func append(_ name: String, _ value: Parameters.Value) {
        self.items.append(Item(name: name, value: value))
    }

    /// Appends other parameters.
    public mutating func append(_ other: Parameters) {
        self.items += other.items
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters in the order of the literal; names may be repeated.
    public init(dictionaryLiteral elements: (String, Parameters.Value)...) {
        self.init(elements)
    }
}

extension Parameters: Encodable {
    /// Encodes the parameters as names and values.
    ///
    /// - Throws: The error of the encoder, an `EncodingError` for a repeated name, and ``ErrandError`` with the code
    ///   ``ErrandError/Code/encodingFailed`` if arrays and objects are nested more than 128 levels deep.
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

/// The member names of an object so far.
struct MemberNames {
    /// As strings, because encoders compare names that way, and would lose one of two equal names.
    private var seen: Set<String> = []

    /// Adds the name of a member.
    ///
    /// - Throws: An `EncodingError` for a repeated name.
    mutating func add(_ name: String, at path: [any CodingKey]) throws {
        guard self.seen.insert(name).inserted else {
            throw EncodingError.invalidValue(
                name, EncodingError.Context(codingPath: path, debugDescription: "\"\(name)\" occurs more than once"))
        }
    }
}

/// A name as a coding key.
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
    /// A mirror with `***` for the values of names of secrets; see ``HTTPURL/redacted``.
    public var customMirror: Mirror {
        let value: Any = Redaction.standard.isSecret(self.name) ? Redaction.mark : self.value
        return Mirror(self, children: ["name": self.name, "value": value], displayStyle: .struct)
    }
}
