extension RedirectPolicy {
    /// A redirect response, and the request that would follow it.
    public struct Redirection: Sendable {
        /// The URL of the redirected request.
        public let source: HTTPURL
        /// The target: the `Location`, resolved against the source, with the source's fragment unless it has its own
        /// (RFC 9110 §10.2.2), and without user and password.
        public let target: HTTPURL
        /// The status: 301, 302, 303, 307 or 308.
        public let status: HTTPStatus
        /// The number of the redirect in the request, from 1.
        public let hop: Int
        /// The request to the target, with method, fields and content as RFC 9110 §15.4 says.
        ///
        /// Cookies of a store and credentials sent without a challenge are not included; they are added for each hop.
        public let request: HTTPRequest

        /// Creates a redirect; useful to test a decision in isolation.
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
    /// True if a response with this status and a `Location` is one that user agents follow (RFC 9110 §15.4).
    var isFollowable: Bool {
        switch self.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

// MARK: - The next request

extension HTTPRequest {
    /// Returns the request that follows a redirect, with method and content by its status (RFC 9110 §15.4).
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - status: The status of the redirect.
    ///   - credentials: The fields that must not be sent to another origin.
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

    /// Returns the request for another origin without the secrets inherited from the source.
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
    /// Fields about content, besides those with the prefix `Content-` (RFC 9110 §15.4).
    private static let ofContent = [
        "Digest", "Repr-Digest", "Last-Modified", "Trailer", HTTPField.Name.expect, HTTPField.Name.transferEncoding,
    ]

    /// The fields except those about content.
    var withoutContent: HTTPFields {
        HTTPFields(
            self.filter { field in
                !field.name.startsWithContent && !Self.ofContent.contains { field.isNamed($0) }
            })
    }
}

extension HTTPField {
    /// True if the field is for one origin only: a credential, or the host name.
    fileprivate func isOfOrigin(_ credentials: CredentialFields) -> Bool {
        credentials.contain(self.name) || self.isNamed(HTTPField.Name.host)
    }
}

extension HTTPStatus {
    /// True if the redirect is followed with a `GET` or `HEAD` without content.
    fileprivate func asksForRetrieval(after method: HTTPMethod) -> Bool {
        switch self.code {
        case 303: true
        case 301, 302: method == .post
        default: false
        }
    }
}

extension HTTPURL {
    /// Returns true if two URLs have the same scheme, host and port (RFC 9110 §4.3.1).
    func hasSameOrigin(as other: HTTPURL) -> Bool {
        self.isSecure == other.isSecure && self.authority == other.authority
    }
}

extension HTTPRequest.Body {
    /// True if the body can be sent a second time.
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
