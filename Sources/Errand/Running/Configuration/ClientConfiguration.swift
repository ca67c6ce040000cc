/// The settings of a client, a value that is prepared once before the client is created.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") {
///     $0.options = .retries(.standard).timeout(total: .seconds(30))
///     $0.credentials = .bearer("a1b2c3")
/// }
/// ```
public struct ClientConfiguration: Sendable {
    /// The URLs against which endpoint paths are resolved, and the filters applied to paths before.
    public var baseURLs: RequestDefaults.BaseURLs
    /// The default options of requests, used where endpoints and calls do not set them.
    public var options = RequestOptions()
    /// The header fields of every request that does not set them itself.
    ///
    /// `Authorization`, `Proxy-Authorization`, `Cookie`, ``Credentials/secretHeaders``, and common fields for
    /// credentials such as `X-Api-Key` (see ``RedirectPolicy``) are sent to the client's own origins only: those of
    /// ``baseURLs``. A client without base URLs has no origin of its own. Endpoints can override this; see
    /// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``.
    public var headers: HTTPFields = [:]
    /// The credentials of requests, and the authenticator for challenges.
    public var credentials = Credentials()
    /// The cookie policy.
    ///
    /// By default cookies are neither stored nor sent.
    public var cookies = CookiePolicy.off
    /// The JSON coding of responses and bodies whose endpoints do not set their own.
    public var json = JSONCoding.standard
    /// The limits for concurrent requests, for the request rate, and for the size of responses.
    public var limits = Limits()
    /// The response cache.
    ///
    /// `nil` disables caching.
    ///
    /// Defaults to ``TieredCache/standard``, on disk. If a ``transport`` is set, defaults to a memory cache, so that a
    /// test double's response in one test does not become the response in the next.
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
    /// The network settings: TLS, proxies, and HTTP versions.
    ///
    /// They apply to the transport that the client creates. A custom ``transport`` has its own settings; if both are
    /// set, every request fails with ``ErrandError/Code/invalidConfiguration``.
    public var network = TransportSettings()
    /// The transport.
    ///
    /// `nil` uses the platform's own, which the client shuts down.
    public var transport: (any Transport)?
    /// The accessories that observe all requests of this client, in this order.
    public var accessories: [any Accessory] = []
    /// The interceptors of every request, in this order, followed by those of ``options``.
    public var interceptors: [any Interceptor] = []
    /// The clock, random numbers, date, network monitor, and app version.
    public var environment = Environment()

    /// Creates the standard configuration.
    public init(baseURL: String? = nil) {
        self.baseURLs = RequestDefaults.BaseURLs(main: baseURL)
    }
}

extension ClientConfiguration {
    /// The defaults from which requests are made, besides their endpoints.
    package var requestDefaults: RequestDefaults {
        RequestDefaults(
            baseURLs: self.baseURLs, headers: self.headers,
            credentials: RequestDefaults.Credentials(
                origin: self.credentials.origin, otherOrigins: self.credentials.otherOrigins),
            options: self.options, json: self.json, secretHeaders: self.credentials.secretHeaders)
    }

    /// The error for contradictory settings, if any.
    ///
    /// Ignored settings could be ones that provide security.
    package var problem: ErrandError? {
        if let problem = self.limits.problem { return problem }
        guard let transport = self.transport, self.network != TransportSettings() else { return nil }
        return ErrandError(
            .invalidConfiguration,
            """
            network configures the transport that the client creates, but a \(type(of: transport)) is set: configure \
            that transport instead, or leave out one of the two
            """)
    }
}

// MARK: - Printing

extension ClientConfiguration: CustomReflectable {
    /// A mirror of the settings without secrets, with only the types of custom objects.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "defaults": self.requestDefaults, "credentials": self.credentials, "cookies": self.cookies.isOn,
            "limits": self.limits, "cache": self.cache.map { type(of: $0) } as Any, "network": self.network,
            "transport": self.transport.map { type(of: $0) } as Any,
            "accessories": self.accessories.map { type(of: $0) },
            "interceptors": self.interceptors.map { type(of: $0) }, "environment": self.environment,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension CookiePolicy {
    fileprivate var isOn: Bool {
        if case .off = self { false } else { true }
    }
}
