public import struct Foundation.URL

/// The path of a call relative to its base URL, written as a string literal in which interpolated values are encoded.
///
/// The literal text is a reference that is resolved unchanged against the base URL (RFC 3986 §5): it may begin with a
/// slash, have a query, or be an absolute URL. A value in `\(…)` is data. It is always percent-encoded (RFC 3986 §2.1),
/// so that `/`, `?`, `#`, `%` and the like are part of its segment or query item, and it cannot introduce a scheme,
/// authority, query or fragment.
///
/// ```swift
/// let path: EndpointPath = "users/\(id)/posts?after=\(date)"
/// ```
///
/// A request fails with ``ErrandError/Code/invalidURL`` before it is sent if a value leaves a path segment empty or
/// makes it `.` or `..`, which would lead to another path, or if a value is part of the scheme or the authority. The
/// same applies to the parts of a value between slashes, as in `../admin`, because some servers decode `%2F` before
/// they resolve dots.
///
/// - `\(path: value)` inserts a value of several segments: its slashes stay, and each segment is checked.
/// - `\(value)` inserts an `EndpointPath` unchanged.
/// - `.url(value)` uses an absolute URL that is not a literal.
/// - ``init(uncheckedReference:)`` uses any text as a reference, unchecked.
public struct EndpointPath: Sendable, Hashable {
    /// The origin of a path, which determines the handling of its text.
    enum Kind: Hashable {
        /// A reference, possibly absolute; its values have been encoded and checked.
        case reference
        /// An absolute URL, not resolved against a base URL.
        case url
        /// An invalid value was interpolated.
        case refused(Problem)
    }

    /// The problem with an interpolated value.
    enum Problem: Hashable {
        case emptySegment
        case dotSegment
        case authority
        case missingValue

        /// A description of the problem.
        var message: String {
            switch self {
            case .emptySegment: "a value leaves a segment empty"
            case .dotSegment: "a value makes a segment \".\" or \"..\""
            case .authority: "a value is in the scheme or the host; use EndpointPath.url(_:) for a whole URL"
            case .missingValue: "a value is nil"
            }
        }
    }

    /// The reference, encoded; for a refused path, the reference it would have been.
    let reference: String
    let kind: Kind

    init(_ reference: String, _ kind: Kind) {
        self.reference = reference
        self.kind = kind
    }

    /// Creates a path from a reference that is neither encoded nor checked.
    ///
    /// Text from an untrusted source can direct the request, with the client's header fields, to another path, query or
    /// host. Text that is not a valid reference (RFC 3986 §4.1) fails the request.
    public init(uncheckedReference reference: String) {
        self.init(reference, .reference)
    }

    /// Returns the path for an absolute URL, whatever the base URL is.
    ///
    /// The request goes to the URL's host with the client's additions, except secret ones; see
    /// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``. Text that is not an absolute `http` or
    /// `https` URL fails the request with ``ErrandError/Code/invalidURL``.
    public static func url(_ url: String) -> EndpointPath {
        EndpointPath(url, .url)
    }

    /// Returns the path for an absolute URL, whatever the base URL is.
    ///
    /// A URL that is not an absolute `http` or `https` URL fails the request with ``ErrandError/Code/invalidURL``.
    public static func url(_ url: URL) -> EndpointPath {
        EndpointPath(url.absoluteString, .url)
    }

    /// True if the reference is relative, so that the base URL's host is used (RFC 3986 §4.2).
    var isRelative: Bool {
        self.kind != .url && HTTPURL.isPath(self.reference)
    }

    /// Returns the path with encoded items appended to its query.
    func appendingQuery(_ encoded: String) -> EndpointPath {
        EndpointPath(HTTPURL.append(encoded, toQueryOf: self.reference), self.kind)
    }
}

extension EndpointPath: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path as it is resolved, with encoded values and without user info; other secrets are not hidden.
    public var description: String { HTTPURL.withoutUserInfo(self.reference) }

    /// The reference without secrets, also in its query.
    public var debugDescription: String { Redaction.standard.reference(self.reference) }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
