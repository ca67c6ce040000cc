public import struct Foundation.URL

/// Where a call goes below its base URL: written as a string literal, with values in it that stay values.
///
/// What is written in the literal is taken as it is, as a reference that is resolved against the base URL (RFC 3986
/// §5): it may begin with a slash, have a query, or be a whole URL. A value in `\(…)` is data. It is percent-encoded
/// (RFC 3986 §2.1) wherever it stands, so that `/`, `?`, `#`, `%` and all others are a part of its segment, or of its
/// item in the query, and it can bring no scheme, authority, query or fragment along.
///
/// ```swift
/// let path: EndpointPath = "users/\(id)/posts?after=\(date)"
/// ```
///
/// A request is refused with ``ErrandError/Code/invalidURL``, and nothing is sent, if a value leaves a segment of the
/// path empty or makes it `.` or `..`, which would lead elsewhere, or if a value stands in the scheme or the authority.
/// So is a value that makes one of these of what is between two of its slashes, as `../admin` does: some servers decode
/// `%2F` before they resolve dots.
///
/// - `\(path: value)` takes a value of several segments: its slashes stay, and each segment is checked.
/// - `\(value)` with a value that is an `EndpointPath` puts that there as it is.
/// - `.url(value)` takes a whole URL that is not written in a literal.
/// - ``init(uncheckedReference:)`` takes any text for a reference, unchecked.
public struct EndpointPath: Sendable, Hashable {
    /// How a path came about, which says what is to be done with its text.
    enum Kind: Hashable {
        /// A reference for the base URL, which may be absolute; values in it have been encoded and checked.
        case reference
        /// An absolute URL, which no base URL may complete.
        case url
        /// A value does what values may not do.
        case refused(Problem)
    }

    /// What a value may not do.
    enum Problem: Hashable {
        case emptySegment
        case dotSegment
        case authority
        case missingValue

        /// What is wrong, in words.
        var message: String {
            switch self {
            case .emptySegment: "a value leaves a segment empty"
            case .dotSegment: "a value makes a segment \".\" or \"..\""
            case .authority: "a value stands in the scheme or the host; EndpointPath.url(_:) takes a whole URL"
            case .missingValue: "a value is nil"
            }
        }
    }

    /// The reference, encoded; for a path that is refused what it would have been.
    let reference: String
    let kind: Kind

    init(_ reference: String, _ kind: Kind) {
        self.reference = reference
        self.kind = kind
    }

    /// Creates a path from a text that is taken for a reference as it is: not encoded, and not checked.
    ///
    /// Whoever has a say in the text decides where the request goes, and the client's header fields with it: to another
    /// path, with another query, to another host. A text that is no reference (RFC 3986 §4.1) fails the request.
    public init(uncheckedReference reference: String) {
        self.init(reference, .reference)
    }

    /// Returns the path that goes to a whole URL, whatever the base URL is.
    ///
    /// The request goes to the host of the URL with what the client adds to all, but for what is secret in it; see
    /// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``. Text that is not an absolute `http` or `https`
    /// URL fails the request with ``ErrandError/Code/invalidURL``.
    public static func url(_ url: String) -> EndpointPath {
        EndpointPath(url, .url)
    }

    /// Returns the path that goes to a whole URL, whatever the base URL is.
    ///
    /// One that is not an absolute `http` or `https` URL fails the request with ``ErrandError/Code/invalidURL``.
    public static func url(_ url: URL) -> EndpointPath {
        EndpointPath(url.absoluteString, .url)
    }

    /// Whether the path is resolved against a base with the host of that (RFC 3986 §4.2).
    var isRelative: Bool {
        self.kind != .url && HTTPURL.isPath(self.reference)
    }

    /// Returns the path with encoded items behind those that its query has.
    func appendingQuery(_ encoded: String) -> EndpointPath {
        EndpointPath(HTTPURL.append(encoded, toQueryOf: self.reference), self.kind)
    }
}

extension EndpointPath: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path as it is resolved, values encoded; it is not looked through for secrets.
    public var description: String { HTTPURL.withoutUserInfo(self.reference) }

    /// The reference as it may be shown, without secrets in its query either.
    public var debugDescription: String { Redaction.standard.reference(self.reference) }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
