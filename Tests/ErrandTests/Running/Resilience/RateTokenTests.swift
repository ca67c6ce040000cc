internal import Errand
internal import ErrandMachines
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Rates: what is not sent costs nothing, and hosts that hold back (G6, G8)", .timeLimit(.minutes(60)), .paced)
struct RateTokenTests {
    private func world(_ rates: RateLimits, total: Int = 64) -> FixtureWorld {
        FixtureWorld(isRecording: true) {
            $0.limits.rates = rates
            $0.options = $0.options.withoutTimeout()
            $0.limits.concurrency = RequestScheduler.Limits(total: total, perHost: total)
        }
    }

    /// One request can be sent in a minute: of two, the first is suspended before it is sent, and the second one goes.
    private func expectSecondGoes(in world: FixtureWorld) async throws {
        let requests = ["late", "early"].map { world.client.request(FixtureText($0)) }
        requests[0].suspend()
        await requests[0].start()
        await fixtureUntil { await requests[0].state == .running }
        #expect(await fixtureHolds { await world.client.scheduler.activeCount == 0 })
        await requests[1].start()
        try #require(await fixtureHolds { await requests[1].state == .finished })
        requests[0].resume()
        await world.waitUntilQueued(1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(60))
        #expect(try await requests[0].value == "x")
        #expect(world.sentPaths.suffix(2) == ["early", "late"])
        await world.expectAtRest()
    }

    private static let minute = RateLimit(1, per: .seconds(60))

    @Test(arguments: [RateLimits(total: minute), RateLimits(perHost: minute), RateLimits(hosts: ["api.test": minute])])
    func `one that is suspended before it is sent leaves its turn to the next`(rates: RateLimits) async throws {
        let world = self.world(rates)
        world.transport.route("*", .text("x"))
        try await self.expectSecondGoes(in: world)
    }

    @Test func `one that is suspended before it is sent takes nothing of what its host allows`() async throws {
        let world = self.world(RateLimits(serverHold: .seconds(60)))
        world.transport.route("/first", .text("x", headers: ["RateLimit": "\"default\";r=1;t=60"]))
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText("first"))
        try await self.expectSecondGoes(in: world)
    }

    @Test(arguments: [429, 503] as [HTTPStatus])
    func `whoever waits for the slot of a refusal waits as long as that says`(status: HTTPStatus) async throws {
        let world = self.world(RateLimits(serverHold: .seconds(60)), total: 1)
        let gate = StubGate()
        world.transport.route("/a", .text("no", status: status, headers: ["Retry-After": "30"]).held(by: gate))
        world.transport.route("/b", .text("x"))
        let requests = ["a", "b"].map { path in
            world.client.request(FixtureText(path) { $0.validation = .any })
        }
        for request in requests { await request.start() }
        await world.waitUntilQueued(1)
        await gate.waitUntilReached()
        gate.open()
        #expect(try await requests[0].value == "no")
        try #require(await world.client.scheduler.waitingCount == 1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .milliseconds(29_999))
        #expect(world.sentPaths == ["a"])
        world.clock.advance(by: .milliseconds(1))
        #expect(try await requests[1].value == "x")
        await world.expectAtRest()
    }

    @Test func `a host that holds back is not forgotten among many others`() async throws {
        let world = self.world(RateLimits(serverHold: .seconds(60)))
        world.transport.route("/a", .status(429, headers: ["Retry-After": "30"]))
        world.transport.route("*", .text("x"))
        _ = try? await world.client.send(FixtureText("a"))
        for number in 0..<300 {
            #expect(try await world.client.send(FixtureText("https://host\(number).test/x")) == "x")
        }
        let next = world.client.request(FixtureText("b"))
        await next.start()
        #expect(await fixtureHolds { await world.client.scheduler.waitingCount == 1 || world.sentPaths.last == "b" })
        try #require(world.sentPaths.last == "x")
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(30))
        #expect(try await next.value == "x")
        await world.expectAtRest()
    }

    @Test func `a newcomer does not take the token that a waiting request was to have`() async throws {
        let world = self.world(RateLimits(total: Self.minute))
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText("first"))
        let waiting = world.client.request(FixtureText("waiting"))
        await waiting.start()
        await world.waitUntilQueued(1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(60))
        // Most often before the timer has rung.
        let admission = world.client.environment.admission
        let place = admission.enter(host: "other.test:443", priority: .normal) { Waiter<Void>() }
        guard case .queue(let newcomer) = place else {
            Issue.record("the newcomer was admitted first")
            return
        }
        admission.leave(newcomer)
        #expect(try await waiting.value == "x")
        await world.expectAtRest()
    }
}
