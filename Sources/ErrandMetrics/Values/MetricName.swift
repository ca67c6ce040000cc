/// The name of a metric, in the dotted form of OpenTelemetry and without a unit.
public struct MetricName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a name; ``MetricsSnapshot`` only has metrics with the names below.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension MetricName: CustomStringConvertible {
    /// The name.
    public var description: String { self.rawValue }
}

extension MetricName: ExpressibleByStringLiteral {
    /// Creates a name from a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

// MARK: - Requests

extension MetricName {
    /// The time from the start of a request to its response or error, with queue, redirections and retries; a
    /// histogram.
    public static let requestDuration: MetricName = "errand.request.duration"
    /// The duration of each attempt, as OpenTelemetry's conventions for HTTP clients define it; a histogram.
    ///
    /// An attempt is one exchange with the transport: redirections, answers to challenges, retries and hedges are
    /// attempts of their own. It has only the labels of the conventions.
    public static let attemptDuration: MetricName = "http.client.request.duration"
    /// How large the bodies were that requests sent; a histogram.
    public static let requestBodySize: MetricName = "http.client.request.body.size"
    /// The size of response bodies received from the network; a histogram.
    public static let responseBodySize: MetricName = "http.client.response.body.size"
    /// The number of requests in flight; a gauge.
    public static let activeRequests: MetricName = "http.client.active_requests"
    /// The number of requests that wait for a slot; a gauge.
    public static let waitingRequests: MetricName = "errand.request.waiting"
    /// The number of suspended requests, except those whose batch or chain is suspended as a whole; a gauge.
    public static let suspendedRequests: MetricName = "errand.request.suspended"
    /// The duration of such suspensions, each recorded when it ends; a histogram.
    public static let suspendedDuration: MetricName = "errand.request.suspended.duration"
    /// The time that requests waited for slots; a histogram.
    public static let queueDuration: MetricName = "errand.request.queue.duration"
    /// The number of attempts, each of which went to the transport; a counter.
    public static let attempts: MetricName = "errand.request.attempts"
    /// The number of failed attempts, including those of requests that succeeded in the end; a counter.
    public static let failedAttempts: MetricName = "errand.attempt.failures"
    /// The number of retries by a policy; a counter.
    public static let retries: MetricName = "errand.request.retries"
    /// The number of times a request was not retried although its policy had retries left; a counter.
    public static let refusedRetries: MetricName = "errand.request.retries.refused"
    /// The number of times a failed request opened the circuit of its origin; a counter.
    public static let openedCircuits: MetricName = "errand.circuit.opened"
    /// The number of requests that were hedged; a counter.
    public static let hedgedRequests: MetricName = "errand.request.hedged"
    /// The number of requests that shared the exchange of an equal one; a counter.
    public static let coalescedRequests: MetricName = "errand.request.coalesced"
    /// The time from the start of an attempt in the transport to the head of its response; a histogram.
    public static let firstByteDuration: MetricName = "errand.attempt.first_byte.duration"
    /// The number of request body bytes sent, over all attempts; a counter.
    public static let sentBytes: MetricName = "errand.network.sent"
    /// The number of response body bytes received, over all attempts; a counter.
    public static let receivedBytes: MetricName = "errand.network.received"
    /// The number of requests that found a response in the cache; a counter.
    public static let cacheHits: MetricName = "errand.cache.hits"
    /// The number of requests that found no response in the cache; a counter.
    public static let cacheMisses: MetricName = "errand.cache.misses"
    /// The number of cache misses that revalidation turned into the cached response; a counter.
    public static let cacheRevalidations: MetricName = "errand.cache.revalidations"
}

// MARK: - Batches and chains

extension MetricName {
    /// The number of batches in flight; a gauge.
    public static let activeBatches: MetricName = "errand.batch.active"
    /// The duration of batches; a histogram.
    public static let batchDuration: MetricName = "errand.batch.duration"
    /// The number of chains in flight; a gauge.
    public static let activeChains: MetricName = "errand.chain.active"
    /// The duration of chains; a histogram.
    public static let chainDuration: MetricName = "errand.chain.duration"
}
