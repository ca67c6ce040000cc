/// The effective options of a request: those of its client, its endpoint and its call, merged.
package struct EffectiveOptions: Sendable {
    private var caching = CachePolicy.never
    private(set) var cacheParameters: Parameters?
    private(set) var cacheUse = CacheUse.use
    package private(set) var timeouts = Timeouts.standard
    package private(set) var retries = RetryPolicy.never
    private(set) var hedging = HedgePolicy.never
    package private(set) var redirects = RedirectPolicy.follow()
    private(set) var isCoalesced = false
    private(set) var circuitBreaker: CircuitBreaker?
    private(set) var connectivity = ConnectivityPolicy.fail
    package private(set) var networks = AllowedNetworks.all
    private(set) var priority = RequestPriority.normal
    private(set) var bandwidth: [BandwidthLimit] = []
    package private(set) var credential: HTTPCredential?
    /// `true` for a credential that goes to the client's own origins only.
    private(set) var credentialStaysHome = false
    package private(set) var usesCredentials = true
    package private(set) var sendsSecretsToAllOrigins = false
    package private(set) var interceptors: [any Interceptor] = []
    package private(set) var accessories: [any Accessory] = []
    private(set) var uploadResumption = UploadResumption.never
    private(set) var destination = ResponseDestination.memory
    private(set) var parameterEncoding = ParameterEncoding.standard
    private(set) var defaultHeaders = DefaultHeaders.standard
    package private(set) var omittedHeaders: [String] = []
    private(set) var deadlineHeader: DeadlineHeader?
    package private(set) var tag: String?
    package private(set) var userInfo: [String: any Sendable] = [:]
    /// The name of the request, which replaces that of its endpoint's type.
    package private(set) var name: String?
    /// The value of `Accept`, which replaces that of the decoder.
    private(set) var accept: String?
    /// The time at which the request that started a shared exchange times out, on the client's clock.
    private(set) var due: Duration?
    /// The reason for which the options are invalid, if they are.
    private var refusal: String?

    package init() {}

    /// Creates the options of the outermost scope.
    package init(_ options: RequestOptions) {
        self.merge(options)
    }

    /// Merges the options of a narrower scope.
    package mutating func merge(_ options: RequestOptions) {
        for part in options.parts { self.take(part) }
    }

    private mutating func take(_ part: RequestOptions.Part) {
        switch part {
        case .caching(let policy): self.caching = policy
        case .cacheParameters(let parameters): self.cacheParameters = parameters
        case .cacheUse(let use): self.cacheUse = use
        case .timeout(let timeout, let limit): self.timeouts[timeout] = limit
        case .retries(let policy): self.retries = policy
        case .hedging(let policy): self.hedging = policy
        case .redirects(let policy): self.redirects = policy
        case .coalescing(let isOn): self.isCoalesced = isOn
        case .circuitBreaker(let breaker): self.circuitBreaker = breaker
        case .connectivity(let policy): self.connectivity = policy
        case .networks(let networks): self.networks = networks
        case .priority(let priority): self.priority = priority
        case .bandwidth(let limit):
            if !self.bandwidth.contains(where: { $0 === limit }) { self.bandwidth.append(limit) }
        case .credentials(let use): self.take(use)
        case .sendsSecretsToAllOrigins(let isOn): self.sendsSecretsToAllOrigins = isOn
        case .interceptors(let interceptors): self.interceptors += interceptors
        case .accessories(let accessories): self.accessories += accessories
        case .uploadResumption(let resumption): self.uploadResumption = resumption
        case .destination(let destination): self.destination = destination
        case .parameterEncoding(let encoding): self.parameterEncoding = encoding
        case .defaultHeaders(let headers): self.defaultHeaders = headers
        case .omittedHeaders(let names):
            self.omittedHeaders += names
            if names.contains(where: { $0.isEqualIgnoringASCIICase(to: HTTPField.Name.authorization) }) {
                self.usesCredentials = false
            }
        case .deadlineHeader(let header): self.deadlineHeader = header
        case .tag(let tag): self.tag = tag
        case .userInfo(let values): self.userInfo.merge(values) { $1 }
        case .name(let name): self.name = name
        case .accept(let value): self.accept = value
        case .refused(let problem): self.refusal = self.refusal ?? problem
        }
    }

    private mutating func take(_ use: CredentialUse) {
        self.usesCredentials = false
        switch use.kind {
        case .none: self.credential = nil
        case .own(let credential, let staysHome):
            (self.credential, self.credentialStaysHome) = (credential, staysHome)
        }
    }

    /// Returns the options of the exchange that equal requests share, without the individual ones.
    ///
    /// - Parameters:
    ///   - priority: The priority of the request that starts it.
    ///   - due: The time at which that request times out, on the client's clock.
    /// - Returns: The options.
    func shared(at priority: RequestPriority, due: Duration?) -> EffectiveOptions {
        var options = self
        options.due = due
        (options.caching, options.cacheParameters, options.cacheUse) = (.never, nil, .use)
        (options.isCoalesced, options.accessories, options.priority) = (false, [], priority)
        // Individual for each request.
        options.timeouts.total = nil
        // The request has the credential already.
        options.credential = nil
        return options
    }

    /// The options that have to be equal for requests to share an exchange, besides their ``CacheKey``: all that
    /// ``shared(at:due:)`` keeps.
    struct SharedRules: Hashable {
        let timeouts: Timeouts
        let retries: RetryPolicy
        let hedging: HedgePolicy
        let redirectLimit: Int
        let circuitBreaker: CircuitBreaker?
        let connectivity: ConnectivityPolicy
        let networks: AllowedNetworks
        let bandwidth: Set<ObjectIdentifier>
        let deadlineHeader: DeadlineHeader?
        let usesCredentials: Bool
        let sendsSecretsToAllOrigins: Bool
        /// `true` if caches on the path have to revalidate too.
        let reloads: Bool
    }

    /// The options that have to be equal for another request to share this one's exchange.
    var sharedRules: SharedRules {
        var timeouts = self.timeouts
        timeouts.total = nil
        return SharedRules(
            timeouts: timeouts, retries: self.retries, hedging: self.hedging, redirectLimit: self.redirects.limit,
            circuitBreaker: self.circuitBreaker, connectivity: self.connectivity, networks: self.networks,
            bandwidth: Set(self.bandwidth.map { ObjectIdentifier($0) }), deadlineHeader: self.deadlineHeader,
            usesCredentials: self.usesCredentials, sendsSecretsToAllOrigins: self.sendsSecretsToAllOrigins,
            reloads: self.cacheUse == .reload)
    }

    /// Returns the options with the names used to make the request, so that they stay the same.
    func named(like made: EffectiveOptions) -> EffectiveOptions {
        var options = self
        (options.tag, options.userInfo) = (made.tag, made.userInfo)
        return options
    }

    /// The options of a request that revalidates a stale cached response after it was used.
    var refreshing: EffectiveOptions {
        var options = self
        (options.priority, options.cacheUse) = (.low, .thenRefresh)
        return options
    }

    /// Returns true if a header field of the client is omitted.
    func omits(_ name: String) -> Bool {
        self.omittedHeaders.contains { $0.isEqualIgnoringASCIICase(to: name) }
    }

    /// True for a call that wraps another one.
    var isDerived: Bool { self.accept != nil }

    /// The effective cache policy.
    ///
    /// A body that does not go to memory is cached under the rules of HTTP only.
    package var cachePolicy: CachePolicy {
        self.isInMemory || self.caching.authority == .http ? self.caching : .never
    }

    /// True if the response body goes to memory.
    var isInMemory: Bool { if case .memory = self.destination.kind { true } else { false } }

    /// True if the options change the head or restrict the networks.
    var changesHead: Bool {
        self.credential != nil || self.cacheUse == .reload || !self.isInMemory || self.networks != .all
    }

    /// The error for invalid options; `nil` if they are valid.
    fileprivate var problem: ErrandError? {
        if let refusal { return ErrandError(.invalidConfiguration, refusal) }
        if let header = self.deadlineHeader, !header.name.isHTTPToken {
            return ErrandError(
                .invalidConfiguration, "deadlineHeader has the name \"\(header.name)\", which is not a field name"
            )
        }
        for limit in self.bandwidth { if let problem = limit.problem { return problem } }
        return self.timeouts.problem ?? self.retries.problem ?? self.hedging.problem ?? self.circuitBreaker?.problem
    }
}

/// A reference to options, shared by all requests of a client that have no options of their own.
package final class SharedOptions: Sendable {
    package let value: EffectiveOptions
    /// The error for invalid options; `nil` if they are valid.
    let problem: ErrandError?

    package init(_ value: EffectiveOptions) {
        self.value = value
        self.problem = value.problem
    }

    /// Returns the options merged with those of a narrower scope.
    package func merging(_ narrower: RequestOptions) -> SharedOptions {
        if narrower.isEmpty { return self }
        var value = self.value
        value.merge(narrower)
        return SharedOptions(value)
    }
}
