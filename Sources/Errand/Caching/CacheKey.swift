public import struct Foundation.Data

/// What makes two requests the same to a cache: method, URL, header fields and body, all of them and in full.
///
/// Two requests whose endpoints could get different answers have different keys; for what interceptors add there is
/// the scope of the ``CachePolicy``.
public struct CacheKey: Sendable, Hashable {
    /// The method.
    public let method: HTTPMethod
    /// The URL, without its fragment.
    public let url: String
    /// The header fields, names in lower case, sorted by name.
    public let headers: [String]
    /// The content.
    public let body: Data

    /// Whom the answer is for.
    public let scope: String

    /// What became of redirections: what one leads to is another answer than the redirection itself.
    private let redirects: RedirectPolicy.Kind

    /// Creates the key of a request, or nothing when its body is not at hand to be compared.
    public init?(_ request: HTTPRequest, scope: String = "") {
        self.init(request, scope: scope, redirects: .follow())
    }

    package init?(_ request: HTTPRequest, scope: String, redirects: RedirectPolicy) {
        self.scope = scope
        self.redirects = redirects.kind
        switch request.body {
        case .none: self.body = Data()
        case .bytes(let data): self.body = data
        case .file, .stream: return nil
        }
        self.method = request.method
        self.url = request.url.origin + request.url.requestTarget
        // By name only: the order of fields with one name means something (RFC 9110 §5.3).
        self.headers = request.headers.enumerated().map { ($1.name.lowercased(), $0, $1.value) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { "\($0.0): \($0.2)" }
    }
}
