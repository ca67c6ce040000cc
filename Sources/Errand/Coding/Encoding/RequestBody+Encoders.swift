public import Foundation

extension RequestBody {
    /// Parameters as a form (WHATWG URL §5.2), with the type `application/x-www-form-urlencoded`.
    ///
    /// Without parameters the body is empty, and its type is sent all the same.
    public static func form(_ parameters: Parameters, style: ParameterEncoding.QueryStyle = .standard) -> RequestBody {
        RequestBody {
            Encoded(.bytes(Data(try parameters.query(style).utf8)), contentType: .formURLEncoded)
        }
    }

    /// A value as JSON (RFC 8259), with the type `application/json`: any `Encodable`, and any tree of values.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - style: The style of the JSON; `nil` for that of the client.
    /// - Returns: The body.
    public static func json(
        _ value: some Encodable & Sendable, style: ParameterEncoding.JSONStyle? = nil
    ) -> RequestBody {
        RequestBody {
            Encoded(.bytes(try (style ?? JSONCoding.current.style).makeEncoder().encode(value)), contentType: .json)
        }
    }

    /// A literal as JSON (RFC 8259), with the type `application/json`, whatever it is made of.
    ///
    /// ```swift
    /// .json(["id": 1, "range": ["from": nil, "tags": [1, "x", true]], "at": .date(moment)])
    /// ```
    ///
    /// Values that are no literals are named by their kind, as in `.string(name)`. A name that an object has more than
    /// once fails the request with ``ErrandError/Code/encodingFailed``.
    public static func json(_ value: Parameters.Value, style: ParameterEncoding.JSONStyle? = nil) -> RequestBody {
        RequestBody {
            Encoded(.bytes(try (style ?? JSONCoding.current.style).makeEncoder().encode(value)), contentType: .json)
        }
    }

    /// An object as JSON (RFC 8259), with the type `application/json`, whose members have values of different types.
    ///
    /// ```swift
    /// .json(["id": self.id, "name": self.name, "page": self.page, "isNew": true])
    /// ```
    ///
    /// `nil` is null. A name that occurs more than once fails the request with ``ErrandError/Code/encodingFailed``. The
    /// compiler finds no type for a literal *within* such a literal that mixes types too: write
    /// `["from": .int(self.id), "to": nil] as Parameters.Value` there.
    @_disfavoredOverload
    public static func json(
        _ members: KeyValuePairs<String, (any Encodable & Sendable)?>, style: ParameterEncoding.JSONStyle? = nil
    ) -> RequestBody {
        .json(MixedMembers(members), style: style)
    }

    /// An array as JSON (RFC 8259), with the type `application/json`, of values of different types; `nil` is null.
    @_disfavoredOverload
    public static func json(
        _ elements: [(any Encodable & Sendable)?], style: ParameterEncoding.JSONStyle? = nil
    ) -> RequestBody {
        .json(MixedElements(elements: elements), style: style)
    }

    /// A value as the JSON that an encoder makes of it, with the type `application/json`.
    public static func json(_ value: some Encodable & Sendable, encoder: JSONEncoder) -> RequestBody {
        RequestBody { Encoded(.bytes(try encoder.encode(value)), contentType: .json) }
    }

    /// A value as a property list, with the type `application/x-plist`.
    ///
    /// The outermost value is an object or an array. What a property list cannot carry fails the request with
    /// ``ErrandError/Code/encodingFailed``: null, numbers that are not finite, and more than 128 levels. Members that
    /// are `nil` are left out, as types do that encode themselves; elements that are `nil` are null.
    public static func propertyList(
        _ value: some Encodable & Sendable, format: ParameterEncoding.PropertyListFormat = .xml
    ) -> RequestBody {
        RequestBody {
            try PropertyListProblem.check(try .encoding(value))
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format == .xml ? .xml : .binary
            return Encoded(.bytes(try encoder.encode(value)), contentType: "application/x-plist")
        }
    }
}

extension ParameterEncoding {
    /// The forms of property lists.
    public enum PropertyListFormat: Sendable, Hashable {
        /// XML.
        case xml
        /// Apple's binary form.
        case binary
    }
}
