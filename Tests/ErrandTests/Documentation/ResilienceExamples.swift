internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Resilience".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct ResilienceExamples {
        struct GetReport: Endpoint {
            let id: String

            var path: EndpointPath { "reports/\(self.id)" }
            var options: RequestOptions {
                .retries(RetryPolicy(limit: 4, backoff: Backoff(base: .seconds(1), cap: .seconds(10))))
            }
        }

        struct Pay: Endpoint {
            typealias Response = Void

            let order: String

            var path: EndpointPath { "payments/\(self.order)" }
            var method: HTTPMethod { .post }
            var options: RequestOptions { .retries(RetryPolicy(addsIdempotencyKey: true)) }
        }

        struct GetSettings: Endpoint {
            var path: EndpointPath { "settings" }
            var options: RequestOptions { .coalescing() }
        }

        private func world(_ configuration: Client.Configuration) -> FixtureWorld {
            FixtureWorld { world in
                let (transport, environment) = (world.transport, world.environment)
                world = configuration
                (world.transport, world.environment, world.cache) = (transport, environment, nil)
            }
        }

        private func configuration(_ configure: (inout Client.Configuration) -> Void) -> Client.Configuration {
            var configuration = Client.Configuration(baseURL: "https://api.example.com/v1/")
            configure(&configuration)
            return configuration
        }

        @Test func `is set up`() async throws {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .retries(.standard).circuitBreaker(.standard).timeout(total: .seconds(30))
            }
            #expect(client.circuits?.states.isEmpty == true)
            let guarded = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .circuitBreaker(CircuitBreaker(failureRate: 0.25, openFor: .seconds(30)))
            }
            #expect(guarded.circuits != nil)
            let careful = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .retries(.standard)
                $0.limits.retryBudget = RetryBudget(ratio: 0.1, perSecond: 1)
            }
            #expect(careful.circuits == nil)
        }

        @Test func `retries, and says what was tried`() async throws {
            let world = self.world(self.configuration { $0.options = .retries(.standard) })
            let client = world.client
            world.transport.route("*", .status(404))
            do {
                _ = try await client.send(GetReport(id: "7"))
            } catch {
                for retry in error.context.retries { print(retry) }
            }
            #expect(world.transport.received.count == 1)
            #expect(EffectiveOptions(GetReport(id: "7").options).retries.limit == 4)
        }

        @Test func `pays once`() async throws {
            let world = self.world(self.configuration { _ in })
            world.transport.route("*", .status(204))
            try await world.client.send(Pay(order: "9"))
            #expect(world.transport.received.first?.headers["Idempotency-Key"] != nil)
        }

        @Test func `shares an exchange`() async throws {
            let world = self.world(self.configuration { _ in })
            let gate = StubGate()
            world.transport.route("*", .text("x").held(by: gate))
            let client = world.client
            async let one = client.response(for: GetSettings())
            async let other = client.response(for: GetSettings())
            await fixtureUntil { await client.record.count == 2 }
            await gate.waitUntilReached()
            for _ in 0..<200 { await Task.yield() }
            gate.open()
            #expect(try await one.value == other.value)
            #expect(world.transport.received.count <= 2)
        }

        @Test func `opens a circuit by hand`() async throws {
            let client = self.world(self.configuration { $0.options = .circuitBreaker(.standard) }).client
            client.circuits?.open("https://api.example.com")
            let state = client.circuits?.state(of: "https://api.example.com")
            client.circuits?.close("https://api.example.com")
            #expect(state == .open(until: nil))
        }

        @Test func `watches a circuit`() async throws {
            let client = self.world(self.configuration { $0.options = .circuitBreaker(.standard) }).client
            let circuits = try #require(client.circuits)
            let shown = FixtureLog()
            func show(_ state: CircuitBreaker.State) {
                shown.add("\(state)")
                // Unstructured: the reader is what ends with the client.
                Task { await client.shutdown() }
            }
            for await state in circuits.changes(of: "https://api.example.com") { show(state) }
            #expect(shown.lines == ["closed"])
        }

        @Test func `hedges, and finds out how many requests a host takes`() async throws {
            let hedging = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .hedging(.afterPercentile(95))
            }
            #expect(await hedging.scheduler.adaptedLimits.isEmpty)
            let adaptive = Client(baseURL: "https://api.example.com/v1/") {
                $0.limits.concurrency = RequestScheduler.Limits(total: 200, perHost: 100)
                $0.limits.adaptive = .standard
            }
            #expect(await adaptive.scheduler.limits.perHost == 100)
        }

        @Test func `keeps to a rate, and tells the deadline`() async throws {
            let polite = Client(baseURL: "https://api.example.com/v1/") {
                $0.limits.rates.perHost = RateLimit(100, per: .seconds(60), burst: 10)
                $0.limits.rates.tags["prefetch"] = RateLimit(2)
                $0.limits.rates.serverHold = .seconds(120)
            }
            #expect(await polite.scheduler.waitingCount == 0)
            let prompt = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .timeout(total: .seconds(10)).deadlineHeader(.seconds("X-Request-Timeout"))
            }
            #expect(await prompt.scheduler.waitingCount == 0)
        }
    }
}
