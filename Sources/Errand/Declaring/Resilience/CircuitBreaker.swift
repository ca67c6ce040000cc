internal import ErrandMachines

/// Stops sending requests to a failing server, and tests when it has recovered.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.options = .circuitBreaker(.standard) }
/// ```
///
/// Each origin has a circuit. While the circuit is closed, requests are sent and their outcomes counted. If too many
/// fail, it opens: requests fail at once with ``ErrandError/Code/circuitOpen``, without a slot. After some time it is
/// half-open: a few requests are sent. If they succeed, it closes; if one fails, it opens again. A cancelled request
/// does not count, and another one is sent in its place.
///
/// A request counts once, with all its retries and redirects, for the origin that it was made for. Failures while the
/// machine has no network do not count. Use ``Client/circuits`` to inspect and set the state of circuits.
public struct CircuitBreaker: Sendable, Hashable {
    /// The ratio of failures, from 0 (any failure) to 1, that opens the circuit.
    public var failureRate: Double
    /// The minimum number of requests in the window for the circuit to open; at least 1.
    public var minimumRequests: Int
    /// The time window in which outcomes are counted; from a millisecond to a day.
    public var window: Duration
    /// The time for which the circuit is open; from a millisecond to a day.
    public var openFor: Duration
    /// The maximum random extension of ``openFor``, as a fraction of it from 0 to 1, so that clients do not return all
    /// at once.
    public var jitter: Double
    /// The number of requests, at least 1, that are sent while the circuit is half-open and have to succeed to close
    /// it.
    public var probes: Int
    /// The statuses that count as failures.
    public var statuses: Set<HTTPStatus>
    /// The errors that count as failures; other errors do not count at all.
    public var errors: Set<ErrandError.Code>

    /// Creates a circuit breaker.
    ///
    /// If a value is out of range, requests of the client fail with ``ErrandError/Code/invalidConfiguration``.
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

    /// Opens for ten seconds, plus jitter, when half of at least 20 requests within 30 seconds have failed.
    public static let standard = CircuitBreaker()

    /// The error for an invalid setting, if any.
    var problem: ErrandError? {
        func part(_ name: String, _ value: Double) -> ErrandError? {
            ErrandError.setting("circuitBreaker.\(name)", value, isPossible: 0...1 ~= value, "from 0 to 1")
        }
        func count(_ name: String, _ value: Int) -> ErrandError? {
            ErrandError.setting("circuitBreaker.\(name)", value, isPossible: value >= 1, "at least 1")
        }
        func time(_ name: String, _ value: Duration) -> ErrandError? {
            ErrandError.setting("circuitBreaker.\(name)", value, isPossible: value > .zero, "longer than zero")
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
