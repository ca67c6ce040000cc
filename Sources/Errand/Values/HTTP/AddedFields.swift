/// The header fields that a client adds to requests, its own and the defaults: joined and checked once.
package final class AddedFields: Sendable {
    /// The value of `Accept` for any media type.
    package static let acceptsAnything = "*/*"
    /// The value of `Accept` for JSON.
    package static let acceptsJSON = "application/json"

    /// The client's own fields.
    private let own: HTTPFields
    private let defaults: DefaultHeaders
    /// All fields, precomputed for the two most common kinds of requests.
    private let forAnything: HTTPFields
    private let forJSON: HTTPFields
    /// The error for an invalid field, if any.
    private let problem: ErrandError?

    package init(_ own: HTTPFields, _ defaults: DefaultHeaders) {
        self.own = own
        self.defaults = defaults
        self.forAnything = Self.join(own, defaults, Self.acceptsAnything)
        self.forJSON = Self.join(own, defaults, Self.acceptsJSON)
        self.problem = Self.problem(in: self.forAnything)
    }

    /// Returns the fields for a request.
    ///
    /// - Parameters:
    ///   - accept: The media types that the endpoint accepts.
    ///   - defaults: The endpoint's defaults, which replace the client's.
    /// - Returns: The fields, to be added unless the endpoint has them.
    /// - Throws: ``ErrandError`` if one of them is invalid.
    package func fields(accepting accept: String, _ defaults: DefaultHeaders? = nil) throws(ErrandError) -> HTTPFields {
        if let problem = self.problem { throw problem }
        if defaults == nil {
            if accept == Self.acceptsJSON { return self.forJSON }
            if accept == Self.acceptsAnything { return self.forAnything }
        }
        let fields = Self.join(self.own, defaults ?? self.defaults, accept)
        if let problem = Self.problem(in: fields) { throw problem }
        return fields
    }

    private static func join(_ own: HTTPFields, _ defaults: DefaultHeaders, _ accept: String) -> HTTPFields {
        var fields = own
        let added = [
            (HTTPField.Name.accept, defaults.sendsAccept ? accept : nil),
            (HTTPField.Name.acceptLanguage, defaults.acceptLanguage), (HTTPField.Name.userAgent, defaults.userAgent),
        ]
        for (name, value) in added where !own.contains(name) {
            if let value { fields.append(name: name, value: value) }
        }
        return fields
    }

    private static func problem(in fields: HTTPFields) -> ErrandError? {
        do throws(HTTPFieldsProblem) {
            try fields.validate()
            return nil
        } catch {
            return ErrandError(.invalidRequest, error.message)
        }
    }
}

extension HTTPFields {
    /// Adds the fields of another list whose names are not in this one, including repeated fields.
    mutating func addMissing(_ other: HTTPFields) {
        // The common case, which shares the other's storage.
        if self.isEmpty { return self = other }
        let present = self
        for field in other where !present.contains(field.name) { self.append(name: field.name, value: field.value) }
    }
}
