/// What the path of an endpoint is resolved against, in place of the base URL of the client.
///
/// ```swift
/// extension BaseURL {
///     static let images: BaseURL = .named("images")
/// }
/// ```
public enum BaseURL: Sendable, Hashable {
    /// One of ``Configuration/baseURLs``, by its name.
    case named(String)
    /// A URL, as it is written in a literal.
    case url(String)
}

extension BaseURL: ExpressibleByStringInterpolation {
    /// Creates a base URL of its own.
    public init(stringLiteral value: String) {
        self = .url(value)
    }
}
