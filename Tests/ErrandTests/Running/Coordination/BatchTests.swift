internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Batches: values (G2, G4, G9; T24, D8)", .timeLimit(.minutes(60)), .paced)
struct BatchTests {
    private let world = FixtureWorld(isRecording: true)

    @Test func `answer once, in input order, whatever the order of the ends (T24)`() async throws {
        let gates = (1...3).map { _ in StubGate() }
        for (index, gate) in gates.enumerated() {
            self.world.transport.route("key\(index + 1)", StubReply.text("\(index + 1)").held(by: gate))
        }
        let log = FixtureLog()
        let batch = self.world.client.batch(of: (1...3).map { FixtureText("key\($0)") })
        batch.start {
            log.add("success \($0)")
        } onFailure: {
            log.add("failure \($0)")
        }
        for gate in gates { await gate.waitUntilReached() }
        for (index, gate) in gates.enumerated().reversed() {
            #expect(log.lines.isEmpty)
            gate.open()
            await fixtureUntil { await batch.progress.finished == 3 - index }
        }
        await log.wait(for: 1)
        #expect(try await batch.value == ["1", "2", "3"])
        #expect(log.lines == [#"success ["1", "2", "3"]"#])
        #expect(await batch.state == .finished)
    }

    @Test func `answer a tuple of the types that were asked for`() async throws {
        self.world.transport.route("text", .text("t"))
        self.world.transport.route("json", .json("[1,2]"))
        self.world.transport.route("null", .json("null"))
        self.world.transport.route("data", .data(Data([7])))
        self.world.transport.route("none", .status(204))
        let (text, numbers, null, data, _) = try await self.world.client.batch(
            FixtureText("text"), FixtureJSON("json", [Int].self), FixtureJSON("null", Int?.self),
            FixtureData(path: "data"), FixtureVoid(path: "none")
        ).value
        #expect(text == "t")
        #expect(numbers == [1, 2])
        #expect(null == nil)
        #expect(data == Data([7]))
    }

    @Test func `answer the outcome of each, in a tuple`() async throws {
        self.world.transport.route("text", .text("t"))
        let batch = self.world.client.batch(FixtureText("text"), FixtureData(path: "lost"), failure: .collectAll)
        let (text, data) = await batch.outcomes
        #expect(text.fixtureSuccess == "t")
        #expect(data.fixtureFailure?.code == .cannotConnect)
        #expect(await batch.state == .finished)
    }

    @Test(arguments: [FailurePolicy.failFast, .collectAll])
    func `without a request finish with nothing (D8)`(policy: FailurePolicy) async throws {
        let batch = self.world.client.batch(of: [] as [FixtureText], failure: policy)
        let states = await batch.states
        #expect(try await batch.value.isEmpty)
        #expect(await batch.outcomes.isEmpty)
        #expect(await fixtureAll(states) == [.idle, .running, .finished])
        #expect(await batch.isFromCache == false)
        #expect(await batch.progress.words == "0 of 0")
        #expect(self.world.recorder.hooks(of: batch.id) == FixtureHook.names)
        await self.world.expectAtRest()
    }

    @Test func `without a request call the success closure (D8)`() async {
        let log = FixtureLog()
        self.world.client.batch(of: [] as [FixtureText]).start { log.add("success \($0.count)") }
        await log.wait(for: 1)
        #expect(log.lines == ["success 0"])
    }

    @Test func `start once (D8)`() async throws {
        self.world.transport.route("*", .text("x"))
        let batch = self.world.client.batch(of: [FixtureText("1"), FixtureText("2")])
        try await batch.start()
        let error = await #expect(throws: ErrandError.self) { try await batch.start() }
        #expect(error?.code == .alreadyStarted)
        #expect(error?.context.requestID == batch.id)
        #expect(try await batch.value == ["x", "x"])
        let late = await #expect(throws: ErrandError.self) { try await batch.start() }
        #expect(late?.code == .alreadyStarted)
        #expect(try await batch.value == ["x", "x"])
        #expect(self.world.transport.receivedCount == 2)
        let log = FixtureLog()
        batch.start { _ in
            log.add("success")
        } onFailure: {
            log.add("\($0.code)")
        }
        await log.wait(for: 1)
        #expect(log.lines == ["alreadyStarted"])
    }

    @Test func `answer everyone who waits the same`() async throws {
        let gate = StubGate()
        self.world.transport.route("*", StubReply.text("x").held(by: gate))
        let batch = self.world.client.batch(of: [FixtureText("1"), FixtureText("2")])
        let waiters = (1...20).map { _ in Task { try await batch.value } }
        await gate.waitUntilReached(2)
        gate.open()
        for waiter in waiters { #expect(try await waiter.value == ["x", "x"]) }
        #expect(self.world.transport.receivedCount == 2)
    }

    @Test func `tell their progress, which ends with them`() async throws {
        let gate = StubGate()
        self.world.transport.route("*", StubReply.text("x").held(by: gate))
        let batch = self.world.client.batch(of: ["1", "2", "3"].map { FixtureText($0) })
        var updates = await batch.progressUpdates.makeAsyncIterator()
        #expect(await updates.next()?.words == "0 of 3")
        try await batch.start()
        await gate.waitUntilReached(3)
        for count in 1...3 {
            gate.release()
            #expect(await updates.next()?.words == "\(count) of 3")
        }
        #expect(await updates.next() == nil)
        #expect(await batch.progress.words == "3 of 3")
        #expect(await fixtureAll(batch.progressUpdates).map(\.words) == ["3 of 3"])
        let events = self.world.recorder.names(of: batch.id)
        #expect(events == ["willStart", "didStart", "progress", "progress", "progress", "willStop", "didStop"])
    }

    @Test func `are from the cache when all their answers are`() async throws {
        self.world.transport.route("*", .text("x"))
        let endpoints = ["1", "2"].map { FixtureText($0) { $0.options = .caching(.fresh(for: .seconds(3600))) } }
        _ = try await self.world.client.send(endpoints[0])
        let half = self.world.client.batch(of: endpoints)
        _ = try await half.value
        #expect(await half.isFromCache == false)
        #expect(await half.state == .finished)
        let whole = self.world.client.batch(of: endpoints)
        let states = await whole.states
        #expect(try await whole.value == ["x", "x"])
        #expect(await whole.isFromCache)
        #expect(await fixtureAll(states) == [.idle, .running, .cached])
        guard case .cached = self.world.recorder.end(of: whole.id)?.result else {
            Issue.record("the hooks were told of something else")
            return
        }
        #expect(self.world.transport.receivedCount == 2)
    }

    @Test func `hand their tag and id on to their requests`() async throws {
        self.world.transport.route("*", .text("x"))
        let options = RequestOptions.tag("screen").userInfo(["row": 1])
        let batch = self.world.client.batch(of: [FixtureText("1"), FixtureText("2")], options: options)
        #expect(batch.tag == "screen")
        _ = try await batch.value
        let children = self.world.recorder.ids(of: .request)
        #expect(children.count == 2)
        for entry in self.world.recorder.entries {
            #expect(entry.activity.tag == "screen")
            #expect(entry.activity.parent == (entry.activity.kind == .batch ? nil : batch.id))
            if entry.activity.kind == .batch { #expect(entry.activity.userInfo["row"] as? Int == 1) }
        }
    }

    @Test func `are over when all hooks of all their requests have run (G3)`() async throws {
        self.world.transport.route("*", .text("x"))
        let batch = self.world.client.batch(of: ["1", "2", "3"].map { FixtureText($0) })
        _ = try await batch.value
        #expect(self.world.recorder.entries.first?.activity.id == batch.id)
        #expect(self.world.recorder.entries.last?.activity.id == batch.id)
        for id in self.world.recorder.ids(of: .request) + [batch.id] {
            #expect(self.world.recorder.hooks(of: id) == FixtureHook.names)
        }
        await self.world.expectAtRest()
    }

    @Test func `call their closure on the main actor, after all hooks`() async {
        let log = FixtureLog()
        let options = RequestOptions.accessories([FixtureHooks.logging("batch", to: log)])
        self.world.transport.route("*", .text("x"))
        self.world.client.batch(of: [FixtureText("1")], options: options).start { _ in
            MainActor.assertIsolated()
            log.add("closure")
        }
        await log.wait(for: 5)
        #expect(log.lines == FixtureHook.names.map { "batch \($0)" } + ["closure"])
    }

    @Test func `share the slots with everything else`() async throws {
        await self.world.client.scheduler.setLimits(RequestScheduler.Limits(total: 2, perHost: 2))
        let gate = StubGate()
        self.world.transport.route("*", StubReply.text("x").held(by: gate))
        let batch = self.world.client.batch(of: (1...10).map { FixtureText("\($0)") })
        try await batch.start()
        await gate.waitUntilReached(2)
        await self.world.waitUntilQueued(8)
        gate.open()
        #expect(try await batch.value.count == 10)
        #expect(self.world.transport.peakCount == 2)
    }
}
