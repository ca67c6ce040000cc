internal import ErrandLocks

package import struct Foundation.Date

/// The objects shared by the requests of one client.
///
/// Requests hold this, never the client.
package final class RequestEnvironment: Sendable {
    /// The error for an invalid configuration, with which every request fails.
    package let problem: ErrandError?
    package let defaults: CurrentDefaults
    /// The initial options of the client.
    ///
    /// Objects compiled from them serve requests without options of their own.
    package let options: SharedOptions
    package let secretHeaders: [String]
    let redaction: Redaction
    /// The header fields that are not sent to other origins.
    let credentialFields: CredentialFields
    let keyFields: KeyFields
    let json: JSONCoding
    package let cookies: (any CookieStore)?
    let refresher: CredentialRefresher?
    package let record: RequestRecord
    package let scheduler: RequestScheduler
    package let admission: Admission
    package let transport: any Transport
    package let cache: (any ResponseCache)?
    /// The cache as used by requests.
    let cacheAccess: CacheAccess?
    package let cacheCounts = CacheCounts()
    /// The keys of stale responses that are being refreshed in the background.
    let cacheRefreshes = Locked<Set<CacheKey>>([])
    package let appVersion: String?
    private let accessories: [any Accessory]
    private let hooks: Hooks
    /// The client's interceptors, which precede those of all options.
    private let interceptors: [any Interceptor]
    /// The stages of requests with the client's own options, by kind.
    let pipelines = Locked([Pipeline?](repeating: nil, count: Pipeline.Kind.count))
    package let bodyLimit: Int
    package let pathMonitor: any NetworkPath.Monitor
    /// `nil` if retries are unlimited.
    let retryBudgets: RetryBudgets?
    /// Call latencies for policies that depend on them.
    let latencies = Latencies()
    let random: RandomSource
    let flights = Flights()
    /// The circuits of the client's own options; `nil` without a circuit breaker.
    package let circuits: CircuitBreaker.Circuits?
    /// The circuits of other options.
    private let moreCircuits = Locked<[CircuitBreaker: CircuitBreaker.Circuits]>([:])
    /// The longest time for which a server may hold requests back; `nil` if it may not.
    let serverHold: Duration?
    /// True if the concurrency limits of hosts are measured.
    let isAdaptive: Bool
    package let timebase: Timebase
    package let deadlines: DeadlineTimer
    /// The wall clock, for the age of cached responses.
    package let date: @Sendable () -> Date
    /// Waiters outside requests.
    let waiters = StreamReaders<Waiter<Void>>()
    private let closed = AtomicFlag()
    /// The partition of the transport, the authenticator, and the client's interceptors, once first requested.
    private let cachePartition = Locked<String?>(nil)

    package init(_ configuration: ClientConfiguration, transport: any Transport) {
        let timebase = Timebase(configuration.environment.clock)
        // An app-supplied date may be out of the range for arithmetic.
        let date: @Sendable () -> Date = { [wallClock = configuration.environment.date] in wallClock().bounded }
        self.problem = configuration.problem
        self.defaults = CurrentDefaults(configuration.requestDefaults)
        let options = self.defaults.plan.options
        self.options = options
        self.json = configuration.json
        let secretHeaders = configuration.credentials.secretHeaders
        self.secretHeaders = secretHeaders
        self.redaction = Redaction(secretHeaders: secretHeaders)
        self.credentialFields = CredentialFields(secretHeaders)
        self.keyFields = KeyFields(self.redaction)
        self.cookies = configuration.cookies.makeStore(date: date)
        let deadlines = DeadlineTimer(timebase: timebase)
        self.isAdaptive = configuration.limits.adaptive != nil
        let scheduler = RequestScheduler(
            limits: configuration.limits.concurrency, rates: configuration.limits.rates,
            adaptive: configuration.limits.adaptive,
            timebase, deadlines)
        self.record = RequestRecord(timebase: timebase, date: date)
        self.scheduler = scheduler
        self.admission = scheduler.admission
        self.transport = transport
        let cache = configuration.cache
        self.cache = cache
        let removals = self.cacheCounts.removals
        self.cacheAccess = cache.map { CacheAccess($0, removals) }
        self.appVersion = configuration.environment.appVersion
        self.accessories = configuration.accessories
        self.hooks = Hooks(configuration.accessories + options.value.accessories)
        self.interceptors = configuration.interceptors
        self.bodyLimit = configuration.limits.responseBody
        self.pathMonitor = configuration.environment.pathMonitor
        self.retryBudgets = RetryBudgets(configuration.limits.retryBudget, timebase)
        let random = RandomSource(configuration.environment.random)
        self.random = random
        self.refresher = configuration.credentials.authenticator.map { CredentialRefresher($0, timebase, random) }
        self.addsToRequests = self.cookies != nil || self.refresher != nil
        self.circuits = options.value.circuitBreaker.map {
            CircuitBreaker.Circuits($0, timebase, deadlines, date, random)
        }
        self.serverHold = configuration.limits.rates.serverHold
        self.timebase = timebase
        self.deadlines = deadlines
        self.date = date
    }

    /// True if cookies or credentials may have to be awaited.
    var addsLater: Bool { self.refresher?.keeper != nil || self.cookiesMayWait }

    /// True if cookies are stored by user code, which may suspend.
    var cookiesMayWait: Bool { self.cookies.map { !($0 is CookieJar) } ?? false }

    /// The number of exchanges that are or can be shared at this moment.
    package var sharedExchangeCount: Int { self.flights.count }

    /// True if the client may add cookies or a credential from an authenticator to requests.
    package let addsToRequests: Bool

    // MARK: - Options

    /// The options of requests that start now and have none of their own.
    package var currentOptions: SharedOptions { self.defaults.plan.options }

    /// Returns the terms of a request that is created now.
    ///
    /// - Parameter said: The options of its endpoint and its call.
    /// - Returns: The terms.
    package func terms(saying said: RequestOptions) -> RequestTerms {
        // Read before the credential: a request that begins during a logout is sent without a user rather than for the
        // next one.
        let generation = self.refresher?.generation ?? 0
        let plan = self.defaults.plan
        return RequestTerms(plan: plan, options: plan.options.merging(said), generation: generation)
    }

    /// Returns the terms of a request that was created before and starts now.
    func terms(saying said: RequestOptions, madeOn known: RequestTerms) -> RequestTerms {
        let generation = self.refresher?.generation ?? 0
        let plan = self.defaults.plan
        let options =
            plan === known.plan
            ? known.options : SharedOptions(plan.options.merging(said).value.named(like: known.options.value))
        return RequestTerms(plan: plan, options: options, generation: generation)
    }

    package func hooks(for options: SharedOptions) -> Hooks {
        if self.saysAsMuch({ $0.accessories.count }, options) { return self.hooks }
        return Hooks(self.accessories + options.value.accessories)
    }

    /// The interceptors that a request passes, in order.
    func interceptors(for options: SharedOptions) -> [any Interceptor] {
        self.interceptors + options.value.interceptors
    }

    /// True if the options add no elements to the client's list.
    private func saysAsMuch(_ count: (EffectiveOptions) -> Int, _ options: SharedOptions) -> Bool {
        if options === self.options { return true }
        // If the client's defaults have changed, the elements may differ.
        return self.currentOptions === self.options && count(options.value) == count(self.options.value)
    }

    /// The circuits that apply to a request; `nil` if there are none.
    package func circuits(for options: SharedOptions) -> CircuitBreaker.Circuits? {
        guard options !== self.options else { return self.circuits }
        guard let breaker = options.value.circuitBreaker else { return nil }
        if let circuits, circuits.breaker == breaker { return circuits }
        return self.moreCircuits.withLock { circuits in
            if let known = circuits[breaker] { return known }
            // Discarded when there are many: an app has a few, unless it creates them dynamically.
            if circuits.count >= 64 { circuits = [:] }
            let new = CircuitBreaker.Circuits(breaker, self.timebase, self.deadlines, self.date, self.random)
            circuits[breaker] = new
            return new
        }
    }

    /// Ends the streams that observe circuits.
    package func finishCircuits() {
        self.circuits?.finish()
        for circuits in self.moreCircuits.withLock({ Array($0.values) }) { circuits.finish() }
    }

    /// The cache partition for responses to a request, to which interceptors contribute.
    package func cachePartition(for options: SharedOptions) -> String {
        let own = options.value.interceptors
        return own.isEmpty ? self.ownPartition : ([self.ownPartition] + own.map(\.cachePartition)).asOnePartition
    }

    private var ownPartition: String {
        if let known = self.cachePartition.withLock({ $0 }) { return known }
        // A client with an authenticator does not share responses with one without, which got them without credentials.
        let authenticator = self.refresher.map { "authenticator \(type(of: $0.authenticator))" } ?? ""
        let partition =
            ([self.transport.cachePartition, authenticator] + self.interceptors.map(\.cachePartition)).asOnePartition
        self.cachePartition.withLock { $0 = partition }
        return partition
    }

    /// True once the client is shut down.
    ///
    /// No more requests start then.
    package var isClosed: Bool { self.closed.isSet }

    /// Refuses new requests from now on; returns true if this was the first call.
    package func close() -> Bool {
        self.closed.set()
    }
}

extension [String] {
    /// The nonempty strings in order, prefixed with their lengths so that the result is unambiguous.
    fileprivate var asOnePartition: String {
        self.filter { !$0.isEmpty }.map { "\($0.utf8.count):\($0)" }.joined()
    }
}

extension RequestEnvironment: CustomReflectable {
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
