internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite(
    "Equal requests that share an exchange (G1–G3, G6, G15)",
    .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct CoalescingTests {
    private let gate = StubGate()
    private let world = FixtureWorld(isRecording: true) { $0.options = $0.options.coalescing().withoutTimeout() }

    init() {
        self.world.transport.route("/a", .text("x").held(by: self.gate))
        self.world.transport.route(where: { _ in true }, .text("y"))
    }

    /// Starts a call several times, so that all of them are on their way.
    private func start(
        _ count: Int, _ call: FixtureText = FixtureText(), in world: FixtureWorld? = nil
    ) async -> [Request<FixtureText>] {
        let world = world ?? self.world
        let requests = (0..<count).map { _ in world.client.request(call) }
        for request in requests { await request.start() }
        await fixtureUntil { self.joined(in: world) >= count - 1 && world.transport.activeCount == 1 }
        return requests
    }

    private func joined(in world: FixtureWorld) -> Int {
        world.recorder.entries.count { if case .event(.coalesced) = $0.call { true } else { false } }
    }

    private func expectNothingIsShared(_ world: FixtureWorld? = nil) async {
        await (world ?? self.world).expectAtRest()
        #expect((world ?? self.world).client.environment.sharedExchangeCount == 0)
    }

    @Test func `have one response, and hooks of their own`() async throws {
        let requests = await self.start(5)
        #expect(await self.world.client.record.count == 5)
        self.gate.open()
        var sources: [ResponseSource] = []
        var attempts = 0
        for request in requests {
            let response = try await request.response
            #expect(response.value == "x" && response.requestID == request.id)
            #expect(response.url.string == "https://api.test/a")
            sources.append(response.source)
            attempts += response.attempts
        }
        #expect(sources.count { $0 == .network } == 1 && sources.count { $0 == .coalesced } == 4)
        #expect(attempts == 1)
        #expect(self.world.transport.received.count == 1)
        let stops = self.world.recorder.entries.count { $0.call.name == "didStop" }
        #expect(stops == 5, "the exchange has no hooks of its own")
        await self.expectNothingIsShared()
    }

    @Test func `leave alone, and the last one ends the exchange`() async throws {
        let requests = await self.start(3)
        requests[0].cancel()
        await fixtureUntil { await requests[0].state == .failed }
        #expect(self.world.transport.activeCount == 1)
        requests[1].cancel()
        requests[2].cancel()
        for request in requests {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled && error?.context.requestID == request.id)
        }
        await self.expectNothingIsShared()
        self.gate.open()
        #expect(try await self.world.client.send(FixtureText()) == "x", "who comes then starts afresh")
        #expect(self.world.transport.received.count == 2)
    }

    @Test func `who stays has the response, whoever began`() async throws {
        let requests = await self.start(3)
        for request in requests.dropLast() { request.cancel() }
        self.gate.open()
        #expect(try await requests[2].value == "x")
        await self.expectNothingIsShared()
    }

    @Test func `share a failure, and each has it as its own`() async throws {
        let gate = StubGate()
        let world = FixtureWorld(isRecording: true) { $0.options = $0.options.coalescing().withoutTimeout() }
        world.transport.route("/a", .text("busy", status: 503).held(by: gate))
        let requests = await self.start(3, in: world)
        gate.open()
        for request in requests {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .unacceptableStatus && error?.context.status == 503)
            #expect(error?.context.requestID == request.id && error?.context.endpointName == "FixtureText")
        }
        #expect(world.transport.received.count == 1)
        await self.expectNothingIsShared(world)
    }

    @Test func `who comes after the response has another one`() async throws {
        for _ in 0..<3 { #expect(try await self.world.client.send(FixtureText("b")) == "y") }
        #expect(self.world.transport.received.count == 3)
    }

    @Test func `are not shared where something differs, or may do harm`() async throws {
        let calls = [
            FixtureText { $0.headers = ["Accept-Language": "de"] }, FixtureText { $0.parameters = ["a": "b"] },
            FixtureText { $0.options = $0.options.credentials(.own(.bearer("other"))) },
            FixtureText { $0.options = $0.options.coalescing(false) },
            FixtureText { $0.method = .post }, FixtureText { $0.options = .interceptors([URLFilter(query: [:])]) },
            FixtureText { $0.options = .destination(.stream(buffer: 1_000)) },
        ]
        let first = await self.start(1)
        self.gate.open()
        for call in calls { _ = try? await self.world.client.send(call) }
        _ = try await first[0].value
        #expect(self.joined(in: self.world) == 0)
        await self.expectNothingIsShared()
    }

    @Test func `have deadlines of their own`() async throws {
        let hasty = await self.start(1, FixtureText { $0.options = .timeout(total: .seconds(5)) })
        let patient = self.world.client.request(FixtureText())
        await patient.start()
        await fixtureUntil { self.joined(in: self.world) == 1 && self.world.clock.sleeperCount > 0 }
        self.world.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ErrandError.self) { try await hasty[0].value }
        #expect(error?.code == .timedOut)
        self.gate.open()
        #expect(try await patient.value == "x")
        await self.expectNothingIsShared()
    }

    @Test func `are not shared where what the client adds may be who asks`() async throws {
        struct Adds: Interceptor {
            let who: @Sendable () -> String
            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                var request = request
                request.headers["Authorization"] = self.who()
                return try await next(request)
            }
        }
        let names = Locked(["ann", "bob"])
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing().withoutTimeout()
            $0.interceptors = [Adds { names.withLock { $0.removeFirst() } }]
        }
        world.transport.route(where: { _ in true }) { [gate] request, _ in
            .text(request.headers["Authorization"] ?? "nobody").held(by: gate)
        }
        let requests = (0..<2).map { _ in world.client.request(FixtureText()) }
        for request in requests { await request.start() }
        await fixtureUntil { world.transport.activeCount == 2 }
        self.gate.open()
        var values: Set<String> = []
        for request in requests { values.insert(try await request.value) }
        #expect(values == ["ann", "bob"])
        await self.expectNothingIsShared(world)
    }

    @Test func `tell the server how much time whoever began has, and begin no retry that cannot end in it`()
        async throws
    {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing().timeouts(Timeouts(total: .seconds(10)))
            $0.options = $0.options.deadlineHeader(.seconds("X-Timeout")).retries(.standard)
        }
        world.transport.route("/a", .text("busy", status: 503, headers: ["Retry-After": "30"]))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .unacceptableStatus)
        #expect(world.transport.received.map { $0.headers["X-Timeout"] } == ["10"])
        await self.expectNothingIsShared(world)
    }

    @Test func `who waits for longer than whoever began has a retry all the same`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing().withoutTimeout().retries(.standard)
            $0.options = $0.options.deadlineHeader(.seconds("X-Timeout"))
        }
        world.transport.route("/a", .text("busy", status: 503).held(by: self.gate), .text("x"))
        let hasty = world.client.request(FixtureText { $0.options = .timeout(total: .seconds(5)) })
        await hasty.start()
        await self.gate.waitUntilReached()
        let patient = world.client.request(FixtureText())
        await patient.start()
        await fixtureUntil { self.joined(in: world) == 1 && world.clock.sleeperCount > 0 }
        world.clock.advance(by: .seconds(5))
        let error = await #expect(throws: ErrandError.self) { try await hasty.value }
        #expect(error?.code == .timedOut)
        self.gate.open()
        while await !patient.state.isTerminal {
            if !world.clock.advanceToNextSleeper() { await Task.yield() }
        }
        #expect(try await patient.value == "x")
        #expect(world.transport.received.map { $0.headers["X-Timeout"] } == ["5", nil])
        await self.expectNothingIsShared(world)
    }

    @Test func `are not shared where one retries by other rules, or waits for the rate of its tag`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing().withoutTimeout()
            $0.limits.rates.tags = ["slow": RateLimit(1, per: .seconds(60))]
        }
        world.transport.route("/a", .text("x").held(by: self.gate))
        let calls = [FixtureText(), FixtureText { $0.options = .retries(.standard) }, FixtureText()]
        let options = [RequestOptions(), RequestOptions(), .tag("slow")]
        let requests = zip(calls, options).map { world.client.request($0, options: $1) }
        for request in requests { await request.start() }
        await fixtureUntil { world.transport.activeCount == 3 }
        self.gate.open()
        for request in requests { #expect(try await request.value == "x") }
        await self.expectNothingIsShared(world)
    }

    @Test(arguments: [true, false])
    func `are sent by themselves, and once, where a hook makes an unsafe request of them`(isShared: Bool) async throws {
        struct Turns: ProcessingEndpoint {
            typealias Response = String
            var path: EndpointPath { "a" }
            func prepare(_ request: inout HTTPRequest) async throws { request.method = .post }
        }
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing(isShared).withoutTimeout()
            $0.options = $0.options.hedging(.after(.seconds(1)))
        }
        world.transport.route("/a", .text("x").held(by: self.gate))
        let requests = (0..<2).map { _ in world.client.request(Turns()) }
        for request in requests { await request.start() }
        await fixtureUntil { world.transport.activeCount == 2 }
        world.clock.advance(by: .seconds(2))
        self.gate.open()
        for request in requests { #expect(try await request.value == "x") }
        #expect(world.transport.received.map(\.method) == [.post, .post])
        await self.expectNothingIsShared(world)
    }

    @Test func `are as urgent as the most urgent of them`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing().withoutTimeout()
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
        }
        let gate = StubGate()
        world.transport.route("/first", .text("1").held(by: gate))
        world.transport.route(where: { _ in true }, .text("2"))
        let first = world.client.request(FixtureText("first"))
        await first.start()
        await fixtureUntil { world.transport.activeCount == 1 }
        var requests: [Request<FixtureText>] = []
        for (path, priority) in [("shared", RequestPriority.low), ("other", .normal), ("shared", .high)] {
            let request = world.client.request(FixtureText(path), options: .priority(priority))
            await request.start()
            let queued = min(requests.count + 1, 2)
            await fixtureUntil { await world.client.scheduler.waitingCount == queued }
            requests.append(request)
        }
        await fixtureUntil { self.joined(in: world) == 1 }
        for _ in 0..<200 { await Task.yield() }
        gate.open()
        for request in requests { #expect(try await request.value == "2") }
        #expect(world.sentPaths == ["first", "shared", "other"])
        await self.expectNothingIsShared(world)
    }

    @Test func `each stores what came, and what is stored needs no exchange`() async throws {
        let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        let requests = await self.start(2, call)
        self.gate.open()
        for request in requests { #expect(try await request.value == "x") }
        #expect(try await self.world.client.response(for: call).source.isCache)
        #expect(self.world.transport.received.count == 1)
        await self.expectNothingIsShared()
    }

    @Test func `pass the client's interceptors once, with the first one's endpoint`() async throws {
        struct Names: Interceptor {
            let note: @Sendable (String) -> Void
            /// What it sees is the same whoever asks.
            var cachePartition: String { "" }
            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                self.note(context.endpoint is FixtureText ? context.endpointName : "another")
                return try await next(request)
            }
        }
        let seen = AsyncStream<String>.makeStream()
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.coalescing().withoutTimeout()
            $0.interceptors = [Names { seen.continuation.yield($0) }]
        }
        let gate = StubGate()
        world.transport.route("/a", .text("x").held(by: gate))
        let requests = await self.start(3, in: world)
        gate.open()
        for request in requests { #expect(try await request.value == "x") }
        seen.continuation.finish()
        #expect(await fixtureAll(seen.stream) == ["FixtureText"])
        await self.expectNothingIsShared(world)
    }

    @Test func `a request that comes after another has left shares the exchange, too`() async throws {
        let requests = await self.start(2)
        requests[0].cancel()
        await fixtureUntil { await requests[0].state == .failed }
        let later = self.world.client.request(FixtureText())
        await later.start()
        await fixtureUntil { self.joined(in: self.world) >= 2 || self.world.transport.receivedCount > 1 }
        self.gate.open()
        for request in [requests[1], later] { #expect(try await request.value == "x") }
        #expect(self.world.transport.receivedCount == 1)
        await self.expectNothingIsShared()
    }
}
