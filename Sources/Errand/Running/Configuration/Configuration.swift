public import Foundation

/// The settings of a client; a value that is set up once, when the client is made.
public struct Configuration: Sendable {
    /// The URL that paths of endpoints are resolved against; `nil` when all of them are absolute.
    ///
    /// Its origin is one of the client's own, as are those of ``cdnURL`` and ``baseURLs``: what is secret in
    /// ``headers`` goes there and nowhere else. User and password in one of these URLs are the credential for its
    /// origin, unless it has another one; they are not a part of the URLs of requests.
    ///
    /// Its path gets a slash at the end if it has none: `users` is `https://host/v1/users` for `https://host/v1`.
    public var baseURL: String?
    /// The same for endpoints that say ``Endpoint/usesCDN``: that of a content delivery network.
    public var cdnURL: String?
    /// More base URLs, by the names that endpoints pick them by; see ``Endpoint/baseURL``.
    public var baseURLs: [String: String] = [:]
    /// Filters applied to paths of endpoints, in order, before they are resolved against a base URL of the client's.
    public var pathFilters: [PathFilter] = []
    /// The encoding of parameters, for endpoints that do not say so.
    public var parameterEncoding = ParameterEncoding.standard
    /// Header fields of every request that does not set them itself.
    ///
    /// `Authorization`, `Proxy-Authorization`, `Cookie`, ``secretHeaders`` and those that services commonly take
    /// credentials in, such as `X-Api-Key` (see ``RedirectPolicy``), go to the client's own origins only: those of
    /// ``baseURL``, ``cdnURL`` and ``baseURLs``. A client without any of these has no origin of its own. An endpoint may
    /// say otherwise; see ``Endpoint/sendsSecretsElsewhere``.
    public var headers: HTTPFields = [:]
    /// Header fields of every request that has them neither from its endpoint nor from ``headers``.
    public var defaultHeaders = DefaultHeaders.standard
    /// Names of header fields that must not get to other origins, besides those that carry credentials everywhere.
    ///
    /// A redirection does not take them there, and ``headers`` of these names go to the client's own origins only. So it
    /// is with `Authorization`, `Proxy-Authorization`, `Cookie` and those that services commonly take credentials in
    /// (see ``RedirectPolicy``) anyway; name all others that are secret, such as `X-Tenant-Secret`. Nor do fields of
    /// these names get into logs, an error (``ErrandError/Context``) or a command
    /// (``Client/curlCommand(for:showingSecrets:)``), and each value has stored responses of its own.
    public var secretHeaders: [String] = []
    /// The policy for redirections, for endpoints that do not say so.
    public var redirects = RedirectPolicy.follow()
    /// Whether cookies are kept and sent back.
    public var cookies = CookiePolicy.off
    /// The credential that requests to the origin of the base URL carry without being asked.
    ///
    /// A request that has an `Authorization` of its own keeps that. One that cannot be sent, or that has no base URL to
    /// belong to, fails each request. It stays with the origin that the base URL has here: a base URL that is set later
    /// does not take it along. It can be changed later, see ``Client/updateDefaults(_:)``.
    public var credential: Credential?
    /// Credentials for other origins, by origin such as `https://files.example.com`; carried like ``credential``.
    public var credentials: [String: Credential] = [:]
    /// Answers the challenges of servers; nothing delivers a 401 as the response.
    public var authenticator: (any Authenticator)?
    /// Which networks may be used by requests whose endpoints do not say so.
    public var allowedNetworks = AllowedNetworks.all
    /// Whether requests whose endpoints do not say so wait where there is no network.
    public var connectivity = ConnectivityPolicy.fail
    /// After which failures requests are sent again whose endpoints do not say so; never unless said otherwise.
    public var retries = RetryPolicy.never
    /// When requests whose endpoints do not say so are sent once more while they wait for the response; never unless said
    /// otherwise.
    public var hedging = HedgePolicy.never
    /// The limit of retries that all requests to one host make together, and of second exchanges by ``hedging``.
    public var retryBudget = RetryBudget.standard
    /// Whether equal requests that are under way at once share one exchange, for endpoints that do not say so; never unless
    /// said otherwise.
    public var coalescesRequests = false
    /// When requests to an origin that fails are not sent any more; `nil` sends them all.
    public var circuitBreaker: CircuitBreaker?
    /// The monitor that knows whether there is a network.
    public var pathMonitor: any PathMonitor = SystemPathMonitor.shared
    /// Settings of connections: rules for TLS, proxies, versions of HTTP.
    ///
    /// For the transport that the client makes. A ``transport`` that is given has settings of its own; with both, every
    /// request fails with ``ErrandError/Code/invalidConfiguration``.
    public var network = TransportSettings()
    /// The transport; `nil` uses the best one of the platform, owned by the client.
    public var transport: (any Transport)?
    /// Hooks around everything this client does, in this order.
    public var accessories: [any Accessory] = []
    /// Interceptors that every request passes on its way out, in this order.
    public var interceptors: [any Interceptor] = []
    /// Limits of the requests with the transport at once.
    public var limits = Scheduler.Limits()
    /// Limits for each host that are found out, within ``limits``; `nil` goes by those alone.
    public var adaptiveConcurrency: AdaptiveConcurrency?
    /// Rates of requests; without a limit unless said otherwise.
    public var rates = RateLimits()
    /// The deadlines of requests whose endpoints set none.
    ///
    /// `timeouts.total = .seconds(30)` leaves the others as they are; `timeouts = Timeouts(total: .seconds(30))` does
    /// not.
    public var timeouts = Timeouts.standard
    /// The header field that tells servers how much of ``Timeouts/total`` is left; `nil` tells them nothing.
    public var deadlineHeader: DeadlineHeader?
    /// The most bytes that a response body may have in memory, decompressed.
    public var responseBodyLimit = 64 << 20
    /// The most bytes of bodies of all requests of the client in a second; `nil` is no limit.
    public var bandwidth: BandwidthLimit?
    /// The response cache, for endpoints that allow it; `nil` disables caching.
    ///
    /// Unless it is set this is ``TieredCache/standard``, on disk. With a ``transport`` that is given it is a cache in
    /// memory: what a double answered in one test must not be the response in the next.
    public var cache: (any ResponseCache)? {
        get {
            switch self.cacheChoice {
            case .made(let cache): cache
            case .standard(let memory): self.transport == nil ? TieredCache.standard : memory
            }
        }
        set { self.cacheChoice = .made(newValue) }
    }
    private var cacheChoice = CacheChoice.standard(memory: MemoryCache())

    private enum CacheChoice: Sendable {
        case standard(memory: MemoryCache)
        case made((any ResponseCache)?)
    }
    /// Whether responses may come from the cache for endpoints that do not say so; never unless said otherwise.
    public var caching = CachePolicy.never
    /// The version of the app: answers that another version stored are not used.
    ///
    /// That of the bundle, where there is one. Nothing is a version, too: of an app that does not say.
    public var appVersion = Self.bundleVersion
    /// The clock of all deadlines and timings.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The source of chance, for delays that differ from those of others.
    public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    /// The wall clock, for the age of cached answers and for moments that servers name.
    public var date: @Sendable () -> Date = { Date() }

    private static let bundleVersion =
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String

    /// Creates the standard configuration.
    public init(baseURL: String? = nil) {
        self.baseURL = baseURL
    }

    /// Creates the standard configuration with a base URL of Foundation's.
    public init(baseURL: URL) {
        self.init(baseURL: baseURL.absoluteString)
    }
}

extension Configuration {
    /// The defaults that requests are made from, besides their endpoints.
    package var requestDefaults: RequestDefaults {
        RequestDefaults(
            baseURL: self.baseURL, cdnURL: self.cdnURL, baseURLs: self.baseURLs, pathFilters: self.pathFilters,
            headers: self.headers, defaultHeaders: self.defaultHeaders, credential: self.credential,
            credentials: self.credentials, parameterEncoding: self.parameterEncoding,
            allowedNetworks: self.allowedNetworks, secretHeaders: self.secretHeaders)
    }

    /// Which number or time means nothing, if one does.
    private var problemOfNumbers: ErrandError? {
        self.limits.problem ?? self.rates.problem ?? self.timeouts.problem ?? self.retries.problem
            ?? self.hedging.problem ?? self.retryBudget.problem ?? self.circuitBreaker?.problem
            ?? self.adaptiveConcurrency?.problem
            ?? ErrandError.setting(
                "responseBodyLimit", self.responseBodyLimit, isPossible: self.responseBodyLimit >= 0, "0 or more bytes")
    }

    /// Why nothing can be sent like this, if so: settings that would be passed over could be those that protect.
    package var problem: ErrandError? {
        if let problem = self.problemOfNumbers { return problem }
        if let header = self.deadlineHeader, !header.name.isHTTPToken {
            return ErrandError(
                .invalidConfiguration, "deadlineHeader has the name \"\(header.name)\", which is none of a header field"
            )
        }
        guard let transport = self.transport, self.network != TransportSettings() else { return nil }
        return ErrandError(
            .invalidConfiguration,
            """
            network is for the transport that the client makes, and there is a \(type(of: transport)): give the settings \
            to that one, or leave out one of the two
            """)
    }
}

// MARK: - Printing

extension Configuration: CustomReflectable {
    /// A mirror of the settings without secrets; of what an app brings along only the type.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "defaults": self.requestDefaults, "secretHeaders": self.secretHeaders, "redirects": self.redirects,
            "cookies": self.cookies.isOn, "authenticator": self.authenticator.map { type(of: $0) } as Any,
            "network": self.network, "transport": self.transport.map { type(of: $0) } as Any,
            "accessories": self.accessories.map { type(of: $0) },
            "interceptors": self.interceptors.map { type(of: $0) },
            "limits": self.limits, "timeouts": self.timeouts, "retries": self.retries, "retryBudget": self.retryBudget,
            "hedging": self.hedging,
            "coalescesRequests": self.coalescesRequests, "circuitBreaker": self.circuitBreaker as Any,
            "rates": self.rates, "adaptiveConcurrency": self.adaptiveConcurrency as Any,
            "deadlineHeader": self.deadlineHeader as Any,
            "responseBodyLimit": self.responseBodyLimit,
            "cache": self.cache.map { type(of: $0) } as Any, "appVersion": self.appVersion as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension CookiePolicy {
    fileprivate var isOn: Bool {
        if case .off = self { false } else { true }
    }
}
