internal import ErrandLocks
internal import Synchronization

package import struct Foundation.Date

/// All that the requests of one client share.
///
/// A request is handed this, never the client.
package final class RequestEnvironment: Sendable {
    /// Why nothing can be sent as the client was set up, if so.
    package let problem: ErrandError?
    package let defaults: CurrentDefaults
    package let redirects: RedirectPolicy
    package let secretHeaders: [String]
    let redaction: Redaction
    /// The fields that stay on their origin.
    let credentialFields: CredentialFields
    let keyFields: KeyFields
    package let cookies: (any CookieStore)?
    let refresher: CredentialRefresher?
    package let record: RequestRecord
    package let scheduler: Scheduler
    package let admission: Admission
    package let transport: any Transport
    package let cache: (any ResponseCache)?
    /// The same for requests.
    let cacheAccess: CacheAccess?
    package let cacheCounts = CacheCounts()
    private let caching: CachePolicy
    /// What is refreshed behind the back of those who got it stale.
    let cacheRefreshes = Locked<Set<CacheKey>>([])
    package let appVersion: String?
    private let hooks: Hooks
    package let interceptors: [any Interceptor]
    /// The same as parts of a request's way.
    let stages: [any Stage]
    package let timeouts: Timeouts
    package let bodyLimit: Int
    let connectivity: ConnectivityPolicy
    package let pathMonitor: any PathMonitor
    let retries: RetryPolicy
    /// What follows that for most requests; `nil` where none is sent again.
    let retryStage: RetryStage?
    /// `nil` where retries are not limited.
    let retryBudgets: RetryBudgets?
    let hedging: HedgePolicy
    /// How long calls took, for policies that go by that.
    let latencies = Latencies()
    let random: RandomSource
    let coalescesRequests: Bool
    let flights = Flights()
    /// `nil` where requests are sent whatever became of others.
    package let circuits: Circuits?
    /// The time for which a server may hold requests back; `nil` where it may not.
    let serverHold: Duration?
    /// Whether it is found out how many requests a host takes at once.
    let isAdaptive: Bool
    let deadlineHeader: DeadlineHeader?
    private let bandwidth: [BandwidthLimit]
    package let timebase: Timebase
    package let deadlines: DeadlineTimer
    /// The wall clock, for the age of cached answers.
    package let date: @Sendable () -> Date
    /// Those who wait for something that is no request.
    let waiters = StreamReaders<Waiter<Void>>()
    private let closed = Atomic<Bool>(false)
    /// That of the transport, the authenticator and the client's interceptors, once a request has asked for it.
    private let cachePartition = Locked<String?>(nil)

    package init(_ configuration: Configuration, transport: any Transport) {
        let timebase = Timebase(configuration.clock)
        // What an app says may be no date that can be computed with.
        let date: @Sendable () -> Date = { [wallClock = configuration.date] in wallClock().bounded }
        self.problem = configuration.problem
        self.defaults = CurrentDefaults(configuration.requestDefaults)
        self.redirects = configuration.redirects
        self.secretHeaders = configuration.secretHeaders
        self.redaction = Redaction(secretHeaders: configuration.secretHeaders)
        self.credentialFields = CredentialFields(configuration.secretHeaders)
        self.keyFields = KeyFields(self.redaction)
        self.cookies = configuration.cookies.makeStore(date: date)
        let deadlines = DeadlineTimer(timebase: timebase)
        self.isAdaptive = configuration.adaptiveConcurrency != nil
        let scheduler = Scheduler(
            limits: configuration.limits, rates: configuration.rates, adaptive: configuration.adaptiveConcurrency,
            timebase, deadlines)
        self.record = RequestRecord(timebase: timebase, date: date)
        self.scheduler = scheduler
        self.admission = scheduler.admission
        self.transport = transport
        let cache = configuration.cache
        self.cache = cache
        self.cacheAccess = cache.map { CacheAccess($0) }
        self.caching = configuration.caching
        self.appVersion = configuration.appVersion
        self.hooks = Hooks(configuration.accessories)
        self.interceptors = configuration.interceptors
        self.stages = configuration.interceptors.map { InterceptorStage(interceptor: $0) }
        self.timeouts = configuration.timeouts
        self.bodyLimit = configuration.responseBodyLimit
        self.connectivity = configuration.connectivity
        self.pathMonitor = configuration.pathMonitor
        self.retries = configuration.retries
        self.retryStage =
            configuration.retries.limit > 0 ? RetryStage(policy: configuration.retries, isHedged: false) : nil
        self.retryBudgets = RetryBudgets(configuration.retryBudget, timebase)
        self.hedging = configuration.hedging
        let random = RandomSource(configuration.random)
        self.random = random
        self.refresher = configuration.authenticator.map { CredentialRefresher($0, timebase, random) }
        self.addsToRequests = self.cookies != nil || self.refresher != nil
        self.coalescesRequests = configuration.coalescesRequests
        self.circuits = configuration.circuitBreaker.map {
            Circuits($0, timebase, deadlines, date, random)
        }
        self.serverHold = configuration.rates.serverHold
        self.deadlineHeader = configuration.deadlineHeader
        self.bandwidth = configuration.bandwidth.map { [$0] } ?? []
        self.timebase = timebase
        self.deadlines = deadlines
        self.date = date
    }

    /// Tells whether the cookies are kept by code of others, which may wait for something.
    var cookiesMayWait: Bool { self.cookies.map { !($0 is CookieJar) } ?? false }

    /// The number of exchanges that are shared, or may be, at this moment.
    package var sharedExchangeCount: Int { self.flights.count }

    /// Whether something besides a credential is added to each request that is sent.
    package let addsToRequests: Bool

    /// Whether responses to an endpoint may come from the cache.
    func caching(of endpoint: any Endpoint) -> CachePolicy {
        let own = endpoint.caching
        guard own.authority == .client else { return own }
        if case .memory = endpoint.destination.kind { return self.caching }
        return self.caching.authority == .http ? self.caching : .never
    }

    /// What tells the responses of an endpoint apart from those that others get to the same request.
    package func cachePartition(for endpoint: any Endpoint) -> String {
        let own = endpoint.interceptors
        return own.isEmpty ? self.ownPartition : ([self.ownPartition] + own.map(\.cachePartition)).asOnePartition
    }

    private var ownPartition: String {
        if let known = self.cachePartition.withLock({ $0 }) { return known }
        // Who would answer a challenge is not given what nobody was answered.
        let authenticator = self.refresher.map { "authenticator \(type(of: $0.authenticator))" } ?? ""
        let partition =
            ([self.transport.cachePartition, authenticator] + self.interceptors.map(\.cachePartition)).asOnePartition
        self.cachePartition.withLock { $0 = partition }
        return partition
    }

    /// Tells whether the client was shut down: nothing is started any more.
    package var isClosed: Bool { self.closed.load(ordering: .acquiring) }

    /// Refuses what is started from now on; returns whether this was the first call.
    package func close() -> Bool {
        !self.closed.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// The limits that hold for a request, each once.
    func bandwidth(for options: RequestOptions) -> [BandwidthLimit] {
        guard let own = options.bandwidth, !self.bandwidth.contains(where: { $0 === own }) else {
            return self.bandwidth
        }
        return self.bandwidth + [own]
    }

    package func hooks(for options: RequestOptions) -> Hooks {
        self.hooks.adding(options.accessories)
    }
}

extension [String] {
    /// Those that are not empty, in order and with their lengths, so that none looks like two.
    fileprivate var asOnePartition: String {
        self.filter { !$0.isEmpty }.map { "\($0.utf8.count):\($0)" }.joined()
    }
}

extension RequestEnvironment: CustomReflectable {
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
