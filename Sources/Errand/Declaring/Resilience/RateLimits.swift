package import ErrandMachines

/// A number of requests that may be sent in a time.
public struct RateLimit: Sendable, Hashable {
    /// The number of requests; at least 1.
    public var count: Int
    /// In what time; longer than nothing.
    public var time: Duration
    /// The most requests at once when none was sent for a while; at least 1, and at most about a million.
    public var burst: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - count: How many requests.
    ///   - time: In what time.
    ///   - burst: How many may be sent at once when none was sent for a while; as many as `count` unless it is given.
    public init(_ count: Int, per time: Duration = .seconds(1), burst: Int? = nil) {
        self.count = count
        self.time = time
        self.burst = burst ?? count
    }

    var rate: TokenBucket.Rate { TokenBucket.Rate(self.count, per: self.time, burst: self.burst) }

    /// The fault, if there is one.
    fileprivate var problem: String? {
        if self.count < 1 { return "a count of \(self.count), and has to let at least 1 request pass" }
        if self.time <= .zero { return "a time of \(self.time), which has to be longer than nothing" }
        return self.burst < 1 ? "a burst of \(self.burst), which has to be at least 1" : nil
    }
}

/// Rates of a client's requests: in all, to each host, and with each tag.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") {
///     $0.rates.perHost = RateLimit(100, per: .seconds(60), burst: 10)
/// }
/// ```
///
/// A request that has to wait does so in the queue for slots: by priority, and in the order in which it came; what may
/// not go for its host or its tag holds up nothing else. Each exchange counts, those of retries and redirections too.
///
/// A limit of less than one request, or in no time, fails each request with ``ErrandError/Code/invalidConfiguration``.
/// To send nothing, see ``RequestScheduler/pause()``.
public struct RateLimits: Sendable, Hashable {
    /// For all requests.
    public var total: RateLimit?
    /// For the requests to each host and port that has none of its own.
    public var perHost: RateLimit?
    /// For those to some hosts, by name and port as in `api.example.com:8443`; the port is 443 where none is given.
    public var hosts: [String: RateLimit]
    /// For those with some tags, see ``RequestOptions/tag(_:)-swift.type.method``.
    public var tags: [String: RateLimit]
    /// The longest time for which a host may hold back the requests to it; `nil` if its wishes are not heeded.
    ///
    /// It says so with `Retry-After` (RFC 9110 §10.2.3) in a response with the status 429 or 503, and with the field
    /// `RateLimit` (draft-ietf-httpapi-ratelimit-headers) in any, which says how many requests are left for how long. What
    /// is longer than this counts as this; what cannot be read does not count.
    public var serverHold: Duration?

    /// Creates limits.
    public init(
        total: RateLimit? = nil, perHost: RateLimit? = nil, hosts: [String: RateLimit] = [:],
        tags: [String: RateLimit] = [:], serverHold: Duration? = nil
    ) {
        self.total = total
        self.perHost = perHost
        self.hosts = hosts
        self.tags = tags
        self.serverHold = serverHold
    }

    /// Why they cannot be kept, if so.
    package var problem: ErrandError? {
        let limits =
            [("total", self.total), ("perHost", self.perHost)]
            + self.hosts.sorted { $0.key < $1.key }.map { ("hosts[\"\($0.key)\"]", $0.value) }
            + self.tags.sorted { $0.key < $1.key }.map { ("tags[\"\($0.key)\"]", $0.value) }
        for (name, limit) in limits {
            guard let problem = limit?.problem else { continue }
            return ErrandError(
                .invalidConfiguration, "rates.\(name) has \(problem); to send nothing, pause the client's scheduler")
        }
        guard let hold = self.serverHold, hold <= .zero else { return nil }
        return ErrandError(
            .invalidConfiguration,
            "rates.serverHold is \(hold): it has to be longer than nothing, or nil to heed no server")
    }

    package var machine: AdmissionMachine.Rates {
        AdmissionMachine.Rates(
            total: self.total?.rate, perHost: self.perHost?.rate,
            hosts: Dictionary(self.hosts.map { ($0.asAuthority, $1.rate) }) { one, _ in one },
            tags: self.tags.mapValues(\.rate), hasQuotas: self.serverHold != nil)
    }
}

extension String {
    /// A host with its port, as requests have it; what is none stays as it is, and is that of no request.
    fileprivate var asAuthority: String { (try? HTTPURL(parsing: "https://\(self)/"))?.authority ?? self }
}
