internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Scheduling: limits (G8)", .timeLimit(.minutes(60)), .paced)
struct SchedulingLimitTests {
    private let gate = StubGate()

    private func world(_ total: Int, _ perHost: Int, isRecording: Bool = false) -> FixtureWorld {
        let world = FixtureWorld(isRecording: isRecording) {
            $0.limits.concurrency = RequestScheduler.Limits(total: total, perHost: perHost)
        }
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        return world
    }

    @Test(arguments: [(1, 1), (3, 1), (3, 3), (8, 3), (5, 100)], [false, true])
    func `are reached and never passed`(limits: (total: Int, perHost: Int), isRecording: Bool) async throws {
        let world = self.world(limits.total, limits.perHost, isRecording: isRecording)
        let hosts = 3
        let expected = min(limits.total, limits.perHost * hosts)
        let batch = world.client.batch(of: (0..<30).map { FixtureText("http://host\($0 % hosts).test/\($0)") })
        try await batch.start()
        await self.gate.waitUntilReached(expected)
        await world.waitUntilQueued(30 - expected)
        #expect(await world.client.scheduler.activeCount == expected)
        for passed in 1...10 {
            self.gate.release()
            await self.gate.waitUntilReached(expected + passed)
        }
        self.gate.open()
        #expect(try await batch.value.count == 30)
        #expect(world.transport.peakCount == expected)
        await world.expectAtRest()
    }

    @Test func `count a host by its name and port`() async throws {
        let world = self.world(10, 1)
        let paths = [
            "http://a.test/", "http://A.TEST:80/x", "http://a.test:81/", "https://a.test/", "http://user@a.test/",
        ]
        let batch = world.client.batch(of: paths.map { FixtureText($0) })
        try await batch.start()
        await self.gate.waitUntilReached(3)
        await world.waitUntilQueued(2)
        #expect(Set(world.transport.received.map(\.url.authority)) == ["a.test:80", "a.test:81", "a.test:443"])
        self.gate.open()
        _ = try await batch.value
        #expect(world.transport.peakCount == 3)
    }

    @Test func `of one host that stalls delay no other`() async throws {
        let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 4, perHost: 2) }
        world.transport.route(where: { $0.url.host == "slow.test" }, StubReply.text("x").held(by: self.gate))
        world.transport.route("*", .text("fast"))
        let slow = world.client.batch(of: (0..<20).map { FixtureText("http://slow.test/\($0)") })
        try await slow.start()
        await self.gate.waitUntilReached(2)
        await world.waitUntilQueued(18)
        let fast = try await world.client.batch(of: (0..<20).map { FixtureText("http://fast.test/\($0)") }).value
        #expect(fast.count == 20)
        #expect(await world.client.scheduler.waitingCount == 18)
        self.gate.open()
        _ = try await slow.value
    }

    @Test func `may be raised while work waits`() async throws {
        let world = self.world(1, 1)
        let batch = world.client.batch(of: (0..<10).map { FixtureText("\($0)") })
        try await batch.start()
        await self.gate.waitUntilReached(1)
        await world.waitUntilQueued(9)
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 4, perHost: 3))
        await self.gate.waitUntilReached(3)
        #expect(await world.client.scheduler.limits == RequestScheduler.Limits(total: 4, perHost: 3))
        #expect(await world.client.scheduler.activeCount == 3)
        self.gate.open()
        _ = try await batch.value
        #expect(world.transport.peakCount == 3)
    }

    @Test func `may be lowered while work runs, which runs out`() async throws {
        let world = self.world(4, 4)
        let batch = world.client.batch(of: (0..<8).map { FixtureText("\($0)") })
        try await batch.start()
        await self.gate.waitUntilReached(4)
        await world.waitUntilQueued(4)
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 1, perHost: 1))
        self.gate.release(3)
        await fixtureUntil { await world.client.scheduler.activeCount == 1 }
        #expect(self.gate.reachedCount == 4)
        self.gate.release()
        await self.gate.waitUntilReached(5)
        #expect(await world.client.scheduler.activeCount == 1)
        self.gate.open()
        _ = try await batch.value
    }

    @Test(arguments: [0, -3])
    func `below one that are set later count as one`(limit: Int) async throws {
        let world = self.world(3, 3)
        self.gate.open()
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: limit, perHost: limit))
        #expect(await world.client.scheduler.limits == RequestScheduler.Limits(total: 1, perHost: 1))
        #expect(try await world.client.send(FixtureText()) == "x")
    }

    @Test func `of none while paused, all when resumed`() async throws {
        let world = self.world(3, 3)
        await world.client.scheduler.pause()
        #expect(await world.client.scheduler.isPaused)
        let batch = world.client.batch(of: (0..<5).map { FixtureText("\($0)") })
        try await batch.start()
        await world.waitUntilQueued(5)
        #expect(world.transport.receivedCount == 0)
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 2, perHost: 2))
        #expect(await world.client.scheduler.activeCount == 0)
        await world.client.scheduler.resume()
        await self.gate.waitUntilReached(2)
        await world.client.scheduler.pause()
        self.gate.open()
        await fixtureUntil { await world.client.scheduler.activeCount == 0 }
        #expect(world.transport.receivedCount == 2)
        await world.client.scheduler.resume()
        _ = try await batch.value
    }

    enum Ending: CaseIterable { case failure, badStatus, undecodable, cancelled }

    @Test(arguments: Ending.allCases, [false, true])
    func `have their slots back after any ending`(ending: Ending, isRecording: Bool) async throws {
        let world = FixtureWorld(isRecording: isRecording) {
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        }
        switch ending {
        case .failure: world.transport.route("1", StubReply.failure(.connectionLost).held(by: self.gate))
        case .badStatus: world.transport.route("1", StubReply.status(500).held(by: self.gate))
        case .undecodable: world.transport.route("1", StubReply.text("{").held(by: self.gate))
        case .cancelled: world.transport.route("1", StubReply.text("1").held(by: self.gate))
        }
        world.transport.route("2", .text("2"))
        let first = world.client.request(FixtureJSON("1", Int.self))
        await first.start()
        await self.gate.waitUntilReached()
        let second = world.client.request(FixtureText("2"))
        await second.start()
        await world.waitUntilQueued(1)
        if ending == .cancelled { first.cancel() } else { self.gate.open() }
        #expect(try await second.value == "2")
        await #expect(throws: ErrandError.self) { try await first.value }
        await world.expectAtRest()
    }

    @Test func `hold for single sends as for batches`() async throws {
        let world = self.world(2, 2)
        try await withThrowingTaskGroup { group in
            for index in 0..<50 {
                group.addTask { try await world.client.send(FixtureText("\(index)")) }
            }
            await self.gate.waitUntilReached(2)
            await world.waitUntilQueued(48)
            self.gate.open()
            try await group.waitForAll()
        }
        #expect(world.transport.peakCount == 2)
        await world.expectAtRest()
    }
}
