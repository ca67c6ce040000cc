internal import ErrandLocks

/// The identity of a request in a cache: method, URL, parameters, header fields, and body.
///
/// Two requests whose endpoints could get different responses have different keys. The same request made twice has the
/// same key, even in another process or on another machine. Secrets of a request are represented in its key by digests.
///
/// Fields added by interceptors are not part of the key. The response to a request that was sent with another identity
/// than its key contains is not stored, unless the ``CachePolicy`` has a scope.
public struct CacheKey: Sendable, Hashable {
    /// The method.
    public let method: HTTPMethod
    /// The URL.
    public let url: HTTPURL
    /// The name of the endpoint's type, if there is one.
    ///
    /// It does not affect equality.
    public let endpoint: String?
    private let text: KeyText

    /// Creates the key of a request, or returns `nil` if no response to it can be stored.
    ///
    /// This is the case for HEAD and range requests, for requests whose body is a file, a stream, or a multipart form
    /// (which has a different boundary each time), and for requests with a redirect policy that decides in user code.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fields: The header fields that are part of the key, besides a `Host` that names another target than the URL.
    ///   - redirects: The redirect policy. A followed redirection leads to another response than the redirection
    ///     itself.
    ///   - secretHeaders: Secret header fields besides the standard ones.
    ///   - endpoint: The name of the endpoint's type.
    ///   - isScoped: `true` if the response is stored for a scope. Otherwise `Authorization`, `Proxy-Authorization`,
    ///     `Cookie`, and the secret headers are part of the key, whatever `fields` says.
    ///   - partition: A value that separates responses besides the request, see ``Transport/cachePartition`` and
    ///     ``Interceptor/cachePartition``.
    public init?(
        _ request: HTTPRequest, fields: CachePolicy.Fields = .standard, redirects: RedirectPolicy = .follow(),
        secretHeaders: [String] = [], endpoint: String? = nil, isScoped: Bool = false, partition: String = ""
    ) {
        self.init(
            request, fields: fields, redirects: redirects, KeyFields(Redaction(secretHeaders: secretHeaders)),
            endpoint: endpoint, isScoped: isScoped, partition: partition)
    }

    /// Creates the key with a client's shared knowledge of header fields.
    init?(
        _ request: HTTPRequest, fields: CachePolicy.Fields, redirects: RedirectPolicy, _ keyFields: KeyFields,
        endpoint: String?, isScoped: Bool, partition: String
    ) {
        guard request.method != .head, !request.headers.contains("Range"), redirects.kind != .decide else { return nil }
        let contentType = request.headers[HTTPField.Name.contentType].flatMap(MIMEType.init)
        guard contentType?.type != "multipart" else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(request.url.string.utf8.count + partition.utf8.count + 192)
        // Prefixed with its length, which cannot be mistaken for a method: methods contain no colon.
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

    /// Creates the key of an entry stored by the rules of HTTP, from a text with everything that distinguishes it.
    private init(_ method: HTTPMethod, _ url: HTTPURL, _ endpoint: String?, _ text: [UInt8]) {
        (self.method, self.url, self.endpoint) = (method, url, endpoint)
        self.text = KeyText(text)
    }

    /// The digest of the key in hexadecimal digits, suitable as a name for storage.
    public var name: String { self.digest.description }

    /// The digest of everything that distinguishes the key.
    package var digest: SHA256 { self.text.digest }

    /// The approximate number of bytes of a key in memory, including the overhead of its entry and of tables.
    package var cost: Int {
        self.url.string.utf8.count + self.url.authority.utf8.count + self.text.bytes.count
            + (self.endpoint?.utf8.count ?? 0) + 256
    }

    /// Returns a Boolean value that indicates whether two keys are equal.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.text === right.text || left.text.bytes == right.text.bytes
    }

    /// Hashes the text that distinguishes the key.
    public func hash(into hasher: inout Hasher) {
        unsafe self.text.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension CacheKey: CustomStringConvertible, CustomReflectable {
    /// The method, the redacted URL, and the name.
    public var description: String { "\(self.method) \(self.url.redacted) \(self.name)" }

    /// A mirror that shows only the description.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: [self.description]) }
}

/// The text that distinguishes a key.
///
/// Its digest is computed only on demand, and only once.
private final class KeyText: Sendable {
    /// Stored as bytes because strings with different bytes may be equal.
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

/// Computes the header fields of keys, with a cache for the field list that most requests of a client share.
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

    /// Returns the fields that are part of the key, sorted by name.
    ///
    /// Fields that describe the content of a query are always included (RFC 10008 §2.7).
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
            // With lengths, because the values have not been checked for line breaks yet.
            text.add(withLength: field.name, then: ":")
            text.add(withLength: shown, then: "\n")
        }
        // Do not keep secrets in memory beyond a logout. With the standard fields all present secrets are in the text.
        if isStandard, !hasSecrets {
            let new = Known(headers: headers, text: text)
            self.last.withLock { $0 = new }
        }
        return text
    }
}

/// Appends pieces one by one, without joining them first.
extension [UInt8] {
    fileprivate mutating func add(_ text: Substring.UTF8View, then end: Unicode.Scalar) {
        // The buffer is used only within the closure, while it is valid.
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

    /// Appends the origin and the request target of a URL.
    fileprivate mutating func add(_ url: HTTPURL) {
        let layout = url.layout
        // Without user info and port, the origin and the target are adjacent.
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

// MARK: - Rules of HTTP

extension CacheKey {
    /// Creates the key of responses stored for a URL and an identity by the rules of HTTP.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``HTTPRequest/target``.
    ///   - identity: The fields that identify the sender, see ``HTTPFields/identity(_:_:)``, and those that select a
    ///     representation besides the URL.
    ///   - endpoint: The name of the endpoint's type. It does not affect equality.
    ///   - partition: A value that separates responses besides the request.
    ///   - isForPath: True if the key stands for all URLs with the same path.
    init(http url: HTTPURL, identity: HTTPFields, endpoint: String?, partition: String, isForPath: Bool = false) {
        var text = Array("HTTP ".utf8)
        text.reserveCapacity(url.string.utf8.count + partition.utf8.count + 16)
        text.add(withLength: partition, then: "\n")
        if isForPath { text.add("\(url.origin)?\(url.path)", then: "\n") } else { text.add(url) }
        for field in identity { text.add("\(field.name):\(SHA256(of: field.value))", then: "\n") }
        self.init(.get, url, endpoint, text)
    }

    /// The key of the `No-Vary-Search` values of responses stored for a path.
    func searches() -> CacheKey { self.derived("searches") }

    /// The key of responses for all URLs with this path whose queries are equivalent under a rule.
    func search(_ rule: String, _ query: String) -> CacheKey { self.derived("\(rule.utf8.count):\(rule) \(query)") }

    /// The key of responses to a `QUERY` with the given content for this URL (RFC 10008 §2.7).
    func query(_ content: SHA256) -> CacheKey {
        CacheKey(.query, self.url, self.endpoint, Array("\(self.digest) query \(content)".utf8))
    }

    /// The key of the list of query contents stored for a URL.
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
