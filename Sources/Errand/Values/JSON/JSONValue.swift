/// Any JSON value (RFC 8259 §3): for answers whose shape is not known, and for bodies without a type of their own.
///
/// ```swift
/// let value = try JSONValue(parsing: data)
/// let city = value["friends", 2, "address", "city"]?.string
/// ```
///
/// As a `Response` it is read by Errand's own parser, which keeps every digit of a number and says where a text is not
/// JSON. Two members of an object with the same name are one: the last. Names and texts are the same if their code
/// units are (RFC 8259 §8.3), and not because they look alike.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, with all its digits.
    case number(JSONValue.Number)
    /// A text.
    case string(String)
    /// Values in their order.
    case array([JSONValue])
    /// Members by name; their order means nothing.
    case object(JSONValue.Members)

    /// A whole number.
    public static func int(_ value: Int) -> JSONValue {
        .number(JSONValue.Number(value))
    }

    // MARK: - Looking into it

    /// Whether it is `null`.
    public var isNull: Bool { self == .null }

    /// The truth value, if it is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if it is one and a whole one that fits.
    public var int: Int? {
        if case .number(let value) = self { value.int } else { nil }
    }

    /// The number, if it is one, as the nearest that a `Double` can be.
    public var double: Double? {
        if case .number(let value) = self { value.double } else { nil }
    }

    /// The text, if it is one.
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
    /// What becomes empty by that stays; a value that is `null` itself stays too.
    public func removingNulls() -> JSONValue {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let values): .array(values.filter { !$0.isNull }.map { $0.removingNulls() })
        case .object(let members): .object(members.filter { !$0.value.isNull }.mapValues { $0.removingNulls() })
        }
    }

    /// What kind of value it is, in a word.
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
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = JSONValue.Number(value).map(JSONValue.number) ?? .null }
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object; of two members with one name the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Members(elements.map { (key: $0, value: $1) }))
    }
}
