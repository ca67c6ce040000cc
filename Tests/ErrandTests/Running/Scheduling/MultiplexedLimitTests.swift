internal import Errand
internal import ErrandMachines
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Scheduling: hosts that serve many requests over one connection (G8)", .timeLimit(.minutes(60)), .paced)
struct MultiplexedLimitTests {
    private let gate = StubGate()

    private static func reply(_ version: ExchangeMetrics.HTTPVersion?) -> StubReply {
        var response = HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Data("x".utf8))
        if let version {
            var metrics = ExchangeMetrics()
            metrics.httpVersion = version
            response.metrics = metrics
        }
        return StubReply(.success(response))
    }

    /// A world in which the paths that begin with `first` answer at once, and all others are held.
    private func world(
        _ version: ExchangeMetrics.HTTPVersion?, _ limits: RequestScheduler.Limits = RequestScheduler.Limits()
    ) -> FixtureWorld {
        let world = FixtureWorld { $0.limits.concurrency = limits }
        world.transport.route("first*", Self.reply(version))
        world.transport.route("*", Self.reply(version).held(by: self.gate))
        return world
    }

    // MARK: - Limits

    @Test func `have a limit of their own, unless somebody chose another one`() {
        let standard = RequestScheduler.Limits()
        #expect(standard == RequestScheduler.Limits(total: 64, perHost: 6, streamsPerHost: 100))
        #expect(RequestScheduler.Limits(perHost: 2).streamsPerHost == 2)
        #expect(RequestScheduler.Limits(perHost: 2, streamsPerHost: 10).streamsPerHost == 10)
        #expect(RequestScheduler.Limits(streamsPerHost: 10).perHost == 6)
        var changed = RequestScheduler.Limits()
        changed.perHost = 3
        #expect(changed.streamsPerHost == 3)
        changed.streamsPerHost = 5
        #expect(changed.perHost == 3)
        changed.perHost = 4
        #expect(changed.streamsPerHost == 5)
        #expect(changed == RequestScheduler.Limits(perHost: 4, streamsPerHost: 5))
    }

    @Test func `are in the limits that the scheduler tells`() async {
        let limits = RequestScheduler.Limits(total: 9, perHost: 2, streamsPerHost: 5)
        let world = self.world(nil, limits)
        #expect(await world.client.scheduler.limits == limits)
        for (set, streams) in [(limits, 5), (RequestScheduler.Limits(perHost: 2), 3)] {
            await world.client.scheduler.setLimits(set)
            var changed = await world.client.scheduler.limits
            changed.perHost = 3
            #expect(changed.streamsPerHost == streams)
        }
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 0, perHost: 0, streamsPerHost: 0))
        let least = await world.client.scheduler.limits
        #expect(least == RequestScheduler.Limits(total: 1, perHost: 1, streamsPerHost: 1))
    }

    // MARK: - Learning

    @Test(
        arguments: [
            (.http2, 64), (.http3, 64), (.http1_1, 6), (.http1_0, 6), (nil, 6),
        ] as [(ExchangeMetrics.HTTPVersion?, Int)])
    func `take what fits once a response says which version they speak`(
        version: ExchangeMetrics.HTTPVersion?, expected: Int
    ) async throws {
        let world = self.world(version)
        _ = try await world.client.send(FixtureText("first"))
        let calls = (0..<80).map { FixtureText("\($0)") }
        let task = Task { await world.client.outcomes(of: calls, width: 64).reduce(0) { count, _ in count + 1 } }
        await self.gate.waitUntilReached(expected)
        await world.waitUntilQueued(64 - expected)
        #expect(await world.client.scheduler.activeCount == expected)
        self.gate.open()
        #expect(await task.value == 80)
        #expect(world.transport.peakCount <= expected)
        await world.expectAtRest()
    }

    @Test func `let those go on that wait already`() async throws {
        let world = self.world(.http2)
        let batch = world.client.batch(of: (0..<30).map { FixtureText("\($0)") })
        try await batch.start()
        await self.gate.waitUntilReached(6)
        await world.waitUntilQueued(24)
        self.gate.release()
        await self.gate.waitUntilReached(30)
        #expect(await world.client.scheduler.waitingCount == 0)
        self.gate.open()
        #expect(try await batch.value.count == 30)
        await world.expectAtRest()
    }

    @Test func `say so with the head of a stream`() async throws {
        let world = FixtureWorld {
            $0.limits.concurrency = RequestScheduler.Limits(total: 9, perHost: 1, streamsPerHost: 9)
        }
        var response = HTTPResponse(
            head: HTTPResponse.Head(status: 200), body: .stream(BodyStream(isRepeatable: false) { { nil } }))
        var metrics = ExchangeMetrics()
        metrics.httpVersion = .http2
        response.metrics = metrics
        world.transport.route("stream", StubReply(.success(response)))
        world.transport.route("*", Self.reply(.http2))
        // The stream holds the only slot that there is for HTTP/1.1.
        let text = try await world.client.stream(FixtureText("stream")) { _ in
            try await world.client.send(FixtureText("meanwhile"))
        }
        #expect(text == "x")
        await world.expectAtRest()
    }

    @Test func `go back to few connections when they speak HTTP/1.1 again`() async throws {
        let world = self.world(.http1_1, RequestScheduler.Limits(total: 9, perHost: 1, streamsPerHost: 9))
        world.transport.removeRoutes()
        world.transport.route("two", Self.reply(.http2))
        world.transport.route("one", Self.reply(.http1_1))
        world.transport.route("*", Self.reply(nil).held(by: self.gate))
        for (path, expected) in [("two", 3), ("one", 1)] {
            _ = try await world.client.send(FixtureText(path))
            let reached = self.gate.reachedCount
            let batch = world.client.batch(of: (0..<3).map { FixtureText("\(path)-\($0)") })
            try await batch.start()
            await self.gate.waitUntilReached(reached + expected)
            await world.waitUntilQueued(3 - expected)
            #expect(await world.client.scheduler.activeCount == expected)
            for _ in 1...3 { self.gate.release() }
            _ = try await batch.value
        }
        await world.expectAtRest()
    }

    @Test func `are hosts of their own`() async throws {
        let world = FixtureWorld {
            $0.limits.concurrency = RequestScheduler.Limits(total: 9, perHost: 1, streamsPerHost: 9)
        }
        world.transport.route("first", Self.reply(.http2))
        world.transport.route("*", Self.reply(nil).held(by: self.gate))
        _ = try await world.client.send(FixtureText("first"))
        let batch = world.client.batch(of: (0..<3).map { FixtureText("https://other.test/\($0)") })
        try await batch.start()
        await self.gate.waitUntilReached(1)
        await world.waitUntilQueued(2)
        self.gate.open()
        _ = try await batch.value
        #expect(world.transport.peakCount == 1)
    }

    // MARK: - The machine

    @Test func `get their places in the machine, and lose none of those that are held`() {
        var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: 9, perHost: 1, streamsPerHost: 3))
        guard case .admitted(let first) = machine.enqueue(host: "a", priority: .normal) else { return }
        let waiting = (0..<3).compactMap { _ in
            if case .wait(let ticket) = machine.enqueue(host: "a", priority: .normal) { ticket } else { nil }
        }
        #expect(machine.admitNext() == nil)
        machine.note(first, isMultiplexed: true)
        #expect([machine.admitNext(), machine.admitNext(), machine.admitNext()] == [waiting[0], waiting[1], nil])
        machine.note(first, isMultiplexed: false)
        #expect(machine.activeCount(host: "a") == 3)
        #expect(machine.leave(first) == .freedPlace)
        #expect(machine.leave(waiting[0]) == .freedPlace)
        #expect(machine.admitNext() == nil)
        #expect(machine.leave(waiting[1]) == .freedPlace)
        #expect(machine.admitNext() == waiting[2])
        machine.note(first, isMultiplexed: true)
        #expect(machine.activeCount == 1)
    }
}
