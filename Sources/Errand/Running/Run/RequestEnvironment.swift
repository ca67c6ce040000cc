internal import ErrandLocks

package import struct Foundation.Date

/// What the requests of one client share.
///
/// A request is handed this, never the client.
package final class RequestEnvironment: Sendable {
    /// Why nothing can be sent as the client was set up, if so.
    package let problem: ErrandError?
    package let defaults: CurrentDefaults
    /// The options that the client was made with; what is compiled from them is used for requests that say nothing else.
    package let options: SharedOptions
    package let secretHeaders: [String]
    let redaction: Redaction
    /// The fields that stay on their origin.
    let credentialFields: CredentialFields
    let keyFields: KeyFields
    /// The JSON of its endpoints.
    let json: JSONCoding
    package let cookies: (any CookieStore)?
    let refresher: CredentialRefresher?
    package let record: RequestRecord
    package let scheduler: RequestScheduler
    package let admission: Admission
    package let transport: any Transport
    package let cache: (any ResponseCache)?
    /// The same for requests.
    let cacheAccess: CacheAccess?
    package let cacheCounts = CacheCounts()
    /// What is refreshed behind the back of those who got it stale.
    let cacheRefreshes = Locked<Set<CacheKey>>([])
    package let appVersion: String?
    private let accessories: [any Accessory]
    private let hooks: Hooks
    /// The interceptors that are said before all options.
    private let interceptors: [any Interceptor]
    /// The stages of requests that say what the client's own options say, by their kind.
    let pipelines = Locked([Pipeline?](repeating: nil, count: Pipeline.Kind.count))
    package let bodyLimit: Int
    package let pathMonitor: any NetworkPath.Monitor
    /// `nil` where retries are not limited.
    let retryBudgets: RetryBudgets?
    /// How long calls took, for policies that go by that.
    let latencies = Latencies()
    let random: RandomSource
    let flights = Flights()
    /// The circuits of the client's own options; `nil` where requests are sent whatever became of others.
    package let circuits: CircuitBreaker.Circuits?
    /// The circuits of other options.
    private let moreCircuits = Locked<[CircuitBreaker: CircuitBreaker.Circuits]>([:])
    /// How long a server may hold requests back; `nil` where it may not.
    let serverHold: Duration?
    /// Whether it is found out how many requests a host takes at once.
    let isAdaptive: Bool
    package let timebase: Timebase
    package let deadlines: DeadlineTimer
    /// The wall clock, for the age of cached answers.
    package let date: @Sendable () -> Date
    /// Those who wait for something that is no request.
    let waiters = StreamReaders<Waiter<Void>>()
    private let closed = AtomicFlag()
    /// That of the transport, the authenticator and the client's interceptors, once a request has asked for it.
    private let cachePartition = Locked<String?>(nil)

    package init(_ configuration: ClientConfiguration, transport: any Transport) {
        let timebase = Timebase(configuration.environment.clock)
        // What an app says may be no date that can be computed with.
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

    /// Tells whether cookies or credentials may have to be waited for.
    var addsLater: Bool { self.refresher?.keeper != nil || self.cookiesMayWait }

    /// Tells whether the cookies are kept by code of others, which may wait for something.
    var cookiesMayWait: Bool { self.cookies.map { !($0 is CookieJar) } ?? false }

    /// How many exchanges are shared, or may be, at this moment.
    package var sharedExchangeCount: Int { self.flights.count }

    /// Whether something besides a credential is added to each request that is sent.
    package let addsToRequests: Bool

    // MARK: - Options

    /// The options of requests that start now and say nothing of their own.
    package var currentOptions: SharedOptions { self.defaults.plan.options }

    /// Returns the terms of a request that is made now.
    ///
    /// - Parameter said: What its endpoint and its call say.
    /// - Returns: The terms.
    package func terms(saying said: RequestOptions) -> RequestTerms {
        // Before the credential: what begins while a user logs out is asked for nobody rather than for the next one.
        let generation = self.refresher?.generation ?? 0
        let plan = self.defaults.plan
        return RequestTerms(plan: plan, options: plan.options.merging(said), generation: generation)
    }

    /// Returns the terms of a request that was made before, and starts now.
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

    /// Whether nothing was added to what the client says, of what adds up.
    private func saysAsMuch(_ count: (EffectiveOptions) -> Int, _ options: SharedOptions) -> Bool {
        if options === self.options { return true }
        // Of a client whose defaults have changed it may be other ones.
        return self.currentOptions === self.options && count(options.value) == count(self.options.value)
    }

    /// The circuits that count a request; `nil` where none do.
    package func circuits(for options: SharedOptions) -> CircuitBreaker.Circuits? {
        guard options !== self.options else { return self.circuits }
        guard let breaker = options.value.circuitBreaker else { return nil }
        if let circuits, circuits.breaker == breaker { return circuits }
        return self.moreCircuits.withLock { circuits in
            if let known = circuits[breaker] { return known }
            // An app has a few at most, or makes them as it goes.
            if circuits.count >= 64 { circuits = [:] }
            let new = CircuitBreaker.Circuits(breaker, self.timebase, self.deadlines, self.date, self.random)
            circuits[breaker] = new
            return new
        }
    }

    /// Ends the streams of those who watch circuits.
    package func finishCircuits() {
        self.circuits?.finish()
        for circuits in self.moreCircuits.withLock({ Array($0.values) }) { circuits.finish() }
    }

    /// The partition of the cache that responses to a request belong to: interceptors decide what they are responses to.
    package func cachePartition(for options: SharedOptions) -> String {
        let own = options.value.interceptors
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
    package var isClosed: Bool { self.closed.isSet }

    /// Refuses what is started from now on; returns whether this was the first call.
    package func close() -> Bool {
        self.closed.set()
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
