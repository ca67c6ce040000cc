extension RedirectPolicy {
    /// A response that sends a request elsewhere, and the request that would be sent there.
    public struct Redirection: Sendable {
        /// The URL that was asked for.
        public let source: HTTPURL
        /// The target of the response: its `Location`, resolved against the source, with the source's fragment unless it has
        /// one of its own (RFC 9110 §10.2.2), and without user and password.
        public let target: HTTPURL
        /// The status: 301, 302, 303, 307 or 308.
        public let status: HTTPStatus
        /// Counts the redirections of one request, from 1.
        public let hop: Int
        /// The request that would be sent: to the target, with what RFC 9110 §15.4 leaves of method, fields and content.
        ///
        /// Cookies of a store and credentials that are sent unasked are not in it; they are added for each hop.
        public let request: HTTPRequest

        /// Creates a redirection; useful to test a decision by itself.
        public init(source: HTTPURL, target: HTTPURL, status: HTTPStatus, hop: Int = 1, request: HTTPRequest) {
            self.source = source
            self.target = target
            self.status = status
            self.hop = hop
            self.request = request
        }
    }
}

extension HTTPStatus {
    /// Whether a response with this status and a `Location` is one that user agents follow (RFC 9110 §15.4).
    var isFollowable: Bool {
        switch self.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

// MARK: - The next request

extension HTTPRequest {
    /// The request that a redirection asks for; its method and content follow from the status (RFC 9110 §15.4).
    ///
    /// - Parameters:
    ///   - target: Where it goes.
    ///   - status: The status of the response that says so.
    ///   - credentials: The fields that must not reach another origin.
    /// - Returns: The request.
    func redirected(
        to target: HTTPURL, by status: HTTPStatus, without credentials: CredentialFields
    ) -> HTTPRequest {
        var next = self
        next.url = target
        if status.asksForRetrieval(after: self.method) {
            if self.method != .head { next.method = .get }
            next.dropContent()
        }
        if !target.hasSameOrigin(as: self.url) {
            next.headers = HTTPFields(next.headers.filter { !$0.isOfOrigin(credentials) })
        }
        return next
    }

    /// Removes the secrets that were not set anew for another origin.
    func withoutSecrets(inheritedFrom source: HTTPRequest, _ credentials: CredentialFields) -> HTTPRequest {
        guard !self.url.hasSameOrigin(as: source.url) else { return self }
        var kept = self
        kept.headers = HTTPFields(
            self.headers.filter { field in
                !field.isOfOrigin(credentials)
                    || self.headers.values(for: field.name) != source.headers.values(for: field.name)
            })
        return kept
    }

    private mutating func dropContent() {
        self.body = .none
        self.headers = self.headers.withoutContent
    }
}

extension HTTPFields {
    /// Fields about a content, besides those that say so in their name (RFC 9110 §15.4).
    private static let ofContent = [
        "Digest", "Repr-Digest", "Last-Modified", "Trailer", HTTPField.Name.expect, HTTPField.Name.transferEncoding,
    ]

    /// The fields but those about a content.
    var withoutContent: HTTPFields {
        HTTPFields(
            self.filter { field in
                !field.name.startsWithContent && !Self.ofContent.contains { field.isNamed($0) }
            })
    }
}

extension HTTPField {
    /// Whether it is meant for one origin only: credentials, and the name of the host.
    fileprivate func isOfOrigin(_ credentials: CredentialFields) -> Bool {
        credentials.contain(self.name) || self.isNamed(HTTPField.Name.host)
    }
}

extension HTTPStatus {
    /// Whether what is sent next is a `GET` or `HEAD` without content.
    fileprivate func asksForRetrieval(after method: HTTPMethod) -> Bool {
        switch self.code {
        case 303: true
        case 301, 302: method == .post
        default: false
        }
    }
}

extension HTTPURL {
    /// Tells whether two URLs have the same scheme, host and port (RFC 9110 §4.3.1).
    func hasSameOrigin(as other: HTTPURL) -> Bool {
        self.isSecure == other.isSecure && self.authority == other.authority
    }
}

extension HTTPRequest.Body {
    /// Whether it can be sent a second time.
    var isRepeatable: Bool {
        switch self {
        case .none, .bytes, .file: true
        case .stream(let stream, _): stream.isRepeatable
        }
    }
}

extension String {
    fileprivate var startsWithContent: Bool {
        let prefix = "content-".utf8
        return self.utf8.count > prefix.count && zip(self.utf8, prefix).allSatisfy { $0.asciiLowercase == $1 }
    }
}
