internal import ErrandLocks

/// Checks that all requests were sent with the identity in the cache key.
final class SentIdentity: Sendable {
    /// The request of the key.
    private let request: HTTPRequest
    private let fields: CachePolicy.Fields
    private let hasScope: Bool
    private let redaction: Redaction
    private let another = AtomicFlag()

    var isAnother: Bool { self.another.isSet }

    /// - Parameters:
    ///   - request: The request of the key.
    ///   - fields: The header fields that distinguish responses.
    ///   - hasScope: True if the app sets the scope of responses, which then replaces the identity.
    ///   - redaction: Knows the names of secrets.
    init(_ request: HTTPRequest, fields: CachePolicy.Fields, hasScope: Bool, _ redaction: Redaction) {
        self.request = request
        self.fields = fields
        self.hasScope = hasScope
        self.redaction = redaction
    }

    /// Checks a request that is sent.
    func note(_ sent: HTTPRequest) {
        // A field such as `Host` selects another origin, whose response must not be stored, even with a scope.
        // Redirections to another origin do not count.
        if sent.url.hasSameOrigin(as: self.request.url), !sent.target.hasSameOrigin(as: self.request.target) {
            self.another.set()
        }
        guard !self.hasScope, self.differs(sent.headers, self.request.headers) else { return }
        let identity = sent.headers.identity(self.fields, self.redaction)
        // A request to another origin may have no identity: secrets are removed when a redirection leads there.
        if identity.isEmpty, !sent.url.hasSameOrigin(as: self.request.url) { return }
        if identity != self.request.headers.identity(self.fields, self.redaction) {
            self.another.set()
        }
    }

    /// True if identifying fields remain after the common prefix of both lists.
    ///
    /// Usually there are none.
    private func differs(_ sent: HTTPFields, _ asked: HTTPFields) -> Bool {
        let common = zip(sent, asked).prefix { $0 == $1 }.count
        return [sent, asked].contains { list in
            !HTTPFields(list.dropFirst(common)).identity(self.fields, self.redaction).isEmpty
        }
    }

    /// Checks a request changed by interceptors: a secret in its URL is an identity, too.
    func note(_ request: HTTPRequest, madeOf asked: HTTPRequest) {
        guard !self.hasScope, request.url != asked.url else { return }
        if request.url.redacted != request.url.string { self.another.set() }
    }

    /// Records that an interceptor changed the request in a way that the key does not contain.
    func noteAnother() {
        if !self.hasScope { self.another.set() }
    }
}

extension HTTPFields {
    /// Fields, in lower case, by which servers behind a proxy select another URL.
    static let selectingResources: Set<String> = [
        "forwarded", "x-forwarded-host", "x-forwarded-proto", "x-original-url", "x-rewrite-url",
    ]

    /// Returns the fields that identify the sender, sorted by name.
    ///
    /// They are credentials, cookies, fields declared as secret, and fields with the name of a secret that distinguish
    /// responses.
    ///
    /// - Parameters:
    ///   - fields: The header fields that distinguish responses.
    ///   - redaction: Knows the names of secrets.
    /// - Returns: The fields; empty for an anonymous request.
    func identity(_ fields: CachePolicy.Fields, _ redaction: Redaction) -> HTTPFields {
        HTTPFields(self.byName { redaction.mayIdentify($0, fields.count($0)) })
    }
}
