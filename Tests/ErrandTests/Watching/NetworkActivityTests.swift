internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Network activity", .timeLimit(.minutes(60)), .paced)
struct NetworkActivityTests {
    private let clock = TestClock()

    private func world(_ activity: NetworkActivity) -> FixtureWorld {
        FixtureWorld { $0.accessories = [activity] }
    }

    @Test func `shows after a second on the network, and hides a moment after it`() async throws {
        let activity = NetworkActivity(clock: self.clock)
        let world = self.world(activity)
        let gate = StubGate()
        world.transport.route("*", .text("x").held(by: gate))
        var values = activity.values.makeAsyncIterator()
        #expect(await values.next() == false)
        let first = world.client.request(FixtureText("1"))
        await first.start()
        await gate.waitUntilReached()
        #expect(activity.count == 1)
        await self.clock.waitForSleeper()
        self.clock.advance(by: .milliseconds(999))
        #expect(!activity.isVisible)
        self.clock.advance(by: .milliseconds(1))
        #expect(await values.next() == true)
        gate.open()
        _ = try await first.value
        await fixtureUntil { activity.count == 0 }
        await self.clock.waitForSleeper()
        #expect(activity.isVisible)
        self.clock.advance(by: .milliseconds(170))
        #expect(await values.next() == false)
        #expect(!activity.isVisible)
        #expect(self.clock.sleeperCount == 0)
    }

    @Test func `does not flicker between two requests, and says nothing twice`() async throws {
        let activity = NetworkActivity(activationDelay: .seconds(2), completionDelay: .seconds(1), clock: self.clock)
        let world = self.world(activity)
        let gate = StubGate()
        world.transport.route("*", .text("x").held(by: gate))
        let first = world.client.request(FixtureText("1"))
        await first.start()
        await self.clock.waitForSleeper()
        self.clock.advance(by: .seconds(2))
        await fixtureUntil { activity.isVisible }
        var values = activity.values.makeAsyncIterator()
        #expect(await values.next() == true)
        first.cancel()
        await fixtureUntil { activity.count == 0 && self.clock.sleeperCount == 1 }
        let second = world.client.request(FixtureText("2"))
        await second.start()
        await gate.waitUntilReached(2)
        await fixtureUntil { self.clock.sleeperCount == 0 }
        self.clock.advance(by: .seconds(10))
        #expect(activity.isVisible)
        second.cancel()
        await fixtureUntil { activity.count == 0 && self.clock.sleeperCount == 1 }
        self.clock.advance(by: .seconds(1))
        #expect(await values.next() == false)
    }

    @Test func `does not count what the cache answers or what never gets a slot`() async throws {
        let activity = NetworkActivity(clock: self.clock)
        let world = self.world(activity)
        world.transport.route("*", .text("x"))
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        _ = try await world.client.send(endpoint)
        await fixtureUntil { self.clock.sleeperCount == 1 }
        self.clock.advance(by: .seconds(1))
        await fixtureUntil { self.clock.sleeperCount == 0 }
        _ = try await world.client.send(endpoint)
        #expect(self.clock.sleeperCount == 0, "no timer was started")
        await world.client.scheduler.pause()
        let waiting = world.client.request(FixtureText("2"))
        await waiting.start()
        await world.waitUntilQueued(1)
        #expect(activity.count == 0)
        waiting.cancel()
        _ = try? await waiting.value
        #expect(activity.count == 0)
    }

    @Test(arguments: [200, 500]) func `counts a request once, whatever its attempts and its end`(status: Int) async {
        let activity = NetworkActivity(clock: self.clock)
        let world = self.world(activity)
        world.transport.route("*", .failure(.connectionLost), .text("x", status: HTTPStatus(rawValue: status)))
        let retry = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch { return try await next(request) }
        }
        _ = try? await world.client.send(FixtureText { $0.options = .interceptors([retry]) })
        #expect(world.transport.received.count == 2)
        #expect(activity.count == 0)
    }

    @Test func `counts a request once that is redirected`() async throws {
        let activity = NetworkActivity(clock: self.clock)
        let world = self.world(activity)
        let gate = StubGate()
        world.transport.route("a", .status(302, headers: ["Location": "b"]))
        world.transport.route("b", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        #expect(activity.count == 1)
        gate.open()
        #expect(try await request.value == "x")
        #expect(activity.count == 0)
    }

    @Test func `does not count a request that waits for the slot of its next exchange`() async throws {
        let activity = NetworkActivity(clock: self.clock)
        let world = FixtureWorld {
            $0.accessories = [activity]
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        }
        let (first, other) = (StubGate(), StubGate())
        world.transport.route("a", StubReply.status(302, headers: ["Location": "b"]).held(by: first))
        world.transport.route("other", StubReply.text("x").held(by: other))
        world.transport.route("b", .text("x"))
        let requests = ["a", "other"].map { world.client.request(FixtureText($0)) }
        await requests[0].start()
        await first.waitUntilReached()
        await requests[1].start()
        await world.waitUntilQueued(1)
        #expect(activity.count == 1)
        first.open()
        // The other one has the slot now, and the redirection waits for the next one.
        await other.waitUntilReached()
        await world.waitUntilQueued(1)
        #expect(activity.count == 1)
        other.open()
        for request in requests { #expect(try await request.value == "x") }
        #expect(activity.count == 0)
    }

    @Test func `does not count a request that pauses before it is sent again`() async throws {
        let activity = NetworkActivity(clock: self.clock)
        let world = self.world(activity)
        world.transport.route("*", .failure(.connectionLost), .text("x"))
        let pause = FixtureGate()
        let retry = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch {
                await pause.pass()
                return try await next(request)
            }
        }
        let request = world.client.request(FixtureText { $0.options = .interceptors([retry]) })
        await request.start()
        await pause.waitUntilReached()
        #expect(activity.count == 0)
        pause.open()
        _ = try await request.value
        #expect(activity.count == 0)
    }

    @Test func `switched off it is hidden, and counts on`() async throws {
        let activity = NetworkActivity(isEnabled: false, clock: self.clock)
        let world = self.world(activity)
        let gate = StubGate()
        world.transport.route("*", .text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await gate.waitUntilReached()
        #expect(self.clock.sleeperCount == 0)
        activity.isEnabled = true
        await self.clock.waitForSleeper()
        self.clock.advance(by: .seconds(1))
        await fixtureUntil { activity.isVisible }
        activity.isEnabled = false
        #expect(!activity.isVisible)
        #expect(activity.count == 1)
        gate.open()
        _ = try await request.value
    }

    @Test func `leaves no timer behind, and ends its streams`() async throws {
        func use() async throws -> AsyncStream<Bool> {
            let activity = NetworkActivity(clock: self.clock)
            let world = self.world(activity)
            world.transport.route("*", .text("x"))
            _ = try await world.client.send(FixtureText())
            await self.clock.waitForSleeper()
            return activity.values
        }
        let values = try await use()
        #expect(await fixtureAll(values).last == false)
        await fixtureUntil { self.clock.sleeperCount == 0 }
    }

    @Test("Many at once, cancelled at random: it ends hidden, with nothing counted")
    func schedules() async throws {
        try await Simulation.explore(schedules: TestEffort.schedules.count) { simulation in
            let activity = NetworkActivity(
                activationDelay: .milliseconds(2), completionDelay: .milliseconds(1), clock: simulation.clock)
            let stub = StubTransport()
            stub.route(where: { _ in true }) { _, _ in
                StubReply.text("x").delayed(by: .milliseconds(simulation.random.int(in: 0..<6)), on: simulation.clock)
            }
            let client = Client(baseURL: "https://api.test/") {
                $0.transport = stub
                $0.environment.clock = simulation.clock
                $0.accessories = [activity]
            }
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    let request = client.request(FixtureText("\(number)"))
                    let (pause, isCancelled) = (simulation.random.int(in: 0..<9), simulation.random.int(in: 0..<3) == 0)
                    group.addTask {
                        for _ in 0..<pause { await simulation.yield() }
                        _ = try? await request.value
                    }
                    group.addTask {
                        for _ in 0..<(2 * pause) { await simulation.yield() }
                        if isCancelled { request.cancel() }
                    }
                }
                try await group.waitForAll()
            }
            for await count in await client.record.counts where count == 0 { break }
            try await simulation.clock.sleep(for: .milliseconds(10))
            try #require(activity.count == 0)
            try #require(!activity.isVisible)
        }
    }
}
