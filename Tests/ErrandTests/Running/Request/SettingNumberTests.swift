internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Settings: numbers and times that mean nothing (G9)", .timeLimit(.minutes(60)), .paced)
struct SettingNumberTests {
    /// Sends a request that must not get to the transport, and returns why.
    private func message(
        of call: some Endpoint, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) async -> String? {
        let world = FixtureWorld(configure)
        world.transport.route("a", .text("x"))
        let error = await #expect(throws: ErrandError.self) { _ = try await world.client.send(call) }
        #expect(error?.code == .invalidConfiguration)
        #expect(world.transport.receivedCount == 0)
        return error?.message
    }

    private static let impossible: [(@Sendable (inout Client.Configuration) -> Void, String)] = [
        (
            { $0.limits.concurrency = RequestScheduler.Limits(total: 0, perHost: -3) },
            "limits.total is 0: it has to be at least 1; to send"
        ),
        ({ $0.limits.concurrency.perHost = -3 }, "limits.perHost is -3: it has to be at least 1"),
        ({ $0.limits.concurrency.streamsPerHost = .min }, "limits.streamsPerHost is -9223372036854775808: "),
        (
            { $0.options = $0.options.timeout(connect: .seconds(-1)) },
            "timeout(connect:) is -1.0 seconds: it has to be longer than zero"
        ),
        ({ $0.options = $0.options.timeout(total: .zero) }, "timeout(total:) is 0.0 seconds: "),
        ({ $0.options = $0.options.timeout(authentication: .zero) }, "timeout(authentication:) is 0.0 seconds: "),
        (
            { $0.options = $0.options.retries(RetryPolicy(limit: -1)) },
            "retries.limit is -1: it has to be 0 for no retry, or more"
        ),
        (
            { $0.options = $0.options.retries(RetryPolicy(retryAfterLimit: .seconds(-1))) },
            "retries.retryAfterLimit is -1.0 seconds: "
        ),
        (
            { $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .seconds(-1)))) },
            "retries.backoff.base is -1.0 seconds: "
        ),
        (
            { $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .zero, factor: .nan))) },
            "retries.backoff.factor is nan: "
        ),
        (
            { $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .zero, factor: 0.5))) },
            "retries.backoff.factor is 0.5: "
        ),
        (
            { $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .zero, cap: .seconds(-1)))) },
            "retries.backoff.cap is -1.0 seconds: "
        ),
        (
            { $0.options = $0.options.hedging(.after(.seconds(-1))) },
            "hedging is -1.0 seconds: it has to be zero or longer"
        ),
        (
            { $0.options = $0.options.hedging(.afterPercentile(101)) },
            "hedging.percentile is 101.0: it has to be from 0 to 100"
        ),
        ({ $0.options = $0.options.hedging(.afterPercentile(.nan)) }, "hedging.percentile is nan: "),
        (
            { $0.options = $0.options.hedging(.afterPercentile(50, atLeast: .seconds(-1))) },
            "hedging.atLeast is -1.0 seconds: "
        ),
        ({ $0.limits.retryBudget = RetryBudget(ratio: .nan) }, "retryBudget.ratio is nan: it has to be from 0 to 100"),
        ({ $0.limits.retryBudget = RetryBudget(ratio: -1) }, "retryBudget.ratio is -1.0: "),
        ({ $0.limits.retryBudget = RetryBudget(ratio: 1, perSecond: .infinity) }, "retryBudget.perSecond is inf: "),
        ({ $0.limits.retryBudget = RetryBudget(ratio: 1, window: .zero) }, "retryBudget.window is 0.0 seconds: "),
        (
            { $0.options = $0.options.circuitBreaker(CircuitBreaker(failureRate: 2)) },
            "circuitBreaker.failureRate is 2.0: "
        ),
        (
            { $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 0)) },
            "circuitBreaker.minimumRequests is 0: "
        ),
        (
            { $0.options = $0.options.circuitBreaker(CircuitBreaker(window: .zero)) },
            "circuitBreaker.window is 0.0 seconds: "
        ),
        (
            { $0.options = $0.options.circuitBreaker(CircuitBreaker(openFor: .seconds(-1))) },
            "circuitBreaker.openFor is -1.0 seconds: "
        ),
        ({ $0.options = $0.options.circuitBreaker(CircuitBreaker(jitter: .nan)) }, "circuitBreaker.jitter is nan: "),
        (
            { $0.options = $0.options.circuitBreaker(CircuitBreaker(probes: -1)) },
            "circuitBreaker.probes is -1: it has to be at least 1"
        ),
        ({ $0.limits.adaptive = AdaptiveConcurrency(minimum: 0) }, "adaptiveConcurrency.minimum is 0: "),
        ({ $0.limits.adaptive = AdaptiveConcurrency(initial: -1) }, "adaptiveConcurrency.initial is -1: "),
        (
            { $0.limits.adaptive = AdaptiveConcurrency(tolerance: .infinity) },
            "adaptiveConcurrency.tolerance is inf: "
        ),
        ({ $0.limits.responseBody = -1 }, "limits.responseBody is -1: it has to be 0 or more bytes"),
    ]

    @Test(arguments: Self.impossible)
    func `fail each request with the name, the value and what it has to be`(
        configure: @Sendable (inout Client.Configuration) -> Void, words: String
    ) async {
        let message = await self.message(of: FixtureText(), configure)
        #expect(message?.hasPrefix(words) == true, "\(message ?? "")")
    }

    @Test func `of an endpoint fail it as well`() async {
        let deadline = FixtureText { $0.options = .timeouts(Timeouts(total: .seconds(-5))) }
        #expect(await self.message(of: deadline)?.hasPrefix("timeout(total:) is -5.0 seconds: ") == true)
        let retries = FixtureText { $0.options = .retries(RetryPolicy(limit: -2)) }
        #expect(await self.message(of: retries)?.hasPrefix("retries.limit is -2: ") == true)
        struct Hedged: Endpoint {
            typealias Response = String
            var path: EndpointPath { "a" }
            var options: RequestOptions { .hedging(.after(.seconds(-2))) }
        }
        #expect(await self.message(of: Hedged())?.hasPrefix("hedging is -2.0 seconds: ") == true)
    }

    @Test func `at the bounds are possible, however large`() async throws {
        let world = FixtureWorld {
            $0.limits.concurrency = RequestScheduler.Limits(total: .max, perHost: 1, streamsPerHost: .max)
            $0.options = $0.options.timeouts(
                Timeouts(
                    connect: .seconds(Int64.max), firstByte: .seconds(Int64.max), idle: .seconds(Int64.max),
                    attempt: .seconds(Int64.max), authentication: .seconds(Int64.max), total: .seconds(Int64.max)))
            $0.options = $0.options.retries(
                RetryPolicy(
                    limit: .max, backoff: Backoff(base: .zero, factor: .infinity, cap: .seconds(Int64.max)),
                    retryAfterLimit: .seconds(Int64.max)))
            $0.options = $0.options.hedging(.afterPercentile(100, atLeast: .seconds(Int64.max)))
            $0.limits.retryBudget = RetryBudget(ratio: 100, perSecond: 1_000_000, window: .seconds(60))
            $0.options = $0.options.circuitBreaker(
                CircuitBreaker(
                    failureRate: 1, minimumRequests: .max, window: .seconds(Int64.max), openFor: .seconds(Int64.max),
                    jitter: 1, probes: .max))
            $0.limits.adaptive = AdaptiveConcurrency(minimum: .max, initial: .max, tolerance: 100)
            $0.limits.responseBody = .max
        }
        world.transport.route("a", .status(503, headers: ["Retry-After": "0"]), .text("x"))
        #expect(try await world.client.send(FixtureText()) == "x")
    }

    // MARK: - The wall clock

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, .greatestFiniteMagnitude])
    func `a wall clock that says nothing traps nowhere`(seconds: Double) async throws {
        let tokens = TokenAuthenticator(
            store: TokenAuthenticator.MemoryStore(
                OAuthToken(accessToken: "t", expiresAt: Date(timeIntervalSince1970: seconds))),
            renewingAhead: .seconds(60)
        ) { _ in OAuthToken(accessToken: "t", expiresAt: Date(timeIntervalSince1970: seconds)) }
        let world = FixtureWorld {
            $0.environment.date = { Date(timeIntervalSince1970: seconds) }
            $0.cache = MemoryCache()
            $0.options = $0.options.caching(.http)
            $0.cookies = .perClient
            $0.credentials.authenticator = tokens
            $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 1))
            $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
        }
        let fields: HTTPFields = [
            "Date": "Sunday, 06-Nov-94 08:49:37 GMT", "Expires": "Sunday, 06-Nov-95 08:49:37 GMT",
            "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Set-Cookie": "a=b; Max-Age=9223372036854775807",
        ]
        world.transport.route(
            "a", .status(503, headers: ["Retry-After": "Sunday, 06-Nov-94 08:49:37 GMT"]), .text("x", headers: fields),
            .text("y", headers: fields))
        let call = FixtureText { $0.options = .caching(.http) }
        for _ in 0..<3 { _ = try? await world.client.send(call) }
        _ = try? await world.client.cache.response(for: call)
        _ = try? await world.client.cache.remove(olderThan: .seconds(1))
        _ = await world.client.record.snapshot()
        #expect(world.transport.receivedCount > 0)
    }
}
