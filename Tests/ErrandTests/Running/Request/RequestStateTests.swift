internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Requests: states (G1, G2, G3)", .timeLimit(.minutes(60)), .paced)
struct RequestStateTests {
    @Test(arguments: [false, true])
    func `go from idle over running to finished`(isRecording: Bool) async throws {
        let world = FixtureWorld(isRecording: isRecording)
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        #expect(await request.state == .idle)
        let early = await request.states
        await request.start()
        await gate.waitUntilReached()
        #expect(await request.state == .running)
        let midway = await request.states
        gate.open()
        #expect(try await request.value == "x")
        #expect(await request.state == .finished)
        #expect(await fixtureAll(early) == [.idle, .running, .finished])
        #expect(await fixtureAll(midway) == [.running, .finished])
        #expect(await fixtureAll(request.states) == [.finished])
    }

    @Test func `end as failed when the transport fails`() async {
        let world = FixtureWorld()
        world.transport.route("a", .failure(.connectionLost))
        let request = world.client.request(FixtureText())
        let states = await request.states
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .connectionLost)
        #expect(await fixtureAll(states) == [.idle, .running, .failed])
    }

    @Test func `end as cached when the cache answers`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let endpoint = FixtureText("a") { $0.options = .caching(.fresh(for: .seconds(3600))) }
        _ = try await world.client.send(endpoint)
        let request = world.client.request(endpoint)
        let states = await request.states
        #expect(try await request.value == "x")
        #expect(await fixtureAll(states) == [.idle, .running, .cached])
    }

    @Test func `end as failed without having run when it cannot be resolved`() async {
        let world = FixtureWorld(isRecording: true)
        let request = world.client.request(FixtureText("a b"))
        let states = await request.states
        await request.start()
        #expect(await request.state == .failed)
        #expect(await fixtureAll(states) == [.idle, .failed])
        #expect(world.recorder.entries.isEmpty)
    }

    @Test(arguments: [false, true])
    func `run once, whoever starts it how often`(isRecording: Bool) async throws {
        let world = FixtureWorld(isRecording: isRecording)
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await request.start()
        async let first = request.value
        async let second = request.response.value
        await gate.waitUntilReached()
        await request.start()
        gate.open()
        #expect(try await [first, second] == ["x", "x"])
        await request.start()
        #expect(try await request.value == "x")
        #expect(world.transport.receivedCount == 1)
        if isRecording { #expect(world.recorder.hooks(of: request.id) == FixtureHook.names) }
    }

    @Test(arguments: [false, true])
    func `cancelled before the start fail without a hook`(isRecording: Bool) async {
        let world = FixtureWorld(isRecording: isRecording)
        world.transport.route("a", .text("x"))
        let request = world.client.request(FixtureText())
        let states = await request.states
        request.cancel()
        request.cancel()
        await request.start()
        #expect(await request.state == .failed)
        for _ in 1...2 {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled)
            #expect(error?.context.requestID == request.id)
            #expect(error?.context.attempts == 0)
        }
        #expect(await fixtureAll(states) == [.idle, .failed])
        #expect(world.recorder.entries.isEmpty)
        #expect(world.transport.receivedCount == 0)
    }

    @Test(arguments: StubReply.Point.allCases, [false, true])
    func `cancelled on the wire end as cancelled, hooks and all`(point: StubReply.Point, isRecording: Bool) async {
        let world = FixtureWorld(isRecording: isRecording)
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate, at: point))
        let request = world.client.request(FixtureText())
        let states = await request.states
        await request.start()
        await gate.waitUntilReached()
        request.cancel()
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(error?.context.attempts == 1)
        #expect(await fixtureAll(states) == [.idle, .running, .failed])
        if isRecording {
            await fixtureUntil { world.recorder.hooks(of: request.id).count == 4 }
            #expect(world.recorder.hooks(of: request.id) == FixtureHook.names)
            #expect(world.recorder.end(of: request.id)?.isCancelled == true)
        }
        await world.expectAtRest()
    }

    @Test func `cancelled after the end keep their value`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let request = world.client.request(FixtureText())
        #expect(try await request.value == "x")
        request.cancel()
        #expect(await request.state == .finished)
        #expect(try await request.value == "x")
    }

    @Test(arguments: [true, false])
    func `cancelled while they wait for a slot leave the queue`(isSent: Bool) async {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        await world.client.scheduler.pause()
        let request = world.client.request(FixtureText())
        let task = Task { () -> ErrandError.Code? in
            do throws(ErrandError) {
                _ = isSent ? try await world.client.send(FixtureText()) : try await request.value
                return nil
            } catch {
                return error.code
            }
        }
        await world.waitUntilQueued(1)
        await world.client.cancelAll()
        #expect(await task.value == .cancelled)
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
        await world.client.scheduler.resume()
        await world.expectAtRest()
    }

    @Test func `start without being waited for`() async {
        let world = FixtureWorld()
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let states: AsyncStream<RequestState>
        do {
            let request = world.client.request(FixtureText())
            states = await request.states
            await request.start()
        }
        await gate.waitUntilReached()
        gate.open()
        #expect(await fixtureAll(states).last == .finished)
    }

    @Test func `have ids that grow`() {
        let world = FixtureWorld()
        let ids = (1...100).map { _ in world.client.request(FixtureText()).id }
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == 100)
        #expect("\(ids[0])" == "#\(ids[0].rawValue)")
    }

    @Test func `cancelled before the start end the streams of their answers`() async {
        let world = FixtureWorld()
        let request = world.client.request(FixtureText())
        let responses = await request.responses
        request.cancel()
        let error = await #expect(throws: ErrandError.self) {
            for try await response in responses { Issue.record("an answer came: \(response.value)") }
        }
        #expect(error?.code == .cancelled)
        // Not because nobody holds the request any more.
        #expect(await request.state == .failed)
    }

    @Test func `refused at the start end the streams of their answers`() async {
        let (world, log) = (FixtureWorld(), FixtureLog())
        let request = world.client.request(FixtureText("https:///"))
        let responses = await request.responses
        await request.start()
        async let _: Void = {
            do {
                for try await response in responses { log.add("an answer: \(response.value)") }
            } catch {
                log.add("\((error as? ErrandError)?.code == .invalidURL)")
            }
        }()
        #expect(await fixtureHolds { log.lines == ["true"] })
        #expect(await request.state == .failed)
    }

    @Test func `refused at the start fail by the name that they were given`() async {
        let request = FixtureWorld().client.request(FixtureText("https:///"), options: RequestOptions().name("front"))
        let error = await request.fixtureResult.fixtureFailure
        #expect(error?.code == .invalidURL)
        #expect(error?.context.endpointName == "front")
        #expect(error?.context.requestID == request.id)
    }

    @Test func `let go of before the start end the streams of their answers`() async {
        let (world, log) = (FixtureWorld(), FixtureLog())
        let responses = await world.client.request(FixtureText()).responses
        async let _: Void = {
            do {
                for try await response in responses { log.add("an answer: \(response.value)") }
            } catch {
                log.add("\((error as? ErrandError)?.code == .cancelled)")
            }
        }()
        #expect(await fixtureHolds { log.lines == ["true"] })
    }
}
