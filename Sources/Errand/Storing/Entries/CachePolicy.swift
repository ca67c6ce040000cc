/// Whether and for how long the response of an endpoint may come from the cache.
public struct CachePolicy: Sendable, Hashable {
    /// How old a stored response may be; `nil` when none is stored or used, and neither when it is zero or less.
    public var lifetime: Duration?
    /// What the app counts up when answers that are stored do not fit any more.
    public var version: Int
    /// Whom the response is for, such as the id of the user: one that was stored for somebody else is not used.
    ///
    /// It is compared, and never stored in the clear. The answer of the one who asked last is the one that is kept.
    public var scope: String?
    /// Which header fields tell answers apart; for ``http`` the responses say that themselves.
    public var fields: CachePolicy.Fields
    /// How stale a response may be that is used where the network fails, by the rules of HTTP; see ``http``.
    public var staleIfError: Duration?
    /// Who says what may be stored and used.
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

    /// Always ask the network, store nothing.
    public static let never = CachePolicy()

    /// Store and use responses as they say themselves, as a private cache does (RFC 9111); see <doc:HTTPCaching>.
    ///
    /// A response belongs to who asked: one that was stored for a request with another `Authorization`, `Cookie` or
    /// secret header is not used, unless a ``scope`` says whom responses are for.
    public static let http = CachePolicy(authority: .http)

    /// Like ``http``, and where the network fails a response is used that has not been stale for longer than this.
    ///
    /// That is what a response allows by itself with `stale-if-error` (RFC 5861 §4), for all of them. Those that say
    /// `must-revalidate` or `no-cache` are not used.
    public static func http(staleIfError: Duration, scope: String? = nil) -> CachePolicy {
        var policy = CachePolicy(scope: scope, authority: .http)
        policy.staleIfError = staleIfError
        return policy
    }

    /// Answer from the cache while the stored response is not older than this; store what the network answers.
    ///
    /// Answers are told apart by what the endpoint declares: method, URL, parameters, header fields and body; see
    /// ``CacheKey``. What interceptors add later does not count: without a scope no answer is stored to a request that
    /// went out with another `Authorization`, `Cookie` or secret header than its key knows.
    ///
    /// - Parameters:
    ///   - lifetime: How old a response may be; zero or less is like ``never``.
    ///   - version: Answers stored under another version are not used.
    ///   - scope: Whom the response is for; one that was stored for another scope is not used.
    ///   - fields: Which header fields tell answers apart.
    /// - Returns: The policy.
    public static func fresh(
        for lifetime: Duration, version: Int = 0, scope: String? = nil, fields: CachePolicy.Fields = .standard
    ) -> CachePolicy {
        CachePolicy(lifetime: lifetime, version: version, scope: scope, fields: fields)
    }

    /// Tells whether answers are stored, and used while they are fresh.
    package var storesAnswers: Bool { self.lifetime.map { $0 > .zero } ?? false }
}

extension CachePolicy {
    /// Which header fields of a request tell its responses apart.
    public struct Fields: Sendable, Hashable {
        private let names: Set<String>
        private let areOnly: Bool

        private init(_ names: some Sequence<String>, areOnly: Bool) {
            self.names = Set(names.map { $0.asciiLowercased() })
            self.areOnly = areOnly
        }

        /// Fields that say who asks, how, or along which way, and not for what.
        private static let idle = [
            "Baggage", "Cache-Control", "Connection", "Content-Length", "Date", "DNT", "Expect", "Idempotency-Key",
            "Keep-Alive", "Pragma", "Priority", "Referer", "Sec-GPC", "TE", "Traceparent", "Tracestate",
            "Transfer-Encoding", "Upgrade-Insecure-Requests", "User-Agent", "X-Correlation-ID", "X-Request-ID",
        ]

        /// All but those that select no representation, such as `User-Agent`, `Traceparent` and `X-Request-ID`.
        public static let standard = CachePolicy.Fields(Self.idle, areOnly: false)

        /// The ``standard`` ones without some more that change from request to request.
        public static func standard(without names: String...) -> CachePolicy.Fields {
            CachePolicy.Fields(Self.idle + names, areOnly: false)
        }

        /// These and no others.
        public static func only(_ names: String...) -> CachePolicy.Fields {
            CachePolicy.Fields(names, areOnly: true)
        }

        /// Tells whether a field, named in lower case, counts.
        func count(_ name: String) -> Bool {
            self.names.contains(name) == self.areOnly
        }
    }
}
