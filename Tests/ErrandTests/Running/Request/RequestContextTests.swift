internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

private enum Locals {
    @TaskLocal static var trace = "none"
}

/// Writes down the task-local value wherever a transport is called.
private struct TracingTransport: Transport {
    let inner: StubTransport
    let log: FixtureLog

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        self.log.add("transport \(Locals.trace)")
        return try await self.inner.exchange(request, context)
    }
}

@Suite("Requests: what they carry along", .timeLimit(.minutes(60)), .paced)
struct RequestContextTests {
    @Test func `a tag and user info, to be found in hooks and in the record`() async throws {
        let world = FixtureWorld(isRecording: true)
        let gate = StubGate()
        world.transport.route("a", StubReply.text("x").held(by: gate))
        let options = RequestOptions.tag("home").userInfo(["row": 7])
        let request = world.client.request(FixtureText(), options: options)
        #expect(request.tag == "home")
        #expect(request.userInfo["row"] as? Int == 7)
        await request.start()
        await gate.waitUntilReached()
        #expect(await world.client.record.entry(request.id)?.tag == "home")
        gate.open()
        _ = try await request.value
        for entry in world.recorder.entries {
            #expect(entry.activity.tag == "home")
            #expect(entry.activity.userInfo["row"] as? Int == 7)
            #expect(entry.activity.name == "FixtureText")
            #expect(entry.activity.kind == .request)
            #expect(entry.activity.parent == nil)
            #expect(entry.activity.request?.url.path == "/a")
        }
    }

    @Test func `accessories of their own behind the client's`() async throws {
        let log = FixtureLog()
        let world = FixtureWorld { $0.accessories = [FixtureHooks.logging("client", to: log)] }
        world.transport.route("a", .text("x"))
        let options = RequestOptions.accessories([FixtureHooks.logging("own", to: log)])
        _ = try await world.client.send(FixtureText(), options: options)
        #expect(log.lines == FixtureHook.names.flatMap { ["client \($0)", "own \($0)"] })
    }

    enum Way: String, CaseIterable { case send, value, start, batch, stream, chain }

    @Test(arguments: Way.allCases, [true, false])
    func `task-local values of the starter, also after they waited for a slot`(way: Way, isQueued: Bool) async throws {
        let log = FixtureLog()
        let hooks = FixtureHooks(
            willStart: { _ in log.add("hook \(Locals.trace)") }, didStop: { _, _ in log.add("hook \(Locals.trace)") })
        let interceptor = FixtureInterceptor { request, _, next in
            log.add("interceptor \(Locals.trace)")
            return try await next(request)
        }
        for isBare in [true, false] {
            let stub = StubTransport()
            stub.route("a", .text("x"))
            let world = FixtureWorld {
                $0.transport = TracingTransport(inner: stub, log: log)
                if !isBare { $0.accessories = [hooks] }
            }
            if isQueued { await world.client.scheduler.pause() }
            let endpoint = FixtureText { if !isBare { $0.options = $0.options.interceptors([interceptor]) } }
            let task = Task {
                try await Locals.$trace.withValue("mine") { try await self.send(endpoint, world.client, way) }
            }
            if isQueued {
                await world.waitUntilQueued(1)
                // The slot is given by someone with another value.
                await Locals.$trace.withValue("other") { await world.client.scheduler.resume() }
            }
            try await task.value
        }
        #expect(log.lines.contains("transport mine"))
        #expect(log.lines.contains("hook mine"))
        #expect(log.lines.contains("interceptor mine"))
        #expect(log.lines.allSatisfy { $0.hasSuffix("mine") }, "\(log.lines)")
    }

    private func send(_ endpoint: FixtureText, _ client: Client, _ way: Way) async throws {
        switch way {
        case .send: _ = try await client.send(endpoint)
        case .value: _ = try await client.request(endpoint).value
        case .start:
            let request = client.request(endpoint)
            await request.start()
            _ = try await request.value
        case .batch: _ = try await client.batch(of: [endpoint]).value
        case .stream: for await outcome in client.outcomes(of: [endpoint]) { _ = try outcome.result.get() }
        case .chain: _ = try await client.chain(endpoint).value
        }
    }

    @Test(arguments: [(100, true), (101, false)])
    func `a limit for the body`(size: Int, fits: Bool) async throws {
        let world = FixtureWorld { $0.limits.responseBody = 100 }
        world.transport.route("a", .data(Data(count: size)))
        let request = world.client.request(FixtureData())
        if fits {
            #expect(try await request.value.count == size)
        } else {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.message.contains("100") == true)
        }
    }

    @Test func `a limit for the body that holds for transports that do not keep it`() async {
        struct Careless: Transport {
            func exchange(_: HTTPRequest, _: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
                HTTPResponse(status: 200, body: Data(count: 101))
            }
        }
        let world = FixtureWorld {
            $0.limits.responseBody = 100
            $0.transport = Careless()
        }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureData()) }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test(arguments: [(64 << 10), (64 << 10) + 1, 1 << 20])
    func `a body of any size to decode`(size: Int) async throws {
        let world = FixtureWorld()
        world.transport.route("a", .json("\"" + String(repeating: "a", count: size - 2) + "\""))
        #expect(try await world.client.send(FixtureJSON("a", String.self)).utf8.count == size - 2)
        world.transport.removeRoutes()
        world.transport.route("a", .json(String(repeating: "a", count: size)))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureJSON("a", String.self))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.context.body?.count == ErrandError.Context.bodyLimit)
    }

    @Test func `the time they waited for a slot`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        await world.client.scheduler.pause()
        let request = world.client.request(FixtureText())
        await request.start()
        await world.waitUntilQueued(1)
        world.clock.advance(by: .seconds(3))
        await world.client.scheduler.resume()
        #expect(try await request.response.timings == ExchangeMetrics.Timings(queue: .seconds(3), total: .seconds(3)))
    }

    @Test func `the time in the queue is that of all attempts`() async throws {
        let gate = StubGate()
        let world = FixtureWorld {
            $0.options = $0.options.withoutTimeout()
            $0.options = $0.options.retries(RetryPolicy(backoff: Backoff(base: .zero, jitter: .none)))
        }
        world.transport.route("a", StubReply.status(503).held(by: gate), .text("x"))
        let (request, scheduler) = (world.client.request(FixtureText()), world.client.scheduler)
        await scheduler.pause()
        await request.start()
        await world.waitUntilQueued(1)
        world.clock.advance(by: .seconds(3))
        await scheduler.resume()
        await gate.waitUntilReached()
        await scheduler.pause()
        gate.open()
        await world.waitUntilQueued(1)
        world.clock.advance(by: .seconds(4))
        await scheduler.resume()
        #expect(try await request.response.timings.queue == .seconds(7))
    }
}
