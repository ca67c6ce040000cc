internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Requests at a rate (G6, G8)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct RateLimitTests {
    /// Answers all with the same but what is asked for `a`, where there is another reply.
    private func world(_ rates: RateLimits, _ first: StubReply = .text("x")) -> FixtureWorld {
        let world = FixtureWorld(isRecording: true) {
            $0.limits.rates = rates
            $0.options = $0.options.withoutTimeout()
            $0.limits.concurrency = RequestScheduler.Limits(total: 64, perHost: 64)
        }
        world.transport.route("/a", first)
        world.transport.route(where: { _ in true }, .text("x"))
        return world
    }

    /// Starts requests one after another, so that they queue in this order.
    private func start(
        _ paths: [String], in world: FixtureWorld, tag: String? = nil, _ priority: RequestPriority = .normal
    ) async -> [Request<FixtureText>] {
        var requests: [Request<FixtureText>] = []
        for path in paths {
            let sent = await world.progress
            let request = world.client.request(
                FixtureText(path),
                options: (tag.map { .tag($0) } ?? RequestOptions()).priority(priority))
            await request.start()
            requests.append(request)
            // It is queued, or sent.
            await fixtureUntil { await world.progress > sent }
        }
        return requests
    }

    @Test func `go in a burst first, then at the rate, and the rest waits in order`() async throws {
        let world = self.world(RateLimits(total: RateLimit(1, per: .seconds(1), burst: 2)))
        let requests = await self.start(["a", "b", "c", "d"], in: world)
        #expect(try await requests[1].value == "x")
        #expect(world.sentPaths == ["a", "b"])
        await world.waitUntilQueued(2)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .milliseconds(999))
        #expect(world.sentPaths == ["a", "b"])
        world.clock.advance(by: .milliseconds(1))
        #expect(try await requests[2].value == "x")
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(1))
        #expect(try await requests[3].value == "x")
        #expect(world.sentPaths == ["a", "b", "c", "d"])
        #expect(await requests[3].state == .finished)
        await world.expectAtRest()
    }

    @Test func `the more urgent go first`() async throws {
        let world = self.world(RateLimits(perHost: RateLimit(1, per: .seconds(1))))
        var requests = await self.start(["a"], in: world)
        requests += await self.start(["low"], in: world, .low)
        requests += await self.start(["high"], in: world, .high)
        for _ in 0..<2 {
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(1))
            await fixtureUntil { await world.client.scheduler.activeCount == 0 }
        }
        for request in requests { #expect(try await request.value == "x") }
        #expect(world.sentPaths == ["a", "high", "low"])
    }

    @Test func `a host and a tag hold up nobody else`() async throws {
        let world = self.world(
            RateLimits(
                hosts: ["slow.test": RateLimit(1, per: .seconds(60))],
                tags: ["prefetch": RateLimit(1, per: .seconds(9))]
            ))
        let slow = await self.start(["https://slow.test/1", "https://slow.test/2"], in: world)
        let tagged = await self.start(["1", "2"], in: world, tag: "prefetch")
        let others = await self.start(["3", "4"], in: world)
        for request in [slow[0], tagged[0]] + others { #expect(try await request.value == "x") }
        await world.waitUntilQueued(2)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(9))
        #expect(try await tagged[1].value == "x")
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(51))
        #expect(try await slow[1].value == "x")
        await world.expectAtRest()
    }

    @Test func `one that is cancelled while it waits costs nothing`() async throws {
        let world = self.world(RateLimits(total: RateLimit(1, per: .seconds(1))))
        let requests = await self.start(["a", "b", "c"], in: world)
        #expect(try await requests[0].value == "x")
        requests[1].cancel()
        await fixtureUntil { await requests[1].state == .failed }
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(1))
        #expect(try await requests[2].value == "x")
        #expect(world.sentPaths == ["a", "c"])
        await world.expectAtRest()
    }

    @Test func `a deadline of the whole request counts while it waits`() async throws {
        let world = FixtureWorld {
            $0.limits.rates = RateLimits(total: RateLimit(1, per: .seconds(60)))
            $0.options = $0.options.timeouts(Timeouts(total: .seconds(5)))
        }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText())
        let late = world.client.request(FixtureText())
        await late.start()
        await fixtureUntil { world.clock.sleeperCount > 0 && world.clock.nextSleeperDeadline?.offset == .seconds(5) }
        world.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ErrandError.self) { try await late.value }
        #expect(error?.code == .timedOut)
        await world.expectAtRest()
    }

    @Test func `retries count, each for itself`() async throws {
        let world = FixtureWorld {
            $0.limits.rates = RateLimits(total: RateLimit(1, per: .seconds(10)))
            $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .zero))).withoutTimeout()
        }
        world.transport.route("/a", .status(503), .text("x"))
        let request = world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { await world.client.scheduler.waitingCount == 1 }
        #expect(world.transport.received.count == 1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(10))
        #expect(try await request.value == "x")
    }

    private static let hints: [(headers: HTTPFields, status: HTTPStatus, wait: Int)] = [
        (["Retry-After": "30"], 429, 30), (["Retry-After": "30"], 503, 30),
        (["RateLimit": "\"default\";r=0;t=20"], 200, 20), (["RateLimit": "\"a\";r=5;t=90, \"b\";r=0;t=15"], 200, 15),
        (["Retry-After": "9999999999999999999"], 429, 60), (["RateLimit": "\"a\";t=20;r=0"], 404, 20),
        (["RateLimit": "\"default\";r=0;t=9000"], 200, 60),
    ]

    @Test(arguments: Self.hints)
    func `a server holds back what is sent to it`(headers: HTTPFields, status: HTTPStatus, wait: Int) async throws {
        let reply = StubReply.text("x", status: status, headers: headers)
        let world = self.world(RateLimits(serverHold: .seconds(60)), reply)
        _ = try await world.client.send(FixtureText { $0.validation = .any })
        let next = await self.start(["b"], in: world)
        #expect(try await world.client.send(FixtureText("https://other.test/c")) == "x")
        await world.waitUntilQueued(1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(wait) - .milliseconds(1))
        #expect(await world.client.scheduler.waitingCount == 1)
        world.clock.advance(by: .milliseconds(1))
        try #require(await fixtureHolds { await next[0].state == .finished })
        await world.expectAtRest()
    }

    private static let otherFields: [(headers: HTTPFields, status: HTTPStatus)] = [
        (["Retry-After": "30"], 200), (["Retry-After": "soon"], 429), (["RateLimit": "r=0;t=20"], 200),
        (["RateLimit": "\"a\";r=-1;t=20"], 200), (["RateLimit": "\"a\";r=0"], 200),
        (["RateLimit": "\"a\";r=3;t=20"], 200), (["RateLimit": "100"], 200), (["RateLimit": ",;=,;;r=0"], 200),
    ]

    @Test(arguments: Self.otherFields)
    func `but not by what says nothing`(headers: HTTPFields, status: HTTPStatus) async throws {
        let reply = StubReply.text("x", status: status, headers: headers)
        let world = self.world(RateLimits(serverHold: .seconds(60)), reply)
        _ = try await world.client.send(FixtureText { $0.validation = .any })
        #expect(try await world.client.send(FixtureText("b")) == "x")
    }

    @Test func `nor where nobody said that it may`() async throws {
        let reply = StubReply.status(429, headers: ["Retry-After": "30", "RateLimit": "\"a\";r=0;t=30"])
        let world = self.world(RateLimits(total: RateLimit(100)), reply)
        _ = try? await world.client.send(FixtureText())
        #expect(try await world.client.send(FixtureText("b")) == "x")
    }

    @Test(arguments: [
        RateLimit(0), RateLimit(-1), RateLimit(1, per: .zero), RateLimit(1, per: .seconds(-1)), RateLimit(1, burst: 0),
    ])
    func `a rate that lets nothing through is an error`(limit: RateLimit) async throws {
        let ways: [WritableKeyPath<RateLimits, RateLimit?>] = [\.total, \.perHost, \.hosts["a"], \.tags["a"]]
        for way in ways {
            var rates = RateLimits()
            rates[keyPath: way] = limit
            let world = self.world(rates)
            let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
            #expect(error?.code == .invalidConfiguration)
            let other = self.world(RateLimits())
            #expect(await Self.refuses(rates, other.client.scheduler))
            #expect(try await other.client.send(FixtureText()) == "x")
        }
    }

    private static func refuses(_ rates: RateLimits, _ scheduler: RequestScheduler) async -> Bool {
        do throws(ErrandError) {
            try await scheduler.setRates(rates)
            return false
        } catch {
            return error.code == .invalidConfiguration
        }
    }

    @Test func `the largest and the slowest rates are no trap`() async throws {
        let world = self.world(
            RateLimits(
                total: RateLimit(.max, per: .nanoseconds(1)),
                perHost: RateLimit(1, per: .seconds(Int64.max), burst: .max)))
        for _ in 0..<100 { #expect(try await world.client.send(FixtureText()) == "x") }
    }

    @Test func `new rates hold at once`() async throws {
        let world = self.world(RateLimits(total: RateLimit(1, per: .seconds(1_000_000))))
        let requests = await self.start(["a", "b"], in: world)
        #expect(try await requests[0].value == "x")
        try await world.client.scheduler.setRates(RateLimits())
        #expect(try await requests[1].value == "x")
        try await world.client.scheduler.setRates(RateLimits(total: RateLimit(1, per: .seconds(5))))
        #expect(try await world.client.send(FixtureText("c")) == "x")
        let last = await self.start(["d"], in: world)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        #expect(try await last[0].value == "x")
    }

    @Test func `rates hold for a client that had none before`() async throws {
        let world = self.world(RateLimits())
        try await world.client.scheduler.setRates(RateLimits(total: RateLimit(1, per: .seconds(60))))
        #expect(try await world.client.send(FixtureText("first")) == "x")
        let second = world.client.request(FixtureText("second"))
        await second.start()
        try #require(await fixtureHolds { await world.client.scheduler.waitingCount == 1 })
        #expect(world.sentPaths == ["first"])
        try #require(await fixtureHolds { world.clock.sleeperCount == 1 })
        world.clock.advance(by: .seconds(60))
        #expect(try await second.value == "x")
        await world.expectAtRest()
    }
}

extension FixtureWorld {
    /// How many requests were sent or wait for that.
    fileprivate var progress: Int {
        get async { await self.client.scheduler.waitingCount + self.transport.received.count }
    }
}
