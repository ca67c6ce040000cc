/// A request method (RFC 9110 §9); names are case-sensitive, and any name can be written as a literal.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable {
    /// The name, as sent.
    public let rawValue: String

    /// Creates a method with any name; see ``isValid``.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Requests a representation (RFC 9110 §9.3.1).
    public static let get = HTTPMethod(rawValue: "GET")
    /// Requests the head of the response to `GET`, without content (RFC 9110 §9.3.2).
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Requests the result of a query in the content, without side effects (RFC 10008).
    ///
    /// It can be repeated, redirected with its content, shared and cached like a `GET`: two requests are equal if their
    /// URL, content and `Content-Type` are. Servers reject one without a `Content-Type`.
    public static let query = HTTPMethod(rawValue: "QUERY")
    /// Lets the target process the content (RFC 9110 §9.3.3).
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the target with the content (RFC 9110 §9.3.4).
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes the target as described in the content (RFC 5789).
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes the target (RFC 9110 §9.3.5).
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Requests the communication options of the target (RFC 9110 §9.3.7).
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Requests an echo of the request (RFC 9110 §9.3.8).
    public static let trace = HTTPMethod(rawValue: "TRACE")

    /// A Boolean value that indicates whether the method is read-only (RFC 9110 §9.2.1, RFC 10008 §2); false for
    /// unknown methods.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .query, .options, .trace: true
        default: false
        }
    }

    /// A Boolean value that indicates whether the method is idempotent and may be retried (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        self.isSafe || self == .put || self == .delete
    }

    /// True if a request with the method and without a body declares its empty content (RFC 9110 §8.6).
    var announcesContent: Bool {
        switch self {
        case .post, .put, .patch, .query: true
        default: false
        }
    }

    /// A Boolean value that indicates whether the name is a token, and so can be sent (RFC 9110 §9.1).
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
