internal import ErrandMachines

/// When a client stops to send requests to a server that fails, and how it finds out that the server is back.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.options = .circuitBreaker(.standard) }
/// ```
///
/// Each origin has a circuit. While it is closed requests are sent, and counted by how they end. When too many of them
/// fail it opens: requests fail at once with ``ErrandError/Code/circuitOpen``, without a slot. After a time it is
/// half-open: a few requests are sent, and if they succeed it is closed; if one fails it is open again. One that is
/// cancelled says nothing, and another one is sent in its place.
///
/// A request counts once, with all its retries and redirections, for the origin that it was made for. What fails while
/// the machine has no network does not count. See ``Client/circuits`` for what can be seen and set.
public struct CircuitBreaker: Sendable, Hashable {
    /// The part of the requests that has to fail, from 0 (any failure) to 1.
    public var failureRate: Double
    /// The least number of requests in the window before that; at least 1.
    public var minimumRequests: Int
    /// Within what time; longer than nothing, and from a millisecond to a day.
    public var window: Duration
    /// The time for which the circuit is open; longer than nothing, and from a millisecond to a day.
    public var openFor: Duration
    /// By how much longer it is open at most, by chance and as a part of ``openFor``, from 0 to 1: so that not all
    /// clients come back at once.
    public var jitter: Double
    /// The number of requests that have to succeed before it is closed again, and are sent at once for that; at least 1.
    public var probes: Int
    /// The statuses that are failures.
    public var statuses: Set<HTTPStatus>
    /// The errors that are failures; others say nothing about the server.
    public var errors: Set<ErrandError.Code>

    /// Creates a circuit breaker.
    ///
    /// Requests of a client with one that is out of bounds fail with ``ErrandError/Code/invalidConfiguration``.
    public init(
        failureRate: Double = 0.5, minimumRequests: Int = 20, window: Duration = .seconds(30),
        openFor: Duration = .seconds(10), jitter: Double = 0.2, probes: Int = 1,
        statuses: Set<HTTPStatus> = [500, 502, 503, 504],
        errors: Set<ErrandError.Code> = [.connectionLost, .cannotConnect, .hostNotFound, .timedOut]
    ) {
        self.failureRate = failureRate
        self.minimumRequests = minimumRequests
        self.window = window
        self.openFor = openFor
        self.jitter = jitter
        self.probes = probes
        self.statuses = statuses
        self.errors = errors
    }

    /// Opens for ten seconds and a bit when half of at least 20 requests within 30 seconds have failed.
    public static let standard = CircuitBreaker()

    /// Why it means nothing, if so.
    var problem: ErrandError? {
        func part(_ name: String, _ value: Double) -> ErrandError? {
            ErrandError.setting("circuitBreaker.\(name)", value, isPossible: 0...1 ~= value, "from 0 to 1")
        }
        func count(_ name: String, _ value: Int) -> ErrandError? {
            ErrandError.setting("circuitBreaker.\(name)", value, isPossible: value >= 1, "at least 1")
        }
        func time(_ name: String, _ value: Duration) -> ErrandError? {
            ErrandError.setting("circuitBreaker.\(name)", value, isPossible: value > .zero, "longer than nothing")
        }
        return part("failureRate", self.failureRate) ?? count("minimumRequests", self.minimumRequests)
            ?? time("window", self.window) ?? time("openFor", self.openFor) ?? part("jitter", self.jitter)
            ?? count("probes", self.probes)
    }

    var rules: CircuitMachine.Rules {
        CircuitMachine.Rules(
            failureRate: self.failureRate, minimumCalls: self.minimumRequests, window: self.window,
            openFor: self.openFor, jitter: self.jitter, probes: self.probes)
    }
}
