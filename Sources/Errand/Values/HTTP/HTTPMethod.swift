/// A request method (RFC 9110 §9); names are case-sensitive, and any may be written as a literal.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable {
    /// The name, as it is sent.
    public let rawValue: String

    /// Creates a method with any name; ``isValid`` tells whether it can be sent.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Asks for a representation (RFC 9110 §9.3.1).
    public static let get = HTTPMethod(rawValue: "GET")
    /// Asks for what `GET` would answer, without the content (RFC 9110 §9.3.2).
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Asks for the result of a query that is the content, and changes nothing (RFC 10008).
    ///
    /// It may be repeated, redirected with its content, shared and cached like a `GET`: two of them are equal if their
    /// URL, content and `Content-Type` are. A server refuses one that has no `Content-Type`.
    public static let query = HTTPMethod(rawValue: "QUERY")
    /// Has the target process the content (RFC 9110 §9.3.3).
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the target by the content (RFC 9110 §9.3.4).
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes the target as the content says (RFC 5789).
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes the target (RFC 9110 §9.3.5).
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks what can be done with the target (RFC 9110 §9.3.7).
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Has the request echoed back (RFC 9110 §9.3.8).
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// Whether the method only reads (RFC 9110 §9.2.1, RFC 10008 §2); a method that Errand does not know is taken to write.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .query, .options, .trace: true
        default: false
        }
    }

    /// Whether sending it twice intends no more than sending it once (RFC 9110 §9.2.2), so that it may be retried.
    public var isIdempotent: Bool {
        self.isSafe || self == .put || self == .delete
    }

    /// Whether a request with the method and without a body says that there is none (RFC 9110 §8.6).
    var announcesContent: Bool {
        switch self {
        case .post, .put, .patch, .query: true
        default: false
        }
    }

    /// Whether the name is a token, and so can be sent (RFC 9110 §9.1).
    public var isValid: Bool { self.rawValue.isHTTPToken }
}

extension HTTPMethod: ExpressibleByStringLiteral {
    /// Creates a method whose name is the literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension HTTPMethod: CustomStringConvertible {
    /// The name.
    public var description: String { self.rawValue }
}
