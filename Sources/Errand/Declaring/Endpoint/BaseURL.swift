public import struct Foundation.URL

/// The URL that the path of an endpoint is resolved against.
///
/// ```swift
/// extension BaseURL {
///     static let images: BaseURL = .named("images")
/// }
/// ```
public enum BaseURL: Sendable, Hashable {
    /// The main base URL of the client.
    case client
    /// The client's URL for its content delivery network, ``RequestDefaults/BaseURLs/cdn``.
    case cdn
    /// One of ``ClientConfiguration/baseURLs``, by name.
    case named(String)
    /// A URL that is used unchanged: values in it are neither encoded nor checked.
    case url(String)
}

extension BaseURL {
    /// Returns the base URL for a URL of Foundation's type, used unchanged.
    public static func url(_ url: URL) -> BaseURL { .url(url.absoluteString) }
}

extension BaseURL: ExpressibleByStringLiteral {
    /// Creates a base URL from a literal; for text with interpolated values, use ``url(_:)-enum.case``.
    public init(stringLiteral value: String) {
        self = .url(value)
    }
}

extension BaseURL: CustomStringConvertible, CustomReflectable {
    /// The name or the URL, without user, password and other secrets.
    public var description: String {
        switch self {
        case .client: "client"
        case .cdn: "cdn"
        case .named(let name): name
        case .url(let text): Redaction.standard.reference(text)
        }
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
