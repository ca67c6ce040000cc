/// What makes two requests the same to a cache: method, URL, parameters, header fields and body.
///
/// Two requests whose endpoints could get different answers have different keys, and the same request made twice has
/// one and the same, also in another process and on another machine. What is secret in a request is in its key as a
/// digest.
///
/// What interceptors add is not in it: a response to a request that went out as somebody else than its key knows is not
/// stored, unless the ``CachePolicy`` has a scope.
public struct CacheKey: Sendable, Hashable {
    /// The method.
    public let method: HTTPMethod
    /// The URL.
    public let url: HTTPURL
    /// The name of the endpoint's type, where there is one; makes no difference.
    public let endpoint: String?
    /// The digest of all that makes a difference.
    package let digest: SHA256

    /// Creates the key of a request; `nil` when no answer to it can be stored.
    ///
    /// That is one to a HEAD or range request, to one whose body is a file, a stream or a form of several parts, which
    /// has another boundary each time, or one that depends on what somebody decides about a redirection.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fields: Which of its header fields count.
    ///   - redirects: What becomes of redirections: what one leads to is another answer than the redirection itself.
    ///   - secretHeaders: Fields that are secret besides those that always are.
    ///   - endpoint: The name of the endpoint's type.
    ///   - isScoped: Whether a scope says whom the response is for. Without one `Authorization`, `Proxy-Authorization`,
    ///     `Cookie` and the secret headers count, whatever the fields say.
    ///   - partition: What tells answers apart besides the request, see ``Transport/cachePartition`` and
    ///     ``Interceptor/cachePartition``.
    public init?(
        _ request: HTTPRequest, fields: CacheFields = .standard, redirects: RedirectPolicy = .follow(),
        secretHeaders: [String] = [], endpoint: String? = nil, isScoped: Bool = false, partition: String = ""
    ) {
        self.init(
            request, fields: fields, redirects: redirects, Redaction(secretHeaders: secretHeaders), endpoint: endpoint,
            isScoped: isScoped, partition: partition)
    }

    /// The same, with what a client knows to be secret.
    init?(
        _ request: HTTPRequest, fields: CacheFields, redirects: RedirectPolicy, _ redaction: Redaction,
        endpoint: String?, isScoped: Bool, partition: String
    ) {
        guard request.method != .head, !request.headers.contains("Range"), redirects.kind != .decide else { return nil }
        let contentType = request.headers[HTTPFieldName.contentType].flatMap(MIMEType.init)
        guard contentType?.type != "multipart" else { return nil }
        // With its length, and then no method: those have no colon.
        var text = partition.isEmpty ? "" : "\(partition.utf8.count):\(partition)\n"
        text +=
            "\(request.method.rawValue) \(redirects.cacheWord)\n\(request.url.origin)\(request.url.requestTarget)\n"
        switch request.body {
        case .none: break
        case .bytes(let data): text += "\(SHA256(of: data))\n"
        case .file, .stream: return nil
        }
        for field in request.headers.byName(where: { fields.count($0) || !isScoped && redaction.isSecretHeader($0) }) {
            let shown = redaction.hides(field.name) ? SHA256(of: field.value).description : field.value
            // With the lengths, for nobody has checked yet that there is no line break in them.
            text += "\(field.name.utf8.count):\(field.name):\(shown.utf8.count):\(shown)\n"
        }
        self.method = request.method
        self.url = request.url
        self.endpoint = endpoint
        self.digest = SHA256(of: text)
    }

    /// The digest of all that makes a difference, in hexadecimal digits: a name to store something under.
    public var name: String { self.digest.description }

    /// Roughly how many bytes a key takes in memory.
    package var cost: Int { 2 * self.url.string.utf8.count + 64 }

    /// Tells whether two keys are the same.
    public static func == (left: CacheKey, right: CacheKey) -> Bool { left.digest == right.digest }

    /// Feeds what makes a difference to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.digest)
    }
}

extension CacheKey: CustomStringConvertible, CustomReflectable {
    /// The method, the URL without what is secret in it, and the name.
    public var description: String { "\(self.method) \(self.url.redacted) \(self.name)" }

    /// The description: a dump shows no more than that.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: [self.description]) }
}

extension RedirectPolicy {
    fileprivate var cacheWord: String {
        switch self.kind {
        case .follow: self.allowsInsecure ? "follow insecure" : "follow"
        case .never: "never"
        case .decide: "decide"
        }
    }
}
