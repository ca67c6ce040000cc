internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("When requests are sent once more, by the type of call", .timeLimit(.minutes(60)), .paced)
struct HedgeDelayTests {
    private let gate = StubGate()

    /// Answers twenty calls to each path after a time of its own, and holds those that come after them.
    private func world(isShared: Bool) -> FixtureWorld {
        let world = FixtureWorld {
            $0.options = $0.options.hedging(.afterPercentile(95, atLeast: .milliseconds(1))).withoutTimeout()
            $0.options = $0.options.coalescing(isShared)
        }
        for (path, time) in [("/slow", Duration.seconds(1)), ("/quick", .milliseconds(10))] {
            world.transport.route(where: { $0.url.path == path }) { [gate, clock = world.clock] _, number in
                number <= 20 ? .text("x").delayed(by: time, on: clock) : StubReply.text("x").held(by: gate)
            }
        }
        return world
    }

    /// Sends a request and moves the clock until it has ended.
    private func finish<E: Endpoint>(_ request: Request<E>, in world: FixtureWorld) async throws {
        await request.start()
        try #require(
            await fixtureHolds {
                if await request.state == .finished { return true }
                world.clock.advanceToNextSleeper()
                return false
            })
    }

    /// After which time a request would be sent once more.
    private func delay<E: Endpoint>(of request: Request<E>, in world: FixtureWorld) async -> Duration? {
        await request.start()
        _ = await fixtureHolds { world.clock.sleeperCount == 1 }
        let delay = world.clock.nextSleeperDeadline.map { world.clock.now.duration(to: $0) }
        request.cancel()
        _ = await request.fixtureResult
        return delay
    }

    @Test(arguments: [false, true])
    func `the delay is that of its own type, whether or not exchanges are shared`(isShared: Bool) async throws {
        let world = self.world(isShared: isShared)
        let client = world.client
        for _ in 0..<20 {
            try await self.finish(client.request(FixtureText("slow")), in: world)
            try await self.finish(client.request(FixtureData(path: "quick")), in: world)
        }
        #expect(world.transport.receivedCount == 40)
        #expect(await self.delay(of: client.request(FixtureText("slow")), in: world) == .seconds(1))
        #expect(await self.delay(of: client.request(FixtureData(path: "quick")), in: world) == .milliseconds(10))
        await world.expectAtRest()
    }

    @Test func `a percentile hedges no earlier than the least delay`() async throws {
        let world = FixtureWorld {
            $0.options = $0.options.hedging(.afterPercentile(95, atLeast: .seconds(3))).withoutTimeout()
        }
        world.transport.route(where: { _ in true }) { [gate] _, number in
            number <= 20 ? .text("x") : StubReply.text("x").held(by: gate)
        }
        for _ in 0..<20 { #expect(try await world.client.send(FixtureText()) == "x") }
        #expect(await self.delay(of: world.client.request(FixtureText()), in: world) == .seconds(3))
        await world.expectAtRest()
    }

    @Test func `the time of requests that failed does not count`() async throws {
        let world = FixtureWorld {
            $0.options = $0.options.hedging(.afterPercentile(95, atLeast: .milliseconds(1))).withoutTimeout()
                .retries(.never)
        }
        world.transport.route(where: { _ in true }) { [gate] _, number in
            number <= 40 ? .failure(.tlsFailed) : StubReply.text("x").held(by: gate)
        }
        for _ in 0..<40 { await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) } }
        let request = world.client.request(FixtureText())
        await request.start()
        await self.gate.waitUntilReached()
        #expect(world.clock.sleeperCount == 0, "nothing is known of how long one takes")
        request.cancel()
        _ = await request.fixtureResult
        await world.expectAtRest()
    }
}
