/// A policy for storing and using the responses of an endpoint.
public struct CachePolicy: Sendable, Hashable {
    /// The maximum age of a cached response.
    ///
    /// If it is `nil`, zero, or negative, responses are neither stored nor used.
    public var lifetime: Duration?
    /// A version of the stored data.
    ///
    /// Increase it when stored responses no longer fit the app.
    public var version: Int
    /// The scope of the response, such as a user ID.
    ///
    /// A response stored for another scope is not used. The scope is stored only as a salted digest. Only the response
    /// of the most recent request is kept, whatever its scope.
    public var scope: String?
    /// The header fields that distinguish responses.
    ///
    /// For ``http`` the responses determine them with `Vary`.
    public var fields: CachePolicy.Fields
    /// The maximum staleness of a response used if the network fails, by the rules of HTTP; see ``http``.
    public var staleIfError: Duration?
    /// The authority for storing and using responses.
    let authority: Authority

    enum Authority: Sendable, Hashable {
        /// The app.
        case app
        /// The responses, by RFC 9111.
        case http
    }

    private init(
        lifetime: Duration? = nil, version: Int = 0, scope: String? = nil, fields: CachePolicy.Fields = .standard,
        authority: Authority = .app
    ) {
        self.lifetime = lifetime
        self.version = version
        self.scope = scope
        self.fields = fields
        self.authority = authority
    }

    /// Always uses the network, and stores no responses.
    public static let never = CachePolicy()

    /// Stores and uses responses as a private cache does according to their header fields (RFC 9111); see
    /// <doc:HTTPCaching>.
    ///
    /// A response is used only for the identity that requested it: a response stored for a request with another
    /// `Authorization`, `Cookie`, or secret header is not used, unless a ``scope`` is set.
    public static let http = CachePolicy(authority: .http)

    /// Like ``http``, and uses responses that have been stale for no longer than the given time if the network fails.
    ///
    /// A response can allow this itself with `stale-if-error` (RFC 5861 §4); the policy allows it for all responses.
    /// Responses with `must-revalidate` or `no-cache` are not used.
    public static func http(staleIfError: Duration, scope: String? = nil) -> CachePolicy {
        var policy = CachePolicy(scope: scope, authority: .http)
        policy.staleIfError = staleIfError
        return policy
    }

    /// Uses a cached response that is not older than the given lifetime, and stores responses from the network.
    ///
    /// Responses are distinguished by the request that the endpoint declares: method, URL, parameters, header fields,
    /// and body; see ``CacheKey``. Fields added by interceptors do not count: without a scope, no response is stored if
    /// the request was sent with another `Authorization`, `Cookie`, or secret header than its key contains.
    ///
    /// - Parameters:
    ///   - lifetime: The maximum age of a response. Zero or less has the effect of ``never``.
    ///   - version: The version of the stored data. Responses stored under another version are not used.
    ///   - scope: The scope of the response. Responses stored for another scope are not used.
    ///   - fields: The header fields that distinguish responses.
    /// - Returns: The policy.
    public static func fresh(
        for lifetime: Duration, version: Int = 0, scope: String? = nil, fields: CachePolicy.Fields = .standard
    ) -> CachePolicy {
        CachePolicy(lifetime: lifetime, version: version, scope: scope, fields: fields)
    }

    /// True if responses are stored, and used while they are fresh.
    package var storesAnswers: Bool { self.lifetime.map { $0 > .zero } ?? false }
}

extension CachePolicy {
    /// The header fields of a request that distinguish its responses.
    public struct Fields: Sendable, Hashable {
        private let names: Set<String>
        private let areOnly: Bool

        private init(_ names: some Sequence<String>, areOnly: Bool) {
            self.names = Set(names.map { $0.asciiLowercased() })
            self.areOnly = areOnly
        }

        /// Request fields that do not select a representation.
        private static let idle = [
            "Baggage", "Cache-Control", "Connection", "Content-Length", "Date", "DNT", "Expect", "Idempotency-Key",
            "Keep-Alive", "Pragma", "Priority", "Referer", "Sec-GPC", "TE", "Traceparent", "Tracestate",
            "Transfer-Encoding", "Upgrade-Insecure-Requests", "User-Agent", "X-Correlation-ID", "X-Request-ID",
        ]

        /// All fields except those that do not select a representation, such as `User-Agent`, `Traceparent`, and
        /// `X-Request-ID`.
        public static let standard = CachePolicy.Fields(Self.idle, areOnly: false)

        /// The ``standard`` fields except the given ones, which change from request to request.
        public static func standard(without names: String...) -> CachePolicy.Fields {
            CachePolicy.Fields(Self.idle + names, areOnly: false)
        }

        /// Only the given fields.
        public static func only(_ names: String...) -> CachePolicy.Fields {
            CachePolicy.Fields(names, areOnly: true)
        }

        /// Returns true if a field, given in lower case, distinguishes responses.
        func count(_ name: String) -> Bool {
            self.names.contains(name) == self.areOnly
        }
    }
}
