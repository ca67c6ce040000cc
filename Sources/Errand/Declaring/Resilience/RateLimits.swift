package import ErrandMachines

/// A maximum number of requests in a period of time.
public struct RateLimit: Sendable, Hashable {
    /// The number of requests; at least 1.
    public var count: Int
    /// The period; longer than zero.
    public var time: Duration
    /// The maximum number of requests at once after an idle time; at least 1, and at most about a million.
    public var burst: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - count: The number of requests.
    ///   - time: The period.
    ///   - burst: The maximum number of requests at once after an idle time. Defaults to `count`.
    public init(_ count: Int, per time: Duration = .seconds(1), burst: Int? = nil) {
        self.count = count
        self.time = time
        self.burst = burst ?? count
    }

    var rate: TokenBucket.Rate { TokenBucket.Rate(self.count, per: self.time, burst: self.burst) }

    /// The problem with an invalid limit, if any.
    fileprivate var problem: String? {
        if self.count < 1 { return "a count of \(self.count), which has to be at least 1" }
        if self.time <= .zero { return "a time of \(self.time), which has to be longer than zero" }
        return self.burst < 1 ? "a burst of \(self.burst), which has to be at least 1" : nil
    }
}

/// Rate limits for a client's requests: in total, per host, and per tag.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") {
///     $0.limits.rates.perHost = RateLimit(100, per: .seconds(60), burst: 10)
/// }
/// ```
///
/// A limited request waits in the queue for slots, by priority and then in order of arrival; the limit of a host or a
/// tag does not delay other requests. Each exchange counts, including retries and redirects.
///
/// A limit of less than one request, or without a positive period, fails each request with
/// ``ErrandError/Code/invalidConfiguration``. To stop sending, see ``RequestScheduler/pause()``.
public struct RateLimits: Sendable, Hashable {
    /// For all requests.
    public var total: RateLimit?
    /// For the requests to each host and port without a limit of its own.
    public var perHost: RateLimit?
    /// For individual hosts, by name and port, as in `api.example.com:8443`.
    ///
    /// The port defaults to 443.
    public var hosts: [String: RateLimit]
    /// For requests with the given tags, see ``RequestOptions/tag(_:)-swift.type.method``.
    public var tags: [String: RateLimit]
    /// The longest time for which a host may hold back its requests; `nil` ignores the host's fields.
    ///
    /// The host asks for it with `Retry-After` (RFC 9110 §10.2.3) in a response with the status 429 or 503, and in any
    /// response with the field `RateLimit` (draft-ietf-httpapi-ratelimit-headers), which contains the remaining
    /// requests and the time they last for. A longer time is reduced to this one; an invalid value is ignored.
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

    /// The error for invalid limits, if any.
    package var problem: ErrandError? {
        let limits =
            [("total", self.total), ("perHost", self.perHost)]
            + self.hosts.sorted { $0.key < $1.key }.map { ("hosts[\"\($0.key)\"]", $0.value) }
            + self.tags.sorted { $0.key < $1.key }.map { ("tags[\"\($0.key)\"]", $0.value) }
        for (name, limit) in limits {
            guard let problem = limit?.problem else { continue }
            return ErrandError(
                .invalidConfiguration, "rates.\(name) has \(problem); to stop sending, pause the client's scheduler")
        }
        guard let hold = self.serverHold, hold <= .zero else { return nil }
        return ErrandError(
            .invalidConfiguration,
            "rates.serverHold is \(hold): it has to be longer than zero, or nil to ignore servers' limits")
    }

    package var machine: AdmissionMachine.Rates {
        AdmissionMachine.Rates(
            total: self.total?.rate, perHost: self.perHost?.rate,
            hosts: Dictionary(self.hosts.map { ($0.asAuthority, $1.rate) }) { one, _ in one },
            tags: self.tags.mapValues(\.rate), hasQuotas: self.serverHold != nil)
    }
}

extension String {
    /// The host with its port, as in requests; an invalid host stays as it is, and matches no request.
    fileprivate var asAuthority: String { (try? HTTPURL(parsing: "https://\(self)/"))?.authority ?? self }
}
