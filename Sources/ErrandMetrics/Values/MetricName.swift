/// The name of a figure, as OpenTelemetry writes names: with dots and without a unit.
public struct MetricName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a name; ``MetricsSnapshot`` has no figures under others than those below.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension MetricName: CustomStringConvertible {
    /// The name.
    public var description: String { self.rawValue }
}

extension MetricName: ExpressibleByStringLiteral {
    /// Creates a name that is the literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

// MARK: - Requests

extension MetricName {
    /// How long requests took from their start to their response or error, with queue, redirects and retries; a
    /// histogram.
    public static let requestDuration: MetricName = "http.client.request.duration"
    /// How large the bodies were that requests sent; a histogram.
    public static let requestBodySize: MetricName = "http.client.request.body.size"
    /// How large the bodies were that came from the network; a histogram.
    public static let responseBodySize: MetricName = "http.client.response.body.size"
    /// How many requests were started and are not over; a gauge.
    public static let activeRequests: MetricName = "http.client.active_requests"
    /// How many requests wait for a slot; a gauge.
    public static let waitingRequests: MetricName = "errand.request.waiting"
    /// How many requests are suspended, but for those of a batch or chain that is suspended as a whole; a gauge.
    public static let suspendedRequests: MetricName = "errand.request.suspended"
    /// How long such suspensions lasted, each counted when it ends; a histogram.
    public static let suspendedDuration: MetricName = "errand.request.suspended.duration"
    /// How long requests waited for slots; a histogram.
    public static let queueDuration: MetricName = "errand.request.queue.duration"
    /// How often requests went to the transport; a counter.
    public static let attempts: MetricName = "errand.request.attempts"
    /// How many attempts failed, also of requests that succeeded in the end; a counter.
    public static let failedAttempts: MetricName = "errand.attempt.failures"
    /// How often requests were sent again by their policy; a counter.
    public static let retries: MetricName = "errand.request.retries"
    /// How often a request was not sent again though its policy had retries left; a counter.
    public static let refusedRetries: MetricName = "errand.request.retries.refused"
    /// How often the circuit of an origin was opened by a request that failed; a counter.
    public static let openedCircuits: MetricName = "errand.circuit.opened"
    /// How many requests were sent once more while they waited for the response; a counter.
    public static let hedgedRequests: MetricName = "errand.request.hedged"
    /// How many requests shared the exchange of an equal one; a counter.
    public static let coalescedRequests: MetricName = "errand.request.coalesced"
    /// How long attempts took from the transport to the head of a response; a histogram.
    public static let firstByteDuration: MetricName = "errand.attempt.first_byte.duration"
    /// How many bytes of request bodies were sent, by all attempts; a counter.
    public static let sentBytes: MetricName = "errand.network.sent"
    /// How many bytes of response bodies were received, by all attempts; a counter.
    public static let receivedBytes: MetricName = "errand.network.received"
    /// How many requests found a response in the cache; a counter.
    public static let cacheHits: MetricName = "errand.cache.hits"
    /// How many requests asked the cache in vain; a counter.
    public static let cacheMisses: MetricName = "errand.cache.misses"
    /// How many of those got what was stored after all, because the server said that it has not changed; a counter.
    public static let cacheRevalidations: MetricName = "errand.cache.revalidations"
}

// MARK: - Batches and chains

extension MetricName {
    /// How many batches were started and are not over; a gauge.
    public static let activeBatches: MetricName = "errand.batch.active"
    /// How long batches took; a histogram.
    public static let batchDuration: MetricName = "errand.batch.duration"
    /// How many chains were started and are not over; a gauge.
    public static let activeChains: MetricName = "errand.chain.active"
    /// How long chains took; a histogram.
    public static let chainDuration: MetricName = "errand.chain.duration"
}
