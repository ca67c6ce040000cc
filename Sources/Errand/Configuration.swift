public import struct Foundation.Date

/// How a client behaves; a value that is set up once, when the client is made.
public struct Configuration: Sendable {
    /// The URL that paths of endpoints are resolved against; nothing when all of them are absolute.
    public var baseURL: String?
    /// Header fields of every request that does not set them itself.
    public var headers: HTTPFields = [:]
    /// What sends the requests; nothing uses the best one of the platform, owned by the client.
    public var transport: (any Transport)?
    /// Hooks around everything this client does, in this order.
    public var accessories: [any Accessory] = []
    /// What every request passes on its way out, in this order.
    public var interceptors: [any Interceptor] = []
    /// How many requests may be with the transport at once.
    public var limits = Scheduler.Limits()
    /// The deadlines of requests whose endpoints set none.
    public var timeouts = Timeouts()
    /// The most bytes that a response body may have in memory, decompressed.
    public var responseBodyLimit = 64 << 20
    /// Where responses are kept for endpoints that allow it; nothing keeps none.
    public var cache: (any ResponseCache)? = MemoryCache()
    /// The clock of all deadlines and timings.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The wall clock, used for the age of cached answers only.
    public var date: @Sendable () -> Date = { Date() }

    /// Creates the standard configuration.
    public init(baseURL: String? = nil) {
        self.baseURL = baseURL
    }
}
