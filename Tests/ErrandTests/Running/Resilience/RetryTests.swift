internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Retries whose delays are no matter of chance: 1, 2, 4, … seconds.
private let plain = RetryPolicy(
    limit: 2, backoff: Backoff(base: .seconds(1), cap: .seconds(100), jitter: .none))

@Suite("Requests that are sent again (G6, G16, G18)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct RetryTests {
    private let world = FixtureWorld(isRecording: true) {
        $0.options = $0.options.retries(plain)
        $0.options = $0.options.withoutTimeout()
        $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
    }

    /// Sends a call, and moves the clock to each moment that something sleeps to.
    private func send(_ call: FixtureText, in world: FixtureWorld? = nil) async -> Result<String, ErrandError> {
        let world = world ?? self.world
        let request = world.client.request(call)
        await request.start()
        while await !request.state.isTerminal {
            if !world.clock.advanceToNextSleeper() { await Task.yield() }
        }
        return await request.fixtureResult
    }

    private func events(of world: FixtureWorld? = nil) -> [String] {
        (world ?? self.world).recorder.entries.compactMap { entry in
            switch entry.call {
            case .event(.retry(let retry)): "retry \(retry)"
            case .event(.retryRefused(let reason, let refusal)): "refused \(reason): \(refusal)"
            case .event(.attemptStarted(let number)): "attempt \(number)"
            default: nil
            }
        }
    }

    // MARK: - What is sent again

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `after a status that a retry may help against`(status: HTTPStatus) async throws {
        self.world.transport.route("/a", .status(status), .status(status), .text("x"))
        #expect(await self.send(FixtureText()).fixtureSuccess == "x")
        #expect(
            self.events() == [
                "attempt 1", "retry attempt 1: \(status), again after 1.0 seconds", "attempt 2",
                "retry attempt 2: \(status), again after 2.0 seconds", "attempt 3",
            ])
        #expect(self.world.clock.now.offset == .seconds(3))
        await self.world.expectAtRest()
    }

    @Test func `not because of a request that was sent for something else`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).withoutTimeout()
            $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 1))
        }
        world.transport.route("/audit", .failure(.cannotConnect))
        world.transport.route("/a", .text("x"))
        let other = FixtureWorld { $0.transport = world.transport }
        let audits = FixtureInterceptor { request, _, next in
            let response = try await next(request)
            _ = try await other.client.send(FixtureText("audit"))
            return response
        }
        let result = await self.send(
            FixtureText {
                $0.method = .post
                $0.options = $0.options.interceptors([audits])
            }, in: world)
        #expect(throws: ErrandError.self) { try result.get() }
        #expect(world.transport.received.filter { $0.url.path == "/a" }.count == 1)
        #expect(await self.send(FixtureText(), in: world).fixtureSuccess == "x", "no circuit is open")
    }

    @Test func `not for a token that cannot be had, which opens no circuit either`() async throws {
        struct Asks: Authenticator {
            let client: Client
            func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
                _ = try await self.client.send(FixtureText("token"))
                return nil
            }
        }
        let tokens = FixtureWorld()
        tokens.transport.route("/token", .status(503))
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).withoutTimeout()
            $0.options = $0.options.circuitBreaker(CircuitBreaker(minimumRequests: 1))
            $0.credentials.authenticator = Asks(client: tokens.client)
        }
        world.transport.route("/a", .status(401, headers: ["WWW-Authenticate": "Bearer"]))
        world.transport.route("/b", .text("b"))
        guard case .failure(let error) = await self.send(FixtureText(), in: world) else {
            Issue.record("there is no token")
            return
        }
        #expect(error.code == .authenticatorFailed)
        #expect((error.cause as? ErrandError)?.context.status == 503)
        #expect(world.transport.receivedCount == 1)
        #expect(await self.send(FixtureText("b"), in: world).fixtureSuccess == "b")
    }

    @Test(arguments: [ErrandError.Code.connectionLost, .cannotConnect, .hostNotFound, .timedOut])
    func `after an error that a retry may help against`(code: ErrandError.Code) async throws {
        self.world.transport.route("/a", .failure(code), .text("x"))
        #expect(await self.send(FixtureText()).fixtureSuccess == "x")
    }

    @Test(arguments: [200, 301, 400, 401, 404, 501])
    func `and not after another status`(status: HTTPStatus) async throws {
        self.world.transport.route("/a", .text("x", status: status), .text("y"))
        #expect(await self.send(FixtureText { $0.validation = .any }).fixtureSuccess == "x")
    }

    @Test(arguments: [ErrandError.Code.tlsFailed, .invalidResponse, .bodyTooLarge])
    func `nor after another error`(code: ErrandError.Code) async throws {
        self.world.transport.route("/a", .failure(code), .text("x"))
        #expect(await self.send(FixtureText()).fixtureFailure?.code == code)
    }

    @Test func `no more often than the policy says, and the error says what was tried`() async throws {
        self.world.transport.route("/a", .status(503), .failure(.connectionLost), .status(500, headers: ["X": "last"]))
        let error = await self.send(FixtureText()).fixtureFailure
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.status == 500)
        #expect(error?.context.headers?["X"] == "last")
        #expect(error?.context.attempts == 3)
        #expect(
            error?.context.retries == [
                ErrandError.Retry(attempt: 1, reason: .status(503), delay: .seconds(1)),
                ErrandError.Retry(attempt: 2, reason: .error(.connectionLost), delay: .seconds(2)),
            ])
    }

    @Test func `never, unless somebody says so, and an endpoint has its own word`() async throws {
        let world = FixtureWorld(isRecording: true) { $0.options = $0.options.withoutTimeout() }
        world.transport.route("/a", .status(503), .text("x"))
        #expect(await self.send(FixtureText(), in: world).fixtureFailure?.context.status == 503)
        world.transport.route("/b", .status(503), .text("x"))
        #expect(
            await self.send(FixtureText("b") { $0.options = .retries(plain) }, in: world).fixtureSuccess
                == "x")
        self.world.transport.route("/a", .status(503), .text("x"))
        #expect(
            await self.send(FixtureText { $0.options = .retries(.never) }).fixtureFailure?.context.status
                == 503)
    }

    // MARK: - What must not be sent twice

    @Test(arguments: [HTTPMethod.post, .patch, "CHARGE"])
    func `a method that is not idempotent is not sent again, unless it was not sent`(method: HTTPMethod) async throws {
        let call = FixtureText {
            $0.method = method
            $0.body = .text("x")
        }
        self.world.transport.route("/a", .status(503), .text("x"))
        #expect(await self.send(call).fixtureFailure?.context.status == 503)
        #expect(self.events().last == "refused 503 Service Unavailable: it must not be sent twice")
        self.world.transport.route("/a", .failure(.connectionLost), .text("x"))
        #expect(await self.send(call).fixtureFailure?.code == .connectionLost)
        self.world.transport.route("/a", .failure(.cannotConnect), .text("x"))
        #expect(await self.send(call).fixtureSuccess == "x")
    }

    @Test func `not even when its redirection could not be sent`() async throws {
        self.world.transport.route("/a", .status(307, headers: ["Location": "https://b.test/b"]))
        self.world.transport.route(where: { $0.url.host == "b.test" }, .failure(.cannotConnect), .text("x"))
        let call = FixtureText {
            $0.method = .post
            $0.body = .text("x")
        }
        #expect(await self.send(call).fixtureFailure?.code == .cannotConnect)
        #expect(self.world.sentPaths.filter { $0 == "a" }.count == 1)
    }

    @Test func `with a key it is, and the key is the same each time`() async throws {
        var policy = plain
        policy.addsIdempotencyKey = true
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(policy).withoutTimeout()
            $0.environment.random = SeededNumbers()
        }
        world.transport.route("/a", .status(503), .failure(.connectionLost), .text("x"))
        let call = FixtureText {
            $0.method = .post
            $0.body = .text("x")
        }
        #expect(await self.send(call, in: world).fixtureSuccess == "x")
        let keys = world.transport.received.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3 && Set(keys).count == 1)
        let form = /"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/
        #expect(keys[0]?.wholeMatch(of: form) != nil)
        world.transport.route("/a", .text("x"))
        _ = await self.send(call, in: world)
        #expect(world.transport.received.last?.headers["Idempotency-Key"] != keys[0], "another one for another request")
        _ = await self.send(FixtureText(), in: world)
        #expect(
            world.transport.received.last?.headers.contains("Idempotency-Key") == false, "none where none is needed")
    }

    @Test func `with a key of its own it is, and keeps that`() async throws {
        var policy = plain
        policy.addsIdempotencyKey = true
        for retries in [plain, policy] {
            let world = FixtureWorld(isRecording: true) { $0.options = $0.options.retries(retries).withoutTimeout() }
            world.transport.route("/a", .status(503), .text("x"))
            let call = FixtureText {
                $0.method = .post
                $0.headers = ["idempotency-key": "order-7"]
            }
            #expect(await self.send(call, in: world).fixtureSuccess == "x")
            #expect(
                world.transport.received.map { $0.headers.values(for: "Idempotency-Key") }
                    == [["order-7"], ["order-7"]])
        }
    }

    /// Loses its first connection, with or without having read some of the body before.
    private struct LossyTransport: Transport {
        let reads: Bool
        let calls = SentMoments()

        func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
            self.calls.note(.zero)
            if self.reads, case .stream(let body, _) = request.body {
                var iterator = body.makeAsyncIterator()
                _ = try await iterator.next()
            }
            guard self.calls.all.count > 1 else { throw ErrandError(.connectionLost, "lost") }
            return HTTPResponse(status: 200, body: Data("x".utf8))
        }
    }

    @Test(arguments: [(reads: true, isRepeatable: false, calls: 1), (false, false, 2), (true, true, 2)])
    func `a body that can be read only once is not sent again, once some of it was read`(
        reads: Bool, isRepeatable: Bool, calls: Int
    ) async throws {
        let transport = LossyTransport(reads: reads)
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).withoutTimeout()
            $0.transport = transport
        }
        let call = FixtureText {
            $0.method = .put
            $0.body = .stream(
                BodyStream(isRepeatable: isRepeatable) {
                    var rest = Data("x".utf8) as Data?
                    return { () async throws(ErrandError) in rest.take() }
                })
        }
        let result = await self.send(call, in: world)
        #expect(transport.calls.all.count == calls)
        if calls == 1 {
            #expect(result.fixtureFailure?.code == .connectionLost)
            #expect(self.events(of: world).last == "refused connectionLost: it must not be sent twice")
        } else {
            #expect(result.fixtureSuccess == "x")
        }
    }

    // MARK: - When

    @Test(arguments: [
        (value: "5", wait: Duration.seconds(6)), ("0", .seconds(1)), (" 5 ", .seconds(6)), ("60", .seconds(61)),
        ("-5", .seconds(1)), ("1.5", .seconds(1)), ("soon", .seconds(1)), ("", .seconds(1)),
        ("Wed, 21 Oct 2015 07:28:10 GMT", .seconds(11)), ("Wed, 21 Oct 2015 07:27:00 GMT", .seconds(1)),
        ("Wednesday, 21-Oct-15 07:28:10 GMT", .seconds(11)), ("Wed Oct 21 07:28:10 2015", .seconds(11)),
        ("Wed, 21 Oct 1492 07:28:10 GMT", .seconds(1)),
    ])
    func `no sooner than the server says`(value: String, wait: Duration) async throws {
        self.world.transport.route(
            "/a", .status(503, headers: ["Retry-After": value, "Date": "Wed, 21 Oct 2015 07:28:00 GMT"]), .text("x"))
        #expect(await self.send(FixtureText()).fixtureSuccess == "x")
        #expect(self.world.clock.now.offset == wait)
    }

    @Test(arguments: ["61", "31536000000000", "99999999999999999999999999", "Wed, 21 Oct 9999 07:28:10 GMT"])
    func `not at all when it says that it will take too long`(value: String) async throws {
        self.world.transport.route("/a", .status(503, headers: ["Retry-After": value]), .text("x"))
        #expect(await self.send(FixtureText()).fixtureFailure?.context.status == 503)
        #expect(
            self.events().last == "refused 503 Service Unavailable: the server asks for too long a delay")
        #expect(self.world.clock.now.offset == .zero)
    }

    @Test func `a date is compared with the clock of the wall where the server has none`() async throws {
        let date = Date(timeIntervalSince1970: 1_445_412_480)
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).withoutTimeout()
            $0.environment.date = { date }
        }
        world.transport.route(
            "/a", .status(429, headers: ["Retry-After": "Wed, 21 Oct 2015 07:28:10 GMT"]), .text("x"))
        #expect(await self.send(FixtureText(), in: world).fixtureSuccess == "x")
        #expect(world.clock.now.offset == .seconds(11))
    }

    @Test func `only if there is time left`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).timeouts(Timeouts(total: .seconds(3)))
        }
        world.transport.route("/a", .status(503), .status(500), .text("x"))
        let request = world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(1) }
        world.clock.advance(by: .seconds(1))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.context.status == 500)
        #expect(self.events(of: world).last == "refused 500 Internal Server Error: there is not enough time left")
    }

    @Test func `no attempt outlives the request`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).timeouts(Timeouts(total: .seconds(3)))
        }
        let gate = StubGate()
        world.transport.route("/a", .status(503), .text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { world.clock.nextSleeperDeadline?.offset == .seconds(1) }
        world.clock.advance(by: .seconds(1))
        await fixtureUntil { world.transport.activeCount == 1 && world.clock.nextSleeperDeadline != nil }
        world.clock.advance(by: .seconds(2))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message == "the request took longer than 3.0 seconds")
        #expect(error?.context.retries.count == 1)
        gate.open()
        await world.expectAtRest()
    }

    @Test func `after the deadline of an attempt`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).timeouts(Timeouts(attempt: .seconds(5)))
        }
        let gate = StubGate()
        world.transport.route("/a", .text("late").held(by: gate), .text("x"))
        #expect(await self.send(FixtureText(), in: world).fixtureSuccess == "x")
        #expect(world.clock.now.offset >= .seconds(6))
        gate.open()
        await world.expectAtRest()
    }

    // MARK: - While it waits

    @Test func `it holds no slot`() async throws {
        self.world.transport.route("/a", .status(503), .text("x"))
        self.world.transport.route("/b", .text("y"))
        let request = self.world.client.request(FixtureText())
        await request.start()
        await self.world.clock.waitForSleeper()
        #expect(try await self.world.client.send(FixtureText("b")) == "y")
        #expect(await request.state == .running)
        self.world.clock.advance(by: .seconds(1))
        #expect(try await request.value == "x")
    }

    @Test func `it can be cancelled, and nothing is left`() async throws {
        self.world.transport.route("/a", .status(503), .text("x"))
        let request = self.world.client.request(FixtureText())
        await request.start()
        await self.world.clock.waitForSleeper()
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(self.world.transport.received.count == 1)
        await self.world.expectAtRest()
    }

    @Test func `cancelling the task that sends ends the wait`() async throws {
        self.world.transport.route("/a", .status(503), .text("x"))
        let client = self.world.client
        let task = Task { try await client.send(FixtureText()) }
        await self.world.clock.waitForSleeper()
        task.cancel()
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await self.world.expectAtRest()
    }

    @Test func `cancelling everything ends the wait, also in the task of who sends`() async throws {
        self.world.transport.route("/a", .status(503), .text("x"))
        let client = self.world.client
        let task = Task { try await client.send(FixtureText()) }
        await self.world.clock.waitForSleeper()
        await client.cancelAll()
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(self.world.transport.received.count == 1)
        await self.world.expectAtRest()
    }

    @Test func `shutting down ends the wait`() async throws {
        self.world.transport.route("/a", .status(503), .text("x"))
        let request = self.world.client.request(FixtureText())
        await request.start()
        await self.world.clock.waitForSleeper()
        await self.world.client.shutdown()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .clientShutDown)
    }

    @Test func `it can be suspended, and is sent again when it goes on`() async throws {
        self.world.transport.route("/a", .status(503), .text("x"))
        let request = self.world.client.request(FixtureText())
        await request.start()
        await self.world.clock.waitForSleeper()
        request.suspend()
        self.world.clock.advance(by: .seconds(10))
        await fixtureUntil { self.world.clock.sleeperCount == 0 }
        for _ in 0..<50 { await Task.yield() }
        #expect(self.world.transport.received.count == 1)
        request.resume()
        #expect(try await request.value == "x")
        await self.world.expectAtRest()
    }

    // MARK: - With others

    @Test func `around the interceptors, which see each attempt`() async throws {
        struct Count: Interceptor {
            let recorder: @Sendable (Int) -> Void
            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                self.recorder(context.attempt)
                return try await next(request)
            }
        }
        let seen = AsyncStream<Int>.makeStream()
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).withoutTimeout()
            $0.interceptors = [Count { seen.continuation.yield($0) }]
        }
        world.transport.route("/a", .status(503), .text("x"))
        #expect(await self.send(FixtureText(), in: world).fixtureSuccess == "x")
        seen.continuation.finish()
        #expect(await fixtureAll(seen.stream) == [1, 2])
        await world.expectAtRest()
    }

    @Test func `the budget is that of all requests to a host`() async throws {
        let world = FixtureWorld(isRecording: true) {
            $0.options = $0.options.retries(plain).withoutTimeout()
            $0.limits.retryBudget = RetryBudget(ratio: 0.5, perSecond: 0, window: .seconds(60))
        }
        world.transport.route(where: { _ in true }, .status(503))
        _ = await self.send(FixtureText(), in: world)
        #expect(world.transport.received.count == 1, "one request pays for half a retry")
        #expect(self.events(of: world).last == "refused 503 Service Unavailable: the retry budget is exhausted")
        _ = await self.send(FixtureText(), in: world)
        #expect(world.transport.received.count == 3)
        _ = await self.send(FixtureText("https://other.test/a"), in: world)
        #expect(world.transport.received.count == 4, "another host has another budget")
    }

    @Test func `a body that was to be streamed gives its slot back before the wait`() async throws {
        self.world.transport.route("/a", .text("busy", status: 503), .text("good"))
        let client = self.world.client
        // It is accepted, so that nobody else cuts it.
        async let value = client.stream(FixtureText { $0.validation = .any }) { response in
            var text = ""
            for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
            return text
        }
        await self.world.clock.waitForSleeper()
        #expect(await client.scheduler.activeCount == 0)
        self.world.clock.advance(by: .seconds(1))
        #expect(try await value == "good")
        await self.world.expectAtRest()
    }

    @Test func `what comes in the end is stored, and what is stored needs no retry`() async throws {
        self.world.transport.route("/a", .status(503), .text("x"))
        let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        #expect(await self.send(call).fixtureSuccess == "x")
        #expect(await self.send(call).fixtureSuccess == "x")
        #expect(self.world.transport.received.count == 2)
        await self.world.expectAtRest()
    }
}
