/// The settings of a client; a value that is set up once, when the client is made.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") {
///     $0.options = .retries(.standard).timeout(total: .seconds(30))
///     $0.credentials = .bearer("a1b2c3")
/// }
/// ```
public struct ClientConfiguration: Sendable {
    /// The URLs that paths of endpoints are resolved against, and the filters that paths pass before.
    public var baseURLs: RequestDefaults.BaseURLs
    /// How requests are treated whose endpoints and calls do not say so.
    public var options = RequestOptions()
    /// Header fields of every request that does not set them itself.
    ///
    /// `Authorization`, `Proxy-Authorization`, `Cookie`, ``Credentials/secretHeaders`` and those that services commonly
    /// take credentials in, such as `X-Api-Key` (see ``RedirectPolicy``), go to the client's own origins only: those of
    /// ``baseURLs``. A client without base URLs has no origin of its own. An endpoint may say otherwise; see
    /// ``RequestOptions/sendingSecretsToAllOrigins(_:)-swift.type.method``.
    public var headers: HTTPFields = [:]
    /// The credentials of requests, and who answers challenges of servers.
    public var credentials = Credentials()
    /// The cookie policy; cookies are neither kept nor sent unless it is set.
    public var cookies = CookiePolicy.off
    /// The JSON of responses and bodies whose endpoints do not say how they read and write it.
    public var json = JSONCoding.standard
    /// How many requests are in flight at once, how many are sent in a time, and how large responses may be.
    public var limits = Limits()
    /// The response cache.
    ///
    /// `nil` disables caching.
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
    /// How servers are reached: rules for TLS, proxies, versions of HTTP.
    ///
    /// For the transport that the client makes. A ``transport`` that is given has settings of its own; with both, every
    /// request fails with ``ErrandError/Code/invalidConfiguration``.
    public var network = TransportSettings()
    /// The transport.
    ///
    /// `nil` uses the platform's own, which the client shuts down.
    public var transport: (any Transport)?
    /// Hooks around everything this client does, in this order.
    public var accessories: [any Accessory] = []
    /// The interceptors of every request, in this order; those of ``options`` come behind.
    public var interceptors: [any Interceptor] = []
    /// The clock, chance, the date, the network monitor and the version of the app.
    public var environment = Environment()

    /// Creates the standard configuration.
    public init(baseURL: String? = nil) {
        self.baseURLs = RequestDefaults.BaseURLs(main: baseURL)
    }
}

extension ClientConfiguration {
    /// The defaults that requests are made from, besides their endpoints.
    package var requestDefaults: RequestDefaults {
        RequestDefaults(
            baseURLs: self.baseURLs, headers: self.headers,
            credentials: RequestDefaults.Credentials(
                origin: self.credentials.origin, otherOrigins: self.credentials.otherOrigins),
            options: self.options, json: self.json, secretHeaders: self.credentials.secretHeaders)
    }

    /// Why nothing can be sent like this, if so: settings that would be passed over could be those that protect.
    package var problem: ErrandError? {
        if let problem = self.limits.problem { return problem }
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

extension ClientConfiguration: CustomReflectable {
    /// A mirror of the settings without secrets; of what an app brings along only the type.
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
