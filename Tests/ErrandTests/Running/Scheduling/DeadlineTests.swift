internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Deadlines (G3, G6)", .timeLimit(.minutes(60)), .paced)
struct DeadlineTests {
    private let gate = StubGate()

    private func world(_ timeouts: Timeouts, isRecording: Bool = false) -> FixtureWorld {
        let world = FixtureWorld(isRecording: isRecording) { $0.options = $0.options.timeouts(timeouts) }
        world.transport.route("held", StubReply.text("x").held(by: self.gate))
        world.transport.route("*", .text("x"))
        return world
    }

    private func error(of request: Request<FixtureText>) async -> ErrandError? {
        await #expect(throws: ErrandError.self) { try await request.value }
    }

    @Test(arguments: StubReply.Point.allCases, [false, true])
    func `of an attempt end it wherever it is`(point: StubReply.Point, isRecording: Bool) async {
        let world = FixtureWorld(isRecording: isRecording) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(5)))
        }
        world.transport.route("a", StubReply.text("x").held(by: self.gate, at: point))
        let request = world.client.request(FixtureText())
        await request.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        let error = await self.error(of: request)
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("attempt") == true)
        #expect(error?.context.attempts == 1)
        if isRecording {
            await fixtureUntil { world.recorder.end(of: request.id) != nil }
            #expect(world.recorder.hooks(of: request.id) == FixtureHook.names)
        }
        await world.expectAtRest()
    }

    @Test func `do not pass a moment too early`() async throws {
        let world = self.world(Timeouts(attempt: .seconds(5)))
        let request = world.client.request(FixtureText("held"))
        await request.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .milliseconds(4_999))
        self.gate.open()
        #expect(try await request.value == "x")
    }

    @Test func `of an attempt do not count the time in the queue`() async throws {
        let world = self.world(Timeouts(attempt: .seconds(5)))
        await world.client.scheduler.pause()
        let request = world.client.request(FixtureText("held"))
        await request.start()
        await world.waitUntilQueued(1)
        world.clock.advance(by: .seconds(100))
        await world.client.scheduler.resume()
        await self.gate.waitUntilReached()
        self.gate.open()
        #expect(try await request.response.timings.queue == .seconds(100))
    }

    @Test(arguments: [false, true])
    func `of the whole count the time in the queue`(isRecording: Bool) async {
        let world = self.world(Timeouts(total: .seconds(5)), isRecording: isRecording)
        await world.client.scheduler.pause()
        let client = world.client
        let task = Task { () -> ErrandError? in
            await #expect(throws: ErrandError.self) { try await client.send(FixtureText("held")) }
        }
        await world.waitUntilQueued(1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        let error = await task.value
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("request took longer") == true)
        #expect(error?.context.attempts == 0)
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }

    @Test func `of the whole count all attempts`() async {
        let world = self.world(Timeouts(attempt: .seconds(5), total: .seconds(8)))
        let retry = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch { return try await next(request) }
        }
        let request = world.client.request(FixtureText("held") { $0.options = .interceptors([retry]) })
        await request.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        await self.gate.waitUntilReached(2)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(3))
        let error = await self.error(of: request)
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("request took longer") == true)
        #expect(error?.context.attempts == 2)
        await world.expectAtRest()
    }

    @Test func `of the whole end a retry in its sleep`() async {
        let world = self.world(Timeouts(total: .seconds(5)))
        world.transport.removeRoutes()
        world.transport.route("*", .status(503))
        let clock = world.clock
        let retry = FixtureInterceptor { request, _, next in
            _ = try await next(request)
            try await clock.sleep(for: .seconds(60))
            return try await next(request)
        }
        let request = world.client.request(FixtureText("a") { $0.options = .interceptors([retry]) })
        await request.start()
        await clock.waitForSleeper(count: 2)
        #expect(await world.client.scheduler.activeCount == 0)
        clock.advance(by: .seconds(5))
        #expect(await self.error(of: request)?.code == .timedOut)
        #expect(world.transport.receivedCount == 1)
        await world.expectAtRest()
    }

    @Test func `of an attempt leave a retry its chance`() async throws {
        let world = FixtureWorld(isRecording: true) { $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(5))) }
        world.transport.route("a", StubReply.text("1").held(by: self.gate), StubReply.text("2"))
        let log = FixtureLog()
        let retry = FixtureInterceptor { request, _, next in
            do throws(ErrandError) {
                return try await next(request)
            } catch {
                log.add("\(error.code)")
                return try await next(request)
            }
        }
        let request = world.client.request(FixtureText("a") { $0.options = .interceptors([retry]) })
        await request.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        let response = try await request.response
        #expect(response.value == "2")
        #expect(response.attempts == 2)
        #expect(log.lines == ["timedOut"])
        await world.expectAtRest()
    }

    @Test func `are the endpoint's before the client's`() async {
        let world = self.world(Timeouts(attempt: .seconds(100), total: .seconds(1)))
        let request = world.client.request(
            FixtureText("held") { $0.options = .timeouts(Timeouts(attempt: .seconds(5))) })
        await request.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        let error = await self.error(of: request)
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("5.0 seconds") == true)
    }

    @Test func `may be none`() async throws {
        let world = self.world(.unlimited)
        let request = world.client.request(FixtureText("held"))
        await request.start()
        await self.gate.waitUntilReached()
        #expect(world.clock.sleeperCount == 0)
        world.clock.advance(by: .seconds(1_000_000))
        self.gate.open()
        #expect(try await request.value == "x")
    }

    @Test func `that are cleared do nothing later`() async throws {
        let world = self.world(Timeouts(attempt: .seconds(5), total: .seconds(10)))
        let request = world.client.request(FixtureText("a"))
        #expect(try await request.value == "x")
        let held = world.client.request(
            FixtureText("held") { $0.options = .timeouts(Timeouts(attempt: .seconds(100))) })
        await held.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(50))
        #expect(await held.state == .running)
        #expect(await request.state == .finished)
        self.gate.open()
        #expect(try await held.value == "x")
    }

    @Test func `are kept by one timer`() async throws {
        let world = self.world(Timeouts(attempt: .seconds(5), total: .seconds(9)))
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 100, perHost: 100))
        let batch = world.client.batch(of: (0..<50).map { _ in FixtureText("held") })
        try await batch.start()
        await self.gate.waitUntilReached(50)
        await world.clock.waitForSleeper()
        #expect(world.clock.sleeperCount == 1)
        world.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .timedOut)
        await world.expectAtRest()
    }

    @Test func `pass in their order, whatever the order they were set in`() async throws {
        let world = self.world(.unlimited)
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 100, perHost: 100))
        let requests = [30, 10, 20].map { seconds in
            world.client.request(FixtureText("held") { $0.options = .timeouts(Timeouts(attempt: .seconds(seconds))) })
        }
        for (index, request) in requests.enumerated() {
            await request.start()
            await self.gate.waitUntilReached(index + 1)
        }
        for (now, index) in [(10, 1), (20, 2), (30, 0)] {
            await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(now) }
            world.clock.advance(by: .seconds(10))
            #expect(await self.error(of: requests[index])?.code == .timedOut)
            let later = requests.indices.filter { [30, 10, 20][$0] > now }
            for index in later { #expect(await requests[index].state == .running) }
        }
    }

    @Test func `leave nothing asleep after the shutdown`() async {
        let world = self.world(Timeouts(attempt: .seconds(5), total: .seconds(9)))
        let request = world.client.request(FixtureText("held"))
        await request.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        await world.client.shutdown()
        #expect(await self.error(of: request)?.code == .clientShutDown)
        await fixtureUntil { world.clock.sleeperCount == 0 }
        #expect(world.clock.sleeperCount == 0)
    }

    @Test func `leave nothing asleep after the client is let go of`() async throws {
        let (clock, transport) = (TestClock(), StubTransport())
        transport.route("*", .text("x"))
        do {
            let client = Client(baseURL: "https://api.test/") {
                $0.environment.clock = clock
                $0.transport = transport
            }
            _ = try await client.send(FixtureText())
        }
        await fixtureUntil { clock.sleeperCount == 0 }
        #expect(clock.sleeperCount == 0)
    }
}
