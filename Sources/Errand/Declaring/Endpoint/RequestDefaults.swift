/// The defaults from which a client makes requests, besides their endpoints; see ``Client/updateDefaults(_:)``.
public struct RequestDefaults: Sendable {
    /// The URLs that paths of endpoints are resolved against; see ``ClientConfiguration/baseURLs``.
    public var baseURLs: BaseURLs
    /// Header fields of requests that do not set them themselves; see ``ClientConfiguration/headers``.
    public var headers: HTTPFields
    /// Credentials that are sent without a challenge; see ``ClientConfiguration/credentials``.
    public var credentials: Credentials
    /// The default options; see ``ClientConfiguration/options``.
    ///
    /// The interceptors and accessories of the configuration itself always stay.
    public var options: RequestOptions
    /// The JSON settings of the client.
    package let json: JSONCoding
    /// Names of secret header fields; see ``ClientConfiguration/Credentials/secretHeaders``.
    package let secretHeaders: [String]
}

extension RequestDefaults {
    /// The credentials of a client that are sent without a challenge.
    public struct Credentials: Sendable {
        /// The credential for the origin of the main base URL; see ``ClientConfiguration/Credentials/origin``.
        ///
        /// It belongs to the origin of the base URL at the time it is set, and does not follow later changes of the
        /// base URL.
        public var origin: HTTPCredential? {
            didSet { self.place = nil }
        }
        /// Credentials for other origins; see ``ClientConfiguration/Credentials/otherOrigins``.
        public var otherOrigins: [String: HTTPCredential]
        /// The origin that ``origin`` belongs to, once it is known.
        package var place: String?

        /// Creates credentials.
        public init(origin: HTTPCredential? = nil, otherOrigins: [String: HTTPCredential] = [:]) {
            self.origin = origin
            self.otherOrigins = otherOrigins
        }

        /// A bearer token for the origin of the main base URL (RFC 6750).
        public static func bearer(_ token: String) -> Credentials { Credentials(origin: .bearer(token)) }

        /// A user and a password for the origin of the main base URL (RFC 7617).
        public static func basic(user: String, password: String) -> Credentials {
            Credentials(origin: .basic(user: user, password: password))
        }
    }
}

extension RequestDefaults {
    /// The base URLs of a client.
    ///
    /// Their origins are the client's own: the secret header fields of the client are sent only to these. A user and
    /// password in one of these URLs are the credential for its origin, unless it has another one; they are not part of
    /// the URLs of requests. A slash is appended to the path if it has none: `users` is `https://host/v1/users` for
    /// `https://host/v1`.
    public struct BaseURLs: Sendable {
        /// The default base URL; `nil` if all paths are absolute.
        public var main: String?
        /// The URL of a content delivery network, for endpoints with ``BaseURL/cdn``.
        public var cdn: String?
        /// More base URLs, by the names used with ``BaseURL/named(_:)``.
        public var named: [String: String]
        /// Filters applied to relative paths, in order, before they are resolved.
        public var pathFilters: [PathFilter]

        /// Creates base URLs.
        public init(
            main: String? = nil, cdn: String? = nil, named: [String: String] = [:], pathFilters: [PathFilter] = []
        ) {
            self.main = main
            self.cdn = cdn
            self.named = named
            self.pathFilters = pathFilters
        }
    }
}

extension RequestDefaults.BaseURLs: CustomReflectable {
    /// A mirror of the URLs without secrets.
    public var customMirror: Mirror {
        let shown = self.redacted(by: .standard)
        let children: KeyValuePairs<String, Any> = [
            "main": shown.main as Any, "cdn": shown.cdn as Any, "named": shown.named,
            "pathFilters": self.pathFilters,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }

    func redacted(by redaction: Redaction) -> Self {
        Self(
            main: self.main.map(redaction.reference), cdn: self.cdn.map(redaction.reference),
            named: self.named.mapValues(redaction.reference), pathFilters: self.pathFilters)
    }
}

extension RequestDefaults: CustomReflectable {
    /// A mirror of the defaults without secrets.
    public var customMirror: Mirror {
        let redaction = Redaction(secretHeaders: self.secretHeaders)
        let children: KeyValuePairs<String, Any> = [
            "baseURLs": self.baseURLs.redacted(by: redaction),
            "headers": self.headers.description(redactedBy: redaction),
            "credentials": self.credentials, "options": self.options,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
