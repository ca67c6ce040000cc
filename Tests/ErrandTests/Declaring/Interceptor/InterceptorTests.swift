internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Interceptors", .timeLimit(.minutes(60)), .paced)
struct InterceptorTests {
    private let log = FixtureLog()
    private let gate = StubGate()

    private func logging(_ name: String) -> FixtureInterceptor {
        let log = self.log
        return FixtureInterceptor { request, _, next in
            log.add("\(name) in")
            defer { log.add("\(name) out") }
            return try await next(request)
        }
    }

    private func send(
        _ interceptor: FixtureInterceptor, _ world: FixtureWorld = FixtureWorld()
    ) async throws -> TypedResponse<String> {
        world.transport.route("*", .text("x"))
        return try await world.client.response(for: FixtureText { $0.options = .interceptors([interceptor]) })
    }

    private func error(_ interceptor: FixtureInterceptor, _ world: FixtureWorld = FixtureWorld()) async -> ErrandError?
    {
        await #expect(throws: ErrandError.self) { try await self.send(interceptor, world) }
    }

    @Test func `are asked in order, the client's before the endpoint's`() async throws {
        let world = FixtureWorld { $0.interceptors = [self.logging("1"), self.logging("2")] }
        world.transport.route("*", .text("x"))
        let endpoint = FixtureText { $0.options = .interceptors([self.logging("3"), self.logging("4")]) }
        _ = try await world.client.send(endpoint)
        #expect(self.log.lines == ["1 in", "2 in", "3 in", "4 in", "4 out", "3 out", "2 out", "1 out"])
    }

    @Test func `change what is sent`() async throws {
        let world = FixtureWorld()
        let change = FixtureInterceptor { request, _, next in
            var request = request
            request.method = .put
            request.url = try request.url.resolving("http://other.test/changed")
            request.headers["X-A"] = "1"
            request.body = .bytes(Data([1]))
            return try await next(request)
        }
        _ = try await self.send(change, world)
        let sent = try #require(world.transport.received.first)
        #expect(sent.method == .put)
        #expect(sent.url.string == "http://other.test/changed")
        #expect(sent.headers["X-A"] == "1")
        guard case .bytes(Data([1])) = sent.body else {
            Issue.record("another body: \(sent.body)")
            return
        }
    }

    @Test func `count the request to the host that it is sent to in the end`() async throws {
        let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 10, perHost: 1) }
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let redirect = FixtureInterceptor { request, _, next in
            var request = request
            request.url = try request.url.resolving("http://other.test/")
            return try await next(request)
        }
        let one = world.client.request(FixtureText { $0.options = .interceptors([redirect]) })
        await one.start()
        await self.gate.waitUntilReached()
        let two = world.client.request(FixtureText("http://other.test/2"))
        await two.start()
        await world.waitUntilQueued(1)
        let three = world.client.request(FixtureText("3"))
        await three.start()
        await self.gate.waitUntilReached(2)
        self.gate.open()
        for request in [one, two, three] { _ = try await request.value }
    }

    @Test func `change what comes back`() async throws {
        let change = FixtureInterceptor { request, _, next in
            var response = try await next(request)
            response.body = .bytes(Data("changed".utf8))
            response.head.headers["X-A"] = "1"
            return response
        }
        let response = try await self.send(change)
        #expect(response.value == "changed")
        #expect(response.head.headers["X-A"] == "1")
    }

    @Test func `answer in place of the network, without a slot`() async throws {
        let world = FixtureWorld(isRecording: true)
        await world.client.scheduler.pause()
        let answer = FixtureInterceptor { _, _, _ in HTTPResponse(status: 200, body: Data("own".utf8)) }
        let response = try await self.send(answer, world)
        #expect(response.value == "own")
        #expect(response.attempts == 0)
        #expect(world.transport.receivedCount == 0)
    }

    @Test func `answer with what is then validated and decoded`() async {
        let refuse = FixtureInterceptor { _, _, _ in HTTPResponse(status: 401, body: Data("who?".utf8)) }
        let error = await self.error(refuse)
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.status == .unauthorized)
        #expect(error?.context.body == Data("who?".utf8))
    }

    @Test func `see responses that will not be accepted`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .status(401), .text("in"))
        let log = self.log
        let login = FixtureInterceptor { request, _, next in
            let first = try await next(request)
            log.add("\(first.status.code)")
            return first.status == .unauthorized ? try await next(request) : first
        }
        #expect(try await self.send(login, world).value == "in")
        #expect(self.log.lines == ["401"])
    }

    @Test func `hold no slot between two attempts`() async throws {
        let world = FixtureWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
        let hold = FixtureGate()
        let retry = FixtureInterceptor { request, _, next in
            _ = try await next(request)
            await hold.pass()
            return try await next(request)
        }
        world.transport.route("*", .text("x"))
        let request = world.client.request(FixtureText { $0.options = .interceptors([retry]) })
        await request.start()
        await hold.waitUntilReached()
        #expect(await world.client.scheduler.activeCount == 0)
        #expect(try await world.client.send(FixtureText("other")) == "x")
        hold.open()
        #expect(try await request.response.attempts == 2)
        #expect(world.transport.peakCount == 1)
        await world.expectAtRest()
    }

    @Test func `are told whose request it is`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text("x"))
        let log = self.log
        let tell = FixtureInterceptor { request, context, next in
            log.add("\(context.requestID) \(context.endpointName) \(context.tag ?? "")")
            return try await next(request)
        }
        let request = world.client.request(
            FixtureText { $0.options = .interceptors([tell]) }, options: .tag("screen"))
        _ = try await request.value
        #expect(self.log.lines == ["\(request.id) FixtureText screen"])
    }

    // MARK: - Failing

    @Test func `that throw are the cause`() async {
        let world = FixtureWorld()
        let error = await self.error(FixtureInterceptor { _, _, _ in throw FixtureError() }, world)
        #expect(error?.code == .interceptorFailed)
        #expect(error?.cause as? FixtureError == FixtureError())
        #expect(error?.message.contains("FixtureInterceptor") == true)
        #expect(error?.context.url == "https://api.test/a")
        await world.expectAtRest()
    }

    @Test func `keep the errors of Errand`() async {
        let own = await self.error(FixtureInterceptor { _, _, _ in throw ErrandError(.unsupported, "own") })
        #expect(own?.code == .unsupported)
        #expect(own?.message == "own")
        let world = FixtureWorld()
        world.transport.route("a", .failure(.tlsFailed))
        let passed = await self.error(self.logging("1"), world)
        #expect(passed?.code == .tlsFailed)
        #expect(passed?.context.attempts == 1)
    }

    @Test func `leave an error of another request what it is`() async {
        let world = FixtureWorld()
        world.transport.route("other", .status(503))
        let other = FixtureInterceptor { _, _, _ in
            _ = try await world.client.send(FixtureText("https://other.test/other"))
            return HTTPResponse(status: .ok)
        }
        let error = await self.error(other, world)
        #expect(error?.context.url == "https://other.test/other")
        #expect(error?.context.status == 503)
        #expect(error?.context.attempts == 1)
        let after = FixtureInterceptor { request, _, next in
            _ = try await next(request)
            _ = try await world.client.send(FixtureText("https://other.test/other") { $0.method = .put })
            return HTTPResponse(status: .ok)
        }
        let late = await self.error(after, world)
        #expect(late?.context.method == "PUT")
        #expect(late?.context.status == 503)
        #expect(late?.context.requestID != nil)
    }

    @Test func `are cancelled by a cancellation error`() async {
        let error = await self.error(FixtureInterceptor { _, _, _ in throw CancellationError() })
        #expect(error?.code == .cancelled)
    }

    @Test func `that add what is not legal are refused`() async {
        let world = FixtureWorld()
        let header = FixtureInterceptor { request, _, next in
            var request = request
            request.headers["X-A"] = "1\r\nX-Evil: 1"
            return try await next(request)
        }
        #expect(await self.error(header, world)?.code == .invalidRequest)
        let method = FixtureInterceptor { request, _, next in
            var request = request
            request.method = "GET /"
            return try await next(request)
        }
        #expect(await self.error(method, world)?.code == .invalidRequest)
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
    }

    @Test func `cannot outlive a cancellation by swallowing it`() async {
        let world = FixtureWorld()
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let stubborn = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch { return HTTPResponse(status: 200) }
        }
        let request = world.client.request(FixtureText { $0.options = .interceptors([stubborn]) })
        await request.start()
        await self.gate.waitUntilReached()
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        await world.expectAtRest()
    }

    @Test func `cannot send on once they are cancelled`() async {
        let world = FixtureWorld()
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let stubborn = FixtureInterceptor { request, _, next in
            do { return try await next(request) } catch { return try await next(request) }
        }
        let request = world.client.request(FixtureText { $0.options = .interceptors([stubborn]) })
        await request.start()
        await self.gate.waitUntilReached()
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(error?.context.attempts == 1)
        #expect(world.transport.receivedCount == 1)
    }

    @Test func `are not asked for an answer from the cache`() async throws {
        let world = FixtureWorld { $0.interceptors = [self.logging("1")] }
        world.transport.route("*", .text("x"))
        let endpoint = FixtureText { $0.options = .caching(.fresh(for: .seconds(3600))) }
        for _ in 1...2 { _ = try await world.client.send(endpoint) }
        #expect(self.log.lines == ["1 in", "1 out"])
    }

    @Test func `can be tested by themselves`() async throws {
        let next = InterceptorNext { request throws(ErrandError) in
            HTTPResponse(status: 200, body: Data(request.url.path.utf8))
        }
        let response = try await next(HTTPRequest(url: HTTPURL("https://api.test/path")))
        #expect(response.data == Data("/path".utf8))
    }
}
