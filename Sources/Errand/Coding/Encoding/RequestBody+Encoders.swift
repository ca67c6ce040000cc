public import Foundation

extension RequestBody {
    /// Returns parameters as a form (WHATWG URL §5.2), with the type `application/x-www-form-urlencoded`.
    ///
    /// Without parameters, the body is empty, but its type is sent.
    public static func form(_ parameters: Parameters, style: ParameterEncoding.QueryStyle = .standard) -> RequestBody {
        RequestBody {
            Encoded(.bytes(Data(try parameters.query(style).utf8)), contentType: .formURLEncoded)
        }
    }

    /// Returns a value as JSON (RFC 8259), with the type `application/json`: any `Encodable`, and any tree of values.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - style: The style of the JSON; `nil` uses that of the client.
    /// - Returns: The body.
    public static func json(
        _ value: some Encodable & Sendable, style: ParameterEncoding.JSONStyle? = nil
    ) -> RequestBody {
        RequestBody {
            Encoded(.bytes(try (style ?? JSONCoding.current.style).makeEncoder().encode(value)), contentType: .json)
        }
    }

    /// Returns a literal as JSON (RFC 8259), with the type `application/json`, whatever its values are.
    ///
    /// ```swift
    /// .json(["id": 1, "range": ["from": nil, "tags": [1, "x", true]], "at": .date(moment)])
    /// ```
    ///
    /// Values that are not literals are wrapped by kind, as in `.string(name)`. A repeated name in an object fails the
    /// request with ``ErrandError/Code/encodingFailed``.
    public static func json(_ value: Parameters.Value, style: ParameterEncoding.JSONStyle? = nil) -> RequestBody {
        RequestBody {
            Encoded(.bytes(try (style ?? JSONCoding.current.style).makeEncoder().encode(value)), contentType: .json)
        }
    }

    /// Returns an object as JSON (RFC 8259), with the type `application/json`, whose members have values of different
    /// types.
    ///
    /// ```swift
    /// .json(["id": self.id, "name": self.name, "page": self.page, "isNew": true])
    /// ```
    ///
    /// `nil` is null. A repeated name fails the request with ``ErrandError/Code/encodingFailed``. The compiler cannot
    /// infer the type of a nested literal with mixed types: write `["from": .int(self.id), "to": nil] as
    /// Parameters.Value` there.
    @_disfavoredOverload
    public static func json(
        _ members: KeyValuePairs<String, (any Encodable & Sendable)?>, style: ParameterEncoding.JSONStyle? = nil
    ) -> RequestBody {
        .json(MixedMembers(members), style: style)
    }

    /// Returns an array as JSON (RFC 8259), with the type `application/json`, of values of different types; `nil` is
    /// null.
    @_disfavoredOverload
    public static func json(
        _ elements: [(any Encodable & Sendable)?], style: ParameterEncoding.JSONStyle? = nil
    ) -> RequestBody {
        .json(MixedElements(elements: elements), style: style)
    }

    /// Returns a value as JSON of an encoder, with the type `application/json`.
    public static func json(_ value: some Encodable & Sendable, encoder: JSONEncoder) -> RequestBody {
        RequestBody { Encoded(.bytes(try encoder.encode(value)), contentType: .json) }
    }

    /// Returns a value as a property list, with the type `application/x-plist`.
    ///
    /// The outermost value is an object or an array. Unsupported values fail the request with
    /// ``ErrandError/Code/encodingFailed``: null, non-finite numbers, and more than 128 levels. Members that are `nil`
    /// are omitted, as in synthesized `Encodable` types; elements that are `nil` are null.
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
    /// The formats of property lists.
    public enum PropertyListFormat: Sendable, Hashable {
        /// XML.
        case xml
        /// Apple's binary format.
        case binary
    }
}
