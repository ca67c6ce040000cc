/// The arguments of a call, in order: names and values that become the query of a URL.
public struct Parameters: Sendable, Hashable {
    /// One argument.
    public struct Item: Sendable, Hashable {
        /// The name, not escaped.
        public var name: String
        /// The value.
        public var value: ParameterValue
    }

    /// The arguments, in order.
    public private(set) var items: [Item]

    /// Creates parameters from names and values.
    public init(_ items: [(String, ParameterValue)] = []) {
        self.items = items.map { Item(name: $0, value: $1) }
    }

    /// Adds an argument behind the others.
    public mutating func append(_ name: String, _ value: ParameterValue) {
        self.items.append(Item(name: name, value: value))
    }

    /// The arguments as a query: `name=value` joined by `&`, both sides percent-encoded; null prints the name alone.
    public var queryString: String {
        var query = ""
        for item in self.items {
            if !query.isEmpty { query += "&" }
            query += HTTPURL.percentEncode(item.name)
            if let text = item.value.text { query += "=" + HTTPURL.percentEncode(text) }
        }
        return query
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters in the order of the literal; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self.init(elements)
    }
}

/// One value among the parameters of a call.
public enum ParameterValue: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A whole number.
    case int(Int)
    /// A number.
    case double(Double)
    /// A truth value, sent as `1` or `0`.
    case bool(Bool)
    /// No value: the name stands alone.
    case null

    /// The value as it is sent, before escaping; nothing for ``null``.
    public var text: String? {
        switch self {
        case .string(let value): value
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .bool(let value): value ? "1" : "0"
        case .null: nil
        }
    }
}

extension ParameterValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates the value that is none.
    public init(nilLiteral: ()) { self = .null }
}
