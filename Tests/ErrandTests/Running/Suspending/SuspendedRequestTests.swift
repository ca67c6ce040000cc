internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Requests that are suspended before they are sent (G6, G7)", .timeLimit(.minutes(60)), .paced)
struct SuspendedRequestTests {
    private let world = FixtureWorld(isRecording: true) {
        $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        $0.options = $0.options.withoutTimeout()
    }
    private let gate = StubGate()

    private func hold() { self.world.transport.route("*", StubReply.text("x").held(by: self.gate)) }

    @Test func `one that is suspended before its start is sent when it goes on`() async throws {
        self.world.transport.route("*", .text("x"))
        let request = self.world.client.request(FixtureText("late"))
        request.suspend()
        #expect(request.isSuspended)
        await request.start()
        // It holds no slot: others are sent.
        #expect(try await self.world.client.send(FixtureText("early")) == "x")
        #expect(self.world.sentPaths == ["early"])
        await fixtureUntil { await request.state == .running }
        request.resume()
        #expect(!request.isSuspended)
        #expect(try await request.value == "x")
        #expect(self.world.sentPaths == ["early", "late"])
        await self.world.expectAtRest()
    }

    @Test func `one that waits for a slot lets the next one pass`() async throws {
        self.hold()
        let requests = ["a", "b", "c"].map { self.world.client.request(FixtureText($0)) }
        for request in requests { await request.start() }
        await self.world.waitUntilQueued(2)
        requests[1].suspend()
        self.gate.open()
        #expect(try await requests[2].value == "x")
        #expect(self.world.sentPaths == ["a", "c"])
        requests[1].resume()
        #expect(try await requests[1].value == "x")
        await self.world.expectAtRest()
    }

    @Test func `cancelling ends one that is suspended`() async throws {
        self.world.transport.route("*", .text("x"))
        let request = self.world.client.request(FixtureText())
        request.suspend()
        await request.start()
        await fixtureUntil { await self.world.client.scheduler.activeCount == 0 }
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(self.world.sentPaths.isEmpty)
        await self.world.expectAtRest()
    }

    @Test func `its deadline stands still`() async throws {
        self.world.transport.route("*", .text("x"))
        let client = self.world.client
        let request = client.request(FixtureText("a") { $0.options = .timeouts(Timeouts(total: .seconds(10))) })
        request.suspend()
        await request.start()
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .seconds(100))
        // The deadline has rung: what comes behind it in the timer has its turn.
        let other = client.request(FixtureText("b") { $0.options = .timeouts(Timeouts(total: .seconds(5))) })
        other.suspend()
        await other.start()
        other.resume()
        #expect(try await other.value == "x")
        #expect(await request.state == .running)
        request.resume()
        #expect(try await request.value == "x")
        await self.world.expectAtRest()
    }

    @Test func `after it goes on the rest of its time counts`() async throws {
        self.hold()
        let request = self.world.client.request(FixtureText { $0.options = .timeouts(Timeouts(total: .seconds(10))) })
        await request.start()
        await fixtureUntil { self.world.transport.activeCount == 1 }
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .seconds(9))
        request.suspend()
        self.world.clock.advance(by: .seconds(50))
        request.resume()
        #expect(await request.state == .running)
        await self.world.clock.waitForSleeper()
        self.world.clock.advance(by: .seconds(2))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: [RequestOptions.Timeout.total, .attempt, .firstByte, .idle])
    func `a deadline that was due while it was suspended counts on when it goes on`(
        deadline: RequestOptions.Timeout
    ) async throws {
        self.hold()
        let (client, clock) = (self.world.client, self.world.clock)
        var timeouts = Timeouts()
        timeouts[deadline] = .seconds(10)
        let request = client.request(FixtureText { [timeouts] in $0.options = .timeouts(timeouts) })
        await request.start()
        await self.gate.waitUntilReached()
        await clock.waitForSleeper()
        clock.advance(by: .seconds(4))
        request.suspend()
        clock.advance(by: .seconds(50))
        #expect(await fixtureHolds { client.environment.deadlines.count == 0 }, "it was due")
        request.resume()
        #expect(await fixtureHolds { clock.sleeperCount == 1 })
        clock.advance(by: .milliseconds(5_999))
        #expect(await request.state == .running)
        clock.advance(by: .milliseconds(1))
        try #require(await fixtureHolds { await request.state.isTerminal })
        #expect(await request.fixtureResult.fixtureFailure?.code == .timedOut)
        await self.world.expectAtRest()
    }

    @Test func `a suspension before an attempt gives that no more time`() async throws {
        self.hold()
        let clock = self.world.clock
        let request = self.world.client.request(
            FixtureText { $0.options = .timeouts(Timeouts(attempt: .seconds(10))) })
        request.suspend()
        await request.start()
        await fixtureUntil { await request.state == .running }
        clock.advance(by: .seconds(100))
        request.resume()
        await self.gate.waitUntilReached()
        await clock.waitForSleeper()
        clock.advance(by: .seconds(10))
        try #require(await fixtureHolds { await request.state.isTerminal })
        #expect(await request.fixtureResult.fixtureFailure?.code == .timedOut)
        await self.world.expectAtRest()
    }

    @Test func `the deadline of a request stands still while its batch is suspended`() async throws {
        self.hold()
        let (client, clock) = (self.world.client, self.world.clock)
        let batch = client.batch(of: [FixtureText { $0.options = .timeouts(Timeouts(total: .seconds(10))) }])
        try await batch.start()
        await self.gate.waitUntilReached()
        await clock.waitForSleeper()
        clock.advance(by: .seconds(4))
        batch.suspend()
        clock.advance(by: .seconds(50))
        #expect(await fixtureHolds { client.environment.deadlines.count == 0 }, "it was due")
        batch.resume()
        #expect(await fixtureHolds { clock.sleeperCount == 1 })
        clock.advance(by: .milliseconds(5_999))
        #expect(await batch.state == .running)
        clock.advance(by: .milliseconds(1))
        try #require(await fixtureHolds { await batch.state.isTerminal })
        await self.world.expectAtRest()
    }

    @Test func `a batch is suspended with all its requests, and so is a chain with the steps to come`() async throws {
        self.world.transport.route("*", .text("x"))
        let batch = self.world.client.batch(of: ["a", "b"].map { FixtureText($0) })
        batch.suspend()
        try await batch.start()
        let chain = self.world.client.chain(FixtureText("c")).then { _ in FixtureText("d") }
        chain.suspend()
        try await chain.start()
        #expect(try await self.world.client.send(FixtureText("e")) == "x")
        #expect(self.world.sentPaths == ["e"])
        batch.resume()
        #expect(try await batch.value == ["x", "x"])
        #expect(self.world.sentPaths.count == 3)
        chain.resume()
        #expect(try await chain.value == "x")
        await self.world.expectAtRest()
    }

    @Test func `what a tag or the client suspends with a batch goes on with it`() async throws {
        self.hold()
        let client = self.world.client
        let batch = client.batch(of: ["a", "b"].map { FixtureText($0) }, options: .tag("batch"))
        try await batch.start()
        await self.world.waitUntilQueued(1)
        await self.gate.waitUntilReached()
        // The batch and its requests have the tag.
        #expect(await client.record.suspend(tag: "batch") == 3)
        self.gate.open()
        #expect(try await client.send(FixtureText("c")) == "x")
        // Either of the two may have come first.
        #expect(self.world.sentPaths.count == 2 && self.world.sentPaths.last == "c")
        batch.resume()
        #expect(try await batch.value == ["x", "x"])
    }

    @Test func `a tag suspends what is in flight with it`() async throws {
        self.hold()
        let client = self.world.client
        let requests = ["a", "b"].map { client.request(FixtureText($0), options: .tag("screen")) }
        await requests[0].start()
        await self.gate.waitUntilReached()
        await requests[1].start()
        await self.world.waitUntilQueued(1)
        #expect(await client.record.suspend(tag: "screen") == 2)
        #expect(requests.filter(\.isSuspended).count == 2)
        self.gate.open()
        // Over a transport that does not ask, what is under way ends.
        #expect(try await requests[0].value == "x")
        #expect(self.world.sentPaths == ["a"])
        #expect(await client.record.resume(tag: "screen") == 1)
        #expect(try await requests[1].value == "x")
    }

    @Test func `the client suspends all, and what is started later too`() async throws {
        self.world.transport.route("*", .text("x"))
        let client = self.world.client
        client.suspendAll()
        let request = client.request(FixtureText())
        await request.start()
        await self.world.waitUntilQueued(1)
        #expect(self.world.sentPaths.isEmpty)
        client.resumeAll()
        #expect(try await request.value == "x")
        await self.world.expectAtRest()
    }

    @Test func `twice is once, and what is over stays over`() async throws {
        self.world.transport.route("*", .text("x"))
        let request = self.world.client.request(FixtureText())
        request.resume()
        request.suspend()
        request.suspend()
        request.resume()
        #expect(try await request.value == "x")
        request.suspend()
        #expect(try await request.value == "x")
    }

    @Test func `what takes the place of one that everybody has left is suspended as well`() async throws {
        self.world.transport.route("*", .text("x"))
        let request = self.world.client.request(FixtureText())
        request.suspend()
        let waiting = Task { try await request.value }
        await fixtureUntil { await request.state == .running }
        waiting.cancel()
        _ = await waiting.result
        let again = Task { try await request.value }
        await fixtureUntil { await self.world.client.record.count == 1 }
        #expect(self.world.sentPaths.isEmpty)
        request.resume()
        #expect(try await again.value == "x")
    }

    @Test func `a request suspended again while it waits for a slot anew is not sent`() async throws {
        let (first, second) = (StubGate(), StubGate())
        self.world.transport.route("a", StubReply.text("x").held(by: first))
        self.world.transport.route("c", StubReply.text("x").held(by: second))
        self.world.transport.route("*", .text("x"))
        let requests = ["a", "b", "c"].map { self.world.client.request(FixtureText($0)) }
        for (index, request) in requests.enumerated() {
            await request.start()
            if index == 0 { await first.waitUntilReached() } else { await self.world.waitUntilQueued(index) }
        }
        requests[1].suspend()
        first.open()
        await second.waitUntilReached()
        requests[1].resume()
        await self.world.waitUntilQueued(1)
        requests[1].suspend()
        second.open()
        #expect(try await requests[2].value == "x")
        #expect(try await self.world.client.send(FixtureText("d")) == "x")
        #expect(self.world.sentPaths == ["a", "c", "d"])
        requests[1].resume()
        #expect(try await requests[1].value == "x")
        await self.world.expectAtRest()
    }
}
