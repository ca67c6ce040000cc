internal import ErrandLocks

/// Knows whether everything that was sent went out as the one whom the key of a cache knows.
final class SentIdentity: Sendable {
    /// The request that the key is of.
    private let request: HTTPRequest
    private let fields: CachePolicy.Fields
    private let hasScope: Bool
    private let redaction: Redaction
    private let another = AtomicFlag()

    var isAnother: Bool { self.another.isSet }

    /// - Parameters:
    ///   - request: The request that the key is of.
    ///   - fields: Which of its header fields count.
    ///   - hasScope: Whether the app says whom a response is for: then it is for them whoever was sent.
    ///   - redaction: Knows the names of secrets.
    init(_ request: HTTPRequest, fields: CachePolicy.Fields, hasScope: Bool, _ redaction: Redaction) {
        self.request = request
        self.fields = fields
        self.hasScope = hasScope
        self.redaction = redaction
    }

    /// Something is sent.
    func note(_ sent: HTTPRequest) {
        // That of another tenant is for nobody else, whoever asks. A redirection to another origin has none of it.
        if sent.url.hasSameOrigin(as: self.request.url), !sent.target.hasSameOrigin(as: self.request.target) {
            self.another.set()
        }
        guard !self.hasScope, self.differs(sent.headers, self.request.headers) else { return }
        let identity = sent.headers.identity(self.fields, self.redaction)
        // On another origin it may be nobody: what is secret stays behind when a redirection leads there.
        if identity.isEmpty, !sent.url.hasSameOrigin(as: self.request.url) { return }
        if identity != self.request.headers.identity(self.fields, self.redaction) {
            self.another.set()
        }
    }

    /// Whether there is a field that says who asks behind those with which both begin: for the most part nothing is.
    private func differs(_ sent: HTTPFields, _ asked: HTTPFields) -> Bool {
        let common = zip(sent, asked).prefix { $0 == $1 }.count
        return [sent, asked].contains { list in
            !HTTPFields(list.dropFirst(common)).identity(self.fields, self.redaction).isEmpty
        }
    }

    /// Interceptors have made this of a request: a secret in the URL says who asks as well.
    func note(_ request: HTTPRequest, madeOf asked: HTTPRequest) {
        guard !self.hasScope, request.url != asked.url else { return }
        if request.url.redacted != request.url.string { self.another.set() }
    }

    /// An interceptor has made another request of one, and the key does not say so.
    func noteAnother() {
        if !self.hasScope { self.another.set() }
    }
}

extension HTTPFields {
    /// Fields, named in lower case, by which servers behind a proxy take a request for one to another URL.
    static let selectingResources: Set<String> = [
        "forwarded", "x-forwarded-host", "x-forwarded-proto", "x-original-url", "x-rewrite-url",
    ]

    /// The fields that say who asks, by name: credentials, cookies, those that were named as secret, and of those with
    /// the name of a secret the ones that tell answers apart.
    ///
    /// - Parameters:
    ///   - fields: Which header fields tell answers apart.
    ///   - redaction: Knows the names of secrets.
    /// - Returns: Those fields; none for nobody.
    func identity(_ fields: CachePolicy.Fields, _ redaction: Redaction) -> HTTPFields {
        HTTPFields(self.byName { redaction.mayIdentify($0, fields.count($0)) })
    }
}
