internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Redirects: slots, deadlines and cancelling (G3, G6, G8)", .timeLimit(.minutes(60)), .paced)
struct RedirectSchedulingTests {
    private let gate = StubGate()
    private let other = StubGate()
    private let pass = FixtureInterceptor { request, _, next in try await next(request) }

    /// A redirection from `api.test`, held at one gate, to `other.test`, held at another.
    private func world(
        intercepted: Bool = false, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> FixtureWorld {
        let world = FixtureWorld {
            $0.limits.concurrency = RequestScheduler.Limits(total: 10, perHost: 1)
            if intercepted { $0.interceptors = [self.pass] }
            configure(&$0)
        }
        world.transport.route("a", StubReply.redirect("https://other.test/b").held(by: self.gate))
        world.transport.route("b", StubReply.text("here").held(by: self.other))
        world.transport.route("*", .text("x"))
        return world
    }

    @Test(arguments: [false, true])
    func `each exchange has a slot for its own host`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted)
        let blocker = world.client.request(FixtureText("https://other.test/b"))
        await blocker.start()
        await self.other.waitUntilReached()
        let request = world.client.request(FixtureText())
        await request.start()
        await self.gate.waitUntilReached()
        self.gate.open()
        await world.waitUntilQueued(1)
        // It waits for the host it was redirected to, and its first one is free.
        #expect(await world.client.scheduler.activeCount == 1)
        #expect(try await world.client.send(FixtureText("free")) == "x")
        self.other.release()
        _ = try await blocker.value
        await self.other.waitUntilReached(2)
        self.other.open()
        #expect(try await request.value == "here")
        await world.expectAtRest()
    }

    @Test func `limits of hosts hold for many that redirect to each other`() async throws {
        let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 10, perHost: 2) }
        let active = Locked<[String: (now: Int, most: Int)]>([:])
        let counting = CountingTransport(
            inner: world.transport,
            active: { host, change in
                active.withLock { hosts in
                    let now = hosts[host, default: (0, 0)].now + change
                    hosts[host] = (now, max(now, hosts[host]?.most ?? 0))
                }
            })
        world.transport.route(where: { _ in true }) { request, _ in
            let hop = Int(request.url.path.dropFirst()) ?? 0
            return hop >= 6 ? .text("here") : .redirect("https://host\((hop + 1) % 3).test/\(hop + 1)")
        }
        let client = Client(baseURL: "https://host0.test/") {
            $0.transport = counting
            $0.limits.concurrency = RequestScheduler.Limits(total: 10, perHost: 2)
        }
        let values = try await client.batch(of: (0..<60).map { _ in FixtureText("0") }).value
        #expect(values.allSatisfy { $0 == "here" })
        #expect(world.transport.receivedCount == 60 * 7)
        let most = active.withLock { hosts in hosts.mapValues(\.most) }
        #expect(most.count == 3)
        #expect(most.values.allSatisfy { $0 <= 2 })
        #expect(await client.scheduler.activeCount == 0)
    }

    // MARK: - Cancelling

    enum Point: CaseIterable {
        case firstHead, queued, secondHead, secondBody
    }

    enum Way: CaseIterable {
        case cancel, task, shutdown
    }

    @Test(arguments: Point.allCases, Way.allCases)
    func `cancelling ends it wherever it is`(point: Point, way: Way) async {
        for intercepted in [false, true] {
            let scene = RedirectSchedulingTests()
            let world = scene.world(intercepted: intercepted)
            if point == .secondBody {
                world.transport.removeRoutes()
                world.transport.route("a", StubReply.redirect("https://other.test/b").held(by: scene.gate))
                world.transport.route("b", StubReply.text("here").held(by: scene.other, at: .body))
            }
            if point == .queued {
                await world.client.request(FixtureText("https://other.test/b")).start()
                await scene.other.waitUntilReached()
            }
            let request = world.client.request(FixtureText())
            let task = Task { await #expect(throws: ErrandError.self) { try await request.value } }
            await scene.gate.waitUntilReached()
            if point != .firstHead { scene.gate.open() }
            switch point {
            case .firstHead: break
            case .queued: await world.waitUntilQueued(1)
            case .secondHead, .secondBody: await scene.other.waitUntilReached()
            }
            switch way {
            case .cancel: request.cancel()
            case .task: task.cancel()
            case .shutdown: await world.client.shutdown()
            }
            let error = await task.value
            #expect(error?.code == (way == .shutdown ? .clientShutDown : .cancelled))
            await world.client.cancelAll()
            await fixtureUntil { await world.client.record.count == 0 }
            await world.expectAtRest()
        }
    }

    // MARK: - Deadlines

    @Test(arguments: [false, true])
    func `the deadline of an attempt begins anew with each`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(5)))
        }
        let request = world.client.request(FixtureText())
        await request.start()
        await self.gate.waitUntilReached()
        world.clock.advance(by: .seconds(4))
        self.gate.open()
        await self.other.waitUntilReached()
        world.clock.advance(by: .seconds(4))
        #expect(await request.state == .running)
        await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(9) }
        world.clock.advance(by: .seconds(1))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("attempt") == true)
        #expect(error?.context.attempts == 2)
        #expect(error?.context.url == "https://other.test/b")
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `the deadline of the whole covers them all`(intercepted: Bool) async throws {
        let world = self.world(intercepted: intercepted) {
            $0.options = $0.options.timeouts(Timeouts(total: .seconds(5)))
        }
        let request = world.client.request(FixtureText())
        await request.start()
        await self.gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(4))
        self.gate.open()
        await self.other.waitUntilReached()
        world.clock.advance(by: .seconds(1))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("request took longer") == true)
        await world.expectAtRest()
    }

    @Test func `a total deadline that passes between two ends it too`() async {
        let world = self.world { $0.options = $0.options.timeouts(Timeouts(total: .seconds(5))) }
        let blocker = world.client.request(FixtureText("https://other.test/b") { $0.options = .timeouts(.unlimited) })
        await blocker.start()
        await self.other.waitUntilReached()
        self.gate.open()
        let request = world.client.request(FixtureText())
        await request.start()
        await world.waitUntilQueued(1)
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        #expect(error?.context.attempts == 1)
        self.other.open()
        _ = try? await blocker.value
        await world.expectAtRest()
    }
}

/// Tells when exchanges with a host begin and end.
private struct CountingTransport: Transport {
    let inner: StubTransport
    let active: @Sendable (String, Int) -> Void

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        self.active(request.url.authority, 1)
        defer { self.active(request.url.authority, -1) }
        await Task.yield()
        return try await self.inner.exchange(request, context)
    }
}
