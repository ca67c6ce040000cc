internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite(
    "Requests that are sent once more (G1–G3, G6, G16, G18)",
    .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct HedgingTests {
    private let slow = StubGate()

    private func world(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        FixtureWorld(isRecording: true) {
            $0.options = $0.options.hedging(.after(.seconds(1)))
            $0.options = $0.options.withoutTimeout()
            configure(&$0)
        }
    }

    private func hedges(of world: FixtureWorld) -> [Duration] {
        world.recorder.entries.compactMap { entry in
            if case .event(.hedged(let delay)) = entry.call { delay } else { nil }
        }
    }

    private func start(_ call: FixtureText = FixtureText(), in world: FixtureWorld) async -> Request<FixtureText> {
        let request = world.client.request(call)
        await request.start()
        await self.slow.waitUntilReached()
        await world.clock.waitForSleeper()
        return request
    }

    @Test func `have the response of the faster one, and the other leaves nothing`() async throws {
        let world = self.world()
        world.transport.route("/a", StubReply.text("slow").held(by: self.slow), .text("fast", headers: ["X": "2"]))
        let request = await self.start(in: world)
        world.clock.advance(by: .milliseconds(999))
        #expect(world.transport.receivedCount == 1)
        world.clock.advance(by: .milliseconds(1))
        let response = try await request.response
        #expect(response.value == "fast" && response.head.headers["X"] == "2")
        #expect(response.attempts == 2 && response.source == .network)
        #expect(self.hedges(of: world) == [.seconds(1)])
        await world.expectAtRest()
        #expect(world.recorder.entries.count { $0.call.name == "didStop" } == 1)
    }

    @Test func `have that of the first one, where that comes first`() async throws {
        let world = self.world()
        let second = StubGate()
        world.transport.route(
            "/a", StubReply.text("first").held(by: self.slow), StubReply.text("second").held(by: second))
        let request = await self.start(in: world)
        world.clock.advance(by: .seconds(1))
        await second.waitUntilReached()
        self.slow.open()
        #expect(try await request.value == "first")
        await world.expectAtRest()
    }

    @Test func `are sent once where the response comes in time`() async throws {
        let world = self.world()
        world.transport.route("/a", .text("x"))
        #expect(try await world.client.send(FixtureText()) == "x")
        #expect(world.transport.receivedCount == 1 && world.clock.sleeperCount == 0)
        await world.expectAtRest()
    }

    @Test func `wait for the other one after a failure`() async throws {
        for reply in [StubReply.status(503), .failure(.connectionLost)] {
            let world = self.world()
            let slow = StubGate()
            world.transport.route("/a", StubReply.text("slow").held(by: slow), reply)
            let request = world.client.request(FixtureText())
            await request.start()
            await slow.waitUntilReached()
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(1))
            await fixtureUntil { world.transport.receivedCount == 2 && world.transport.activeCount == 1 }
            slow.open()
            #expect(try await request.value == "slow")
            await world.expectAtRest()
        }
    }

    @Test func `fail where both do`() async throws {
        let world = self.world()
        let second = StubGate()
        world.transport.route(
            "/a", StubReply.status(500).held(by: self.slow), StubReply.failure(.connectionLost).held(by: second))
        let request = await self.start(in: world)
        world.clock.advance(by: .seconds(1))
        await second.waitUntilReached()
        self.slow.open()
        await fixtureUntil { world.transport.activeCount == 1 }
        second.open()
        #expect(await request.fixtureResult.fixtureFailure?.code == .connectionLost)
        await world.expectAtRest()
    }

    @Test(arguments: [HTTPMethod.post, .patch])
    func `are not sent once more where that may do a thing twice`(method: HTTPMethod) async throws {
        let world = self.world()
        world.transport.route("/a", .text("x"))
        #expect(try await world.client.send(FixtureText { $0.method = method }) == "x")
        let held = StubGate()
        world.transport.replaceRoutes()
        world.transport.route("/a", StubReply.text("x").held(by: held))
        let request = world.client.request(FixtureText { $0.method = method })
        await request.start()
        await held.waitUntilReached()
        #expect(world.clock.sleeperCount == 0)
        held.open()
        #expect(try await request.value == "x")
    }

    @Test func `are paid for from the budget`() async throws {
        let world = self.world { $0.limits.retryBudget = RetryBudget(ratio: 0, perSecond: 0) }
        world.transport.route("/a", StubReply.text("slow").held(by: self.slow), .text("fast"))
        let request = await self.start(in: world)
        world.clock.advance(by: .seconds(1))
        await fixtureUntil { world.clock.sleeperCount == 0 }
        self.slow.open()
        #expect(try await request.value == "slow")
        #expect(world.transport.receivedCount == 1 && self.hedges(of: world).isEmpty)
    }

    @Test func `are not sent once more while they wait for a slot`() async throws {
        let world = self.world { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
        world.transport.route("/b", StubReply.text("b").held(by: self.slow))
        world.transport.route("/a", .text("a"))
        let first = world.client.request(FixtureText("b") { $0.options = .retries(.never) })
        await first.start()
        await self.slow.waitUntilReached()
        let second = world.client.request(FixtureText("a"))
        await second.start()
        await world.waitUntilQueued(1)
        for _ in 0..<3 {
            await world.clock.waitForSleeper()
            world.clock.advance(by: .seconds(1))
        }
        await fixtureUntil { self.hedges(of: world).count == 1 }
        #expect(
            world.recorder.entries.allSatisfy { entry in
                if case .event(.hedged) = entry.call { entry.activity.id == first.id } else { true }
            })
        self.slow.open()
        #expect(try await first.value == "b")
        #expect(try await second.value == "a")
        await world.expectAtRest()
    }

    @Test func `are not sent once more while they wait for their next retry`() async throws {
        let world = self.world {
            $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.seconds(9.5))))
        }
        world.transport.route("/a", .status(503), .text("x"))
        let request = world.client.request(FixtureText())
        await request.start()
        for _ in 0..<9 {
            // That of the retry, and that of the hedge.
            await fixtureUntil { world.clock.sleeperCount == 2 }
            world.clock.advance(by: .seconds(1))
        }
        await fixtureUntil { world.clock.sleeperCount == 2 }
        #expect(world.transport.receivedCount == 1)
        world.clock.advance(by: .seconds(0.5))
        #expect(try await request.value == "x")
        #expect(world.transport.receivedCount == 2 && self.hedges(of: world).isEmpty)
        await world.expectAtRest()
    }

    @Test func `are not sent once more while they wait for a token`() async throws {
        let scene = TokenScene(nil, isHeld: true)
        let client = scene.client(scene.authenticator()) {
            $0.options = $0.options.hedging(.after(.seconds(1)))
            $0.options = $0.options.withoutTimeout()
        }
        let requests = (0..<5).map { client.request(FixtureText("\($0)")) }
        for request in requests { await request.start() }
        await scene.hold.waitUntilReached()
        for _ in 0..<3 {
            await fixtureUntil { scene.clock.sleeperCount == 5 }
            scene.clock.advance(by: .seconds(1))
        }
        await fixtureUntil { scene.clock.sleeperCount == 5 }
        scene.hold.open()
        for request in requests { #expect(await scene.code(of: request) == "in") }
        #expect(scene.transport.receivedCount == 5)
    }

    @Test func `go by how long calls of their type take`() async throws {
        let world = self.world { $0.options = $0.options.hedging(.afterPercentile(95, atLeast: .milliseconds(1))) }
        world.transport.route(where: { _ in true }) { [clock = world.clock, slow = self.slow] _, number in
            let reply = StubReply.text("\(number)")
            return number <= 20 ? reply.delayed(by: .milliseconds(10 * number), on: clock) : reply.held(by: slow)
        }
        for _ in 0..<20 {
            let request = world.client.request(FixtureText())
            await request.start()
            while await !request.state.isTerminal {
                if !world.clock.advanceToNextSleeper() { await Task.yield() }
            }
        }
        #expect(self.hedges(of: world).isEmpty)
        let request = await self.start(in: world)
        #expect(world.clock.nextSleeperDeadline.map { world.clock.now.duration(to: $0) } == .milliseconds(190))
        request.cancel()
        #expect(await request.fixtureResult.fixtureFailure?.code == .cancelled)
        await world.expectAtRest()
    }

    @Test func `end both when they are cancelled or take too long`() async throws {
        let world = self.world { $0.options = $0.options.timeouts(Timeouts(total: .seconds(5))) }
        world.transport.route("/a", StubReply.text("x").held(by: self.slow))
        let request = await self.start(in: world)
        world.clock.advance(by: .seconds(1))
        await self.slow.waitUntilReached(2)
        world.clock.advance(by: .seconds(4))
        #expect(await request.fixtureResult.fixtureFailure?.code == .timedOut)
        await world.expectAtRest()
    }

    @Test func `share with equal ones, and are stored as always`() async throws {
        let world = self.world { $0.options = $0.options.coalescing(true) }
        world.transport.route("/a", StubReply.text("slow").held(by: self.slow), .text("fast"))
        let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        let request = await self.start(call, in: world)
        world.clock.advance(by: .seconds(1))
        #expect(try await request.value == "fast")
        #expect(try await world.client.response(for: call).source.isCache)
        #expect(world.transport.receivedCount == 2)
        await world.expectAtRest()
    }
}

@Suite("As many requests as a host takes (G8)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct AdaptiveConcurrencyTests {
    private let world = FixtureWorld {
        $0.limits.adaptive = AdaptiveConcurrency(initial: 4)
        $0.limits.concurrency = RequestScheduler.Limits(total: 100, perHost: 100)
        $0.options = $0.options.withoutTimeout()
    }

    @Test func `are sent, and fewer after refusals`() async throws {
        let gate = StubGate()
        self.world.transport.route("/a", StubReply.status(503).held(by: gate))
        let requests = (0..<10).map { _ in self.world.client.request(FixtureText { $0.validation = .any }) }
        for request in requests { await request.start() }
        await self.world.waitUntilQueued(6)
        await gate.waitUntilReached(4)
        #expect(self.world.transport.receivedCount == 4)
        gate.open()
        for request in requests { _ = try await request.value }
        #expect(await self.world.client.scheduler.adaptedLimits == ["api.test:443": 1])
        await self.world.expectAtRest()
    }

    @Test(arguments: [ErrandError.Code.timedOut, .connectionLost])
    func `are fewer after attempts that took too long or were lost`(code: ErrandError.Code) async throws {
        let gate = StubGate()
        self.world.transport.route("/a", StubReply.failure(.connectionLost).held(by: gate))
        let call = FixtureText { $0.options = .timeouts(Timeouts(attempt: .seconds(5))) }
        let requests = (0..<4).map { _ in self.world.client.request(call) }
        for request in requests { await request.start() }
        await gate.waitUntilReached(4)
        await self.world.clock.waitForSleeper()
        if code == .timedOut { self.world.clock.advance(by: .seconds(5)) } else { gate.open() }
        for request in requests { #expect(await request.fixtureResult.fixtureFailure?.code == code) }
        #expect(await self.world.client.scheduler.adaptedLimits == ["api.test:443": 2])
        await self.world.expectAtRest()
    }

    @Test func `are more where they are answered as soon as ever`() async throws {
        self.world.transport.route("/a", .text("x"))
        for await outcome in self.world.client.outcomes(of: (0..<200).map { _ in FixtureText() }, width: 64) {
            #expect(outcome.result.fixtureSuccess == "x")
        }
        let limits = await self.world.client.scheduler.adaptedLimits
        #expect(limits["api.test:443", default: 0] > 4)
    }

    @Test func `are what the limits say, where nothing else is wanted`() async throws {
        #expect(await FixtureWorld().client.scheduler.adaptedLimits.isEmpty)
    }
}
