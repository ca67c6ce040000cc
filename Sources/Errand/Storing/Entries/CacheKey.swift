internal import ErrandLocks

/// The identity of a request to a cache: method, URL, parameters, header fields and body.
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
    private let text: KeyText

    /// Creates the key of a request; `nil` when no answer to it can be stored.
    ///
    /// That is one to a HEAD or range request, to one whose body is a file, a stream or a form of several parts, which
    /// has another boundary each time, or one that depends on what somebody decides about a redirection.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fields: Which of its header fields count, besides a `Host` that names another target than the URL.
    ///   - redirects: What becomes of redirections: what one leads to is another answer than the redirection itself.
    ///   - secretHeaders: Fields that are secret besides those that always are.
    ///   - endpoint: The name of the endpoint's type.
    ///   - isScoped: Whether a scope says whom the response is for. Without one `Authorization`, `Proxy-Authorization`,
    ///     `Cookie` and the secret headers count, whatever the fields say.
    ///   - partition: What tells answers apart besides the request, see ``Transport/cachePartition`` and
    ///     ``Interceptor/cachePartition``.
    public init?(
        _ request: HTTPRequest, fields: CachePolicy.Fields = .standard, redirects: RedirectPolicy = .follow(),
        secretHeaders: [String] = [], endpoint: String? = nil, isScoped: Bool = false, partition: String = ""
    ) {
        self.init(
            request, fields: fields, redirects: redirects, KeyFields(Redaction(secretHeaders: secretHeaders)),
            endpoint: endpoint, isScoped: isScoped, partition: partition)
    }

    /// The same, with what a client knows of header fields.
    init?(
        _ request: HTTPRequest, fields: CachePolicy.Fields, redirects: RedirectPolicy, _ keyFields: KeyFields,
        endpoint: String?, isScoped: Bool, partition: String
    ) {
        guard request.method != .head, !request.headers.contains("Range"), redirects.kind != .decide else { return nil }
        let contentType = request.headers[HTTPField.Name.contentType].flatMap(MIMEType.init)
        guard contentType?.type != "multipart" else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(request.url.string.utf8.count + partition.utf8.count + 192)
        // With its length, and then no method: those have no colon.
        if !partition.isEmpty { text.add(withLength: partition, then: "\n") }
        text.add(request.method.rawValue, then: " ")
        text.add(redirects.cacheWord, then: "\n")
        text.add(request.target)
        switch request.body {
        case .none: break
        case .bytes(let data): text.add(SHA256(of: data).description, then: "\n")
        case .file, .stream: return nil
        }
        text += keyFields.text(of: request.headers, fields, isScoped: isScoped, isQuery: request.method == .query)
        self.method = request.method
        self.url = request.url
        self.endpoint = endpoint
        self.text = KeyText(text)
    }

    /// Creates the key of what is stored by the rules of HTTP, from a text with all that makes a difference.
    private init(_ method: HTTPMethod, _ url: HTTPURL, _ endpoint: String?, _ text: [UInt8]) {
        (self.method, self.url, self.endpoint) = (method, url, endpoint)
        self.text = KeyText(text)
    }

    /// The digest of all that makes a difference, in hexadecimal digits: a name to store something under.
    public var name: String { self.digest.description }

    /// The digest of all that makes a difference.
    package var digest: SHA256 { self.text.digest }

    /// Roughly how many bytes a key takes in memory, with the objects that it and its entry consist of, and their places
    /// in tables.
    package var cost: Int {
        self.url.string.utf8.count + self.url.authority.utf8.count + self.text.bytes.count
            + (self.endpoint?.utf8.count ?? 0) + 256
    }

    /// Tells whether two keys are the same.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.text === right.text || left.text.bytes == right.text.bytes
    }

    /// Feeds what makes a difference to a hasher.
    public func hash(into hasher: inout Hasher) {
        unsafe self.text.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension CacheKey: CustomStringConvertible, CustomReflectable {
    /// The method, the URL without what is secret in it, and the name.
    public var description: String { "\(self.method) \(self.url.redacted) \(self.name)" }

    /// The description: a dump shows no more than that.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: [self.description]) }
}

/// All that makes a difference to a key; what is only compared is not digested, and nothing is digested twice.
private final class KeyText: Sendable {
    /// As bytes, for there are texts that are equal and not the same.
    let bytes: [UInt8]
    private let known = Locked<SHA256?>(nil)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var digest: SHA256 {
        if let digest = self.known.withLock({ $0 }) { return digest }
        let digest = SHA256(of: self.bytes)
        self.known.withLock { $0 = digest }
        return digest
    }
}

/// The header fields of keys; most requests of a client have the same list of them.
final class KeyFields: Sendable {
    private struct Known: Sendable {
        let headers: HTTPFields
        let text: [UInt8]
    }

    private let redaction: Redaction
    private let last = Locked<Known?>(nil)

    init(_ redaction: Redaction) {
        self.redaction = redaction
    }

    /// Returns those that count, by name.
    ///
    /// Those that say what the content of a query is always do (RFC 10008 §2.7).
    func text(of headers: HTTPFields, _ fields: CachePolicy.Fields, isScoped: Bool, isQuery: Bool = false) -> [UInt8] {
        let isStandard = fields == .standard && !isScoped
        let known = self.last.withLock { $0?.headers.isIdentical(to: headers) == true ? $0?.text : nil }
        if isStandard, let known { return known }
        var (text, hasSecrets): ([UInt8], Bool) = ([], false)
        let counts: (String) -> Bool = {
            fields.count($0) || isQuery && HTTPFields.describingQueries.contains($0)
                || !isScoped && self.redaction.isSecretHeader($0)
        }
        for field in headers.byName(where: counts) {
            let isSecret = self.redaction.hides(field.name)
            hasSecrets = hasSecrets || isSecret
            let shown = isSecret ? SHA256(of: field.value).description : field.value
            // With the lengths, for nobody has checked yet that there is no line break in them.
            text.add(withLength: field.name, then: ":")
            text.add(withLength: shown, then: "\n")
        }
        // Who logs out may expect that no secret is kept; by the standard all that are there are in the text.
        if isStandard, !hasSecrets {
            let new = Known(headers: headers, text: text)
            self.last.withLock { $0 = new }
        }
        return text
    }
}

/// Pieces of text are added one by one, and not joined before.
extension [UInt8] {
    fileprivate mutating func add(_ text: Substring.UTF8View, then end: Unicode.Scalar) {
        // The buffer is used only in here, for as long as it is lent.
        let isAdded: Void? = unsafe text.withContiguousStorageIfAvailable { unsafe self.append(contentsOf: $0) }
        if isAdded == nil { self += text }
        self.append(UInt8(ascii: end))
    }

    fileprivate mutating func add(_ text: String, then end: Unicode.Scalar) {
        self.add(text[...].utf8, then: end)
    }

    fileprivate mutating func add(withLength text: String, then end: Unicode.Scalar) {
        self.add(String(text.utf8.count), then: ":")
        self.add(text, then: end)
    }

    /// Adds the origin of a URL and what is asked for there.
    fileprivate mutating func add(_ url: HTTPURL) {
        let layout = url.layout
        // With no user and no port one is behind the other.
        guard url.hasUserInfo || layout.hostEnd != layout.pathStart else {
            return self.add(url.string.utf8.prefix(layout.tail.queryEnd), then: "\n")
        }
        self += url.origin.utf8
        self.add(url.requestTarget, then: "\n")
    }
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

// MARK: - By the rules of HTTP

extension CacheKey {
    /// Creates the key of what is stored for a URL by the rules of HTTP, for one who asks.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``HTTPRequest/target``.
    ///   - identity: The fields that say who asks, see ``HTTPFields/identity(_:_:)``, and for what besides the URL.
    ///   - endpoint: The name of the endpoint's type; makes no difference.
    ///   - partition: What tells responses apart besides the request.
    ///   - isForPath: Whether it is for all URLs with the same path.
    init(http url: HTTPURL, identity: HTTPFields, endpoint: String?, partition: String, isForPath: Bool = false) {
        var text = Array("HTTP ".utf8)
        text.reserveCapacity(url.string.utf8.count + partition.utf8.count + 16)
        text.add(withLength: partition, then: "\n")
        if isForPath { text.add("\(url.origin)?\(url.path)", then: "\n") } else { text.add(url) }
        for field in identity { text.add("\(field.name):\(SHA256(of: field.value))", then: "\n") }
        self.init(.get, url, endpoint, text)
    }

    /// The key of the values of `No-Vary-Search` of what is stored for a path.
    func searches() -> CacheKey { self.derived("searches") }

    /// The key of what is stored for URLs with a path whose queries make no difference.
    func search(_ rule: String, _ query: String) -> CacheKey { self.derived("\(rule.utf8.count):\(rule) \(query)") }

    /// The key of what is stored for queries of the URL with a content (RFC 10008 §2.7).
    func query(_ content: SHA256) -> CacheKey {
        CacheKey(.query, self.url, self.endpoint, Array("\(self.digest) query \(content)".utf8))
    }

    /// The key of the contents of queries that are stored for a URL.
    func queries() -> CacheKey { self.derived("queries") }

    private func derived(_ text: String) -> CacheKey {
        CacheKey(self.method, self.url, self.endpoint, Array("\(self.digest) \(text)".utf8))
    }

    /// The key of one of several responses for the same URL.
    func variant(_ nominated: [CacheEntry.NominatedField]) -> CacheKey {
        let fields = nominated.map { "\($0.name)\(SHA256(of: $0.value.map { "=\($0)" } ?? ""))" }
        return self.derived("variant \(fields.joined(separator: " "))")
    }
}
