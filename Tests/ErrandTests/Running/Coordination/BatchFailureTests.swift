internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Batches: failures (G4; D5, D6)", .timeLimit(.minutes(60)), .paced)
struct BatchFailureTests {
    private let gate = StubGate()

    /// Held for ever at `held*`, failing at `bad*`, answering elsewhere.
    private func world(isRecording: Bool = false) -> FixtureWorld {
        let world = FixtureWorld(isRecording: isRecording)
        world.transport.route("held*", StubReply.text("x").held(by: self.gate))
        world.transport.route("bad*", .status(500))
        world.transport.route("*", .text("x"))
        return world
    }

    @Test(arguments: [false, true])
    func `end the others at the first one, which is reported once (D5)`(isRecording: Bool) async throws {
        let world = self.world(isRecording: isRecording)
        let bad = StubGate()
        world.transport.removeRoutes()
        world.transport.route("bad", StubReply.status(500).held(by: bad))
        world.transport.route("held*", StubReply.text("x").held(by: self.gate))
        let batch = world.client.batch(FixtureText("held1"), FixtureData(path: "bad"), FixtureText("held2"))
        let log = FixtureLog()
        batch.start { _ in
            log.add("success")
        } onFailure: {
            log.add("\($0.code) \($0.context.index ?? -1)")
        }
        await self.gate.waitUntilReached(2)
        bad.open()
        await log.wait(for: 1)
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.index == 1)
        #expect(error?.context.endpointName == "FixtureData")
        #expect(log.lines == ["unacceptableStatus 1"])
        let failed = try #require(await batch.failedRequest)
        #expect(failed.index == 1)
        #expect(failed.endpointName == "FixtureData")
        #expect(failed.error.context.status == .internalServerError)
        let (one, two, three) = await batch.outcomes
        #expect(one.fixtureFailure?.code == .cancelled)
        #expect(two.fixtureFailure?.code == .unacceptableStatus)
        #expect(three.fixtureFailure?.code == .cancelled)
        #expect(await batch.state == .failed)
        #expect(await batch.progress.finished == 3)
        await world.expectAtRest()
        if isRecording {
            #expect(world.recorder.end(of: batch.id)?.error?.code == .unacceptableStatus)
            // Which of them has its first hook first is not said.
            let ends = world.recorder.ids(of: .request).sorted().map { world.recorder.end(of: $0)?.isCancelled }
            #expect(ends == [true, false, true])
        }
    }

    @Test func `stay what the batch fails with when it is cancelled while the others end`() async throws {
        let ending = FixtureGate()
        let slow = FixtureHooks(willStop: { activity, _ in
            if activity.request?.url.path == "/held" { await ending.pass(isPatient: true) }
        })
        let world = FixtureWorld(isRecording: true) { $0.accessories.append(slow) }
        world.transport.route("held", StubReply.text("x").held(by: StubGate()))
        world.transport.route("bad", StubReply.status(500).held(by: self.gate))
        let batch = world.client.batch(of: ["held", "bad"].map { FixtureText($0) })
        try await batch.start()
        await self.gate.waitUntilReached()
        self.gate.open()
        // The failure was found, and the other one is at its end.
        await ending.waitUntilReached()
        batch.cancel()
        ending.open()
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.index == 1)
        #expect(await batch.failedRequest?.index == 1)
        #expect(world.recorder.end(of: batch.id)?.error?.code == .unacceptableStatus)
        await world.expectAtRest()
    }

    @Test func `close together are one failure (D6)`() async throws {
        for _ in 1...20 {
            let world = FixtureWorld()
            let both = StubGate()
            world.transport.route("*", StubReply.status(500).held(by: both))
            let batch = world.client.batch(of: ["1", "2", "3"].map { FixtureText($0) })
            let log = FixtureLog()
            batch.start { _ in
                log.add("success")
            } onFailure: { _ in
                log.add("failure")
            }
            await both.waitUntilReached(3)
            both.open()
            await log.wait(for: 1)
            let error = await #expect(throws: ErrandError.self) { try await batch.value }
            #expect(error?.code == .unacceptableStatus)
            #expect(await batch.failedRequest?.index == error?.context.index)
            #expect(log.lines == ["failure"])
            await world.expectAtRest()
        }
    }

    @Test func `before the others have started keep them from starting`() async {
        let world = self.world(isRecording: true)
        let batch = world.client.batch(of: ["a b", "1", "2"].map { FixtureText($0) })
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .invalidURL)
        #expect(error?.context.index == 0)
        #expect(await batch.outcomes.map(\.fixtureFailure?.code) == [.invalidURL, .cancelled, .cancelled])
        #expect(world.transport.receivedCount == 0)
        #expect(world.recorder.ids(of: .request).isEmpty)
        #expect(world.recorder.hooks(of: batch.id) == FixtureHook.names)
    }

    @Test func `end those that wait for a slot too`() async {
        let world = self.world()
        await world.client.scheduler.setLimits(RequestScheduler.Limits(total: 1, perHost: 1))
        world.transport.removeRoutes()
        world.transport.route("0", StubReply.status(500).held(by: self.gate))
        world.transport.route("*", StubReply.text("x").held(by: StubGate()))
        let batch = world.client.batch(of: (0..<100).map { FixtureText("\($0)") })
        let task = Task { await batch.outcomes }
        await self.gate.waitUntilReached()
        await world.waitUntilQueued(99)
        self.gate.open()
        let codes = await task.value.map(\.fixtureFailure?.code)
        #expect(codes.first == .unacceptableStatus)
        #expect(codes.dropFirst().allSatisfy { $0 == .cancelled })
        // The slot is free before its response is known to be a failure: the next one may have gone out.
        #expect(world.transport.receivedCount <= 2)
        await world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `are collected, and the first in time is the one thrown`(isRecording: Bool) async {
        let world = self.world(isRecording: isRecording)
        world.transport.removeRoutes()
        world.transport.route("late", StubReply.failure(.connectionLost).held(by: self.gate))
        world.transport.route("bad", .status(404))
        world.transport.route("*", .text("x"))
        let batch = world.client.batch(of: ["late", "bad", "ok"].map { FixtureText($0) }, failure: .collectAll)
        let task = Task { await batch.outcomes }
        await fixtureUntil { await batch.progress.finished == 2 }
        #expect(await batch.state == .running)
        self.gate.open()
        let outcomes = await task.value
        #expect(outcomes.map(\.fixtureSuccess) == [nil, nil, "x"])
        #expect(outcomes.map(\.fixtureFailure?.code) == [.connectionLost, .unacceptableStatus, nil])
        #expect(await batch.failedRequest?.index == 1)
        #expect(await batch.state == .finished)
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.index == 1)
    }

    @Test func `that the endpoint makes of an answer count as such`() async {
        let world = self.world()
        let batch = world.client.batch(FixtureText("held"), FixtureCustom<Int>(path: "x") { _ in throw FixtureError() })
        let error = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(error?.code == .decodingFailed)
        #expect(error?.context.index == 1)
        await world.expectAtRest()
    }
}
