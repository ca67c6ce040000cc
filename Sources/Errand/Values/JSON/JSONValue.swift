/// A JSON value (RFC 8259 §3), for responses with an unknown shape, and for bodies without a type.
///
/// ```swift
/// let value = try JSONValue(parsing: data)
/// let city = value["friends", 2, "address", "city"]?.string
/// ```
///
/// As a `Response` it is parsed by Errand's own parser, which keeps every digit of a number and reports the position of
/// invalid JSON. Of two members with the same name, the last one wins. Names and strings are equal if their code units
/// are (RFC 8259 §8.3), not if they are only canonically equivalent.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// A Boolean.
    case bool(Bool)
    /// A number, with all its digits.
    case number(JSONValue.Number)
    /// A string.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members by name; their order is not significant.
    case object(JSONValue.Members)

    /// Creates a number from an integer.
    public static func int(_ value: Int) -> JSONValue {
        .number(JSONValue.Number(value))
    }

    // MARK: - Looking into it

    /// A Boolean value that indicates whether it is `null`.
    public var isNull: Bool { self == .null }

    /// The Boolean, if it is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as an `Int`, if it is an integer in range.
    public var int: Int? {
        if case .number(let value) = self { value.int } else { nil }
    }

    /// The number as the nearest `Double`, if it is one.
    public var double: Double? {
        if case .number(let value) = self { value.double } else { nil }
    }

    /// The string, if it is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The values, if it is an array.
    public var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members, if it is an object.
    public var object: JSONValue.Members? {
        if case .object(let members) = self { members } else { nil }
    }

    // MARK: - Changing it

    /// Returns the value without the members and elements that are `null`, at any depth.
    ///
    /// Containers that become empty are kept, and so is a root value that is `null`.
    public func removingNulls() -> JSONValue {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let values): .array(values.filter { !$0.isNull }.map { $0.removingNulls() })
        case .object(let members): .object(members.filter { !$0.value.isNull }.mapValues { $0.removingNulls() })
        }
    }

    /// The kind of the value, in one word.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = JSONValue.Number(value).map(JSONValue.number) ?? .null }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object; the last one of a repeated name wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Members(elements.map { (key: $0, value: $1) }))
    }
}
