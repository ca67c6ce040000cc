internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Endpoints: hooks (G2)", .timeLimit(.minutes(60)), .paced)
struct ProcessingEndpointTests {
    @Test("D12: run in their order among the hooks of accessories")
    func order() async throws {
        let log = FixtureLog()
        let world = FixtureWorld { $0.accessories = [FixtureHooks.logging("accessory", to: log)] }
        world.transport.route("a", .text("x"))
        #expect(try await world.client.send(HookedText(log: log)) == "x")
        #expect(
            log.lines == [
                "accessory willStart", "accessory didStart", "prepare", "didReceive 200", "didFinish x",
                "accessory willStop", "accessory didStop",
            ])
        await world.expectAtRest()
    }

    @Test func `change the request, and what it is validated and cached by`() async throws {
        let world = FixtureWorld { $0.cache = MemoryCache() }
        world.transport.route("*", .text("x"))
        let log = FixtureLog()
        var call = HookedText(log: log)
        call.options = .caching(.fresh(for: .seconds(60)))
        call.onPrepare = { request in
            request.headers["X-Signature"] = "s"
            request.url = try HTTPURL("https://api.test/b")
            request.method = .post
            request.body = .bytes(Data("signed".utf8))
        }
        let response = try await world.client.response(for: call)
        let sent = try #require(world.transport.received.first)
        #expect(sent.headers["X-Signature"] == "s")
        #expect(sent.method == .post)
        #expect(response.url.string == "https://api.test/b")
        #expect(try await world.client.response(for: call).source.isCache)
        // Signed otherwise, it is another request.
        call.onPrepare = { $0.headers["X-Signature"] = "t" }
        #expect(try await world.client.response(for: call).source == .network)
    }

    @Test func `change the response before it is validated; the cache keeps it as it came`() async throws {
        let world = FixtureWorld { $0.cache = MemoryCache() }
        world.transport.route("a", .text("x", status: 500))
        let log = FixtureLog()
        var call = HookedText(log: log)
        call.options = .caching(.fresh(for: .seconds(60)))
        call.onReceive = { response in
            response.head.status = 200
            response.body = .bytes(response.data + Data("!".utf8))
        }
        let first = try await world.client.response(for: call)
        let second = try await world.client.response(for: call)
        #expect(first.value == "x!")
        #expect(first.head.status == 200)
        #expect(second.value == "x!")
        #expect(second.source.isCache)
        #expect(
            log.lines == ["prepare", "didReceive 500", "didFinish x!", "prepare", "didReceive 500", "didFinish x!"])
    }

    @Test func `a response that a hook has replaced comes from where that came from which it replaces`() async throws {
        let world = FixtureWorld { $0.cache = MemoryCache() }
        world.transport.route("a", .redirect("/b"))
        world.transport.route("b", .text("x"))
        var call = HookedText(log: FixtureLog())
        call.options = .caching(.fresh(for: .seconds(60)))
        call.onReceive = { $0 = HTTPResponse(status: 200, body: $0.data + Data("!".utf8)) }
        let (sent, stored) = (
            try await world.client.response(for: call), try await world.client.response(for: call)
        )
        #expect(world.sentPaths == ["a", "b"])
        for response in [sent, stored] {
            #expect(response.value == "x!")
            #expect(response.url.string == "https://api.test/b" && response.redirects == 1)
        }
        #expect(sent.source == .network && stored.source.isCache)
    }

    @Test func `an answer of the cache for which they throw is not used`() async throws {
        let world = FixtureWorld { $0.cache = MemoryCache() }
        world.transport.route("a", .text("x"))
        var call = HookedText(log: FixtureLog())
        call.options = .caching(.fresh(for: .seconds(60)))
        _ = try await world.client.send(call)
        let count = Locked(0)
        call.onReceive = { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { throw FixtureError() }
        }
        #expect(try await world.client.response(for: call).source == .network)
        #expect(world.transport.received.count == 2)
    }

    @Test(arguments: ["prepare", "didReceive"])
    func `that throw fail the request`(hook: String) async {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let log = FixtureLog()
        var call = HookedText(log: log)
        call.onPrepare = { _ in if hook == "prepare" { throw FixtureError() } }
        call.onReceive = { _ in if hook == "didReceive" { throw FixtureError() } }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(call) }
        #expect(error?.code == .hookFailed)
        #expect(error?.cause is FixtureError)
        #expect(error?.message == "HookedText.\(hook) failed: a failure of the app")
        #expect(error?.context.attempts == (hook == "prepare" ? 0 : 1))
        #expect(log.lines.last == "didFail hookFailed")
        await world.expectAtRest()
    }

    @Test func `cannot smuggle in what cannot be sent`() async {
        let world = FixtureWorld()
        var call = HookedText(log: FixtureLog())
        call.onPrepare = { $0.headers["X"] = "a\r\nY: b" }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(call) }
        #expect(error?.code == .invalidRequest)
        #expect(world.transport.received.isEmpty)
    }

    @Test func `learn of every failure once`() async {
        let log = FixtureLog()
        let world = FixtureWorld()
        world.transport.route("a", .text("no", status: 404))
        await #expect(throws: ErrandError.self) { try await world.client.send(HookedText(log: log)) }
        #expect(log.lines == ["prepare", "didReceive 404", "didFail unacceptableStatus"])
    }

    @Test func `run in none of a request that never started`() async {
        let log = FixtureLog()
        let world = FixtureWorld()
        var call = HookedText(log: log)
        call.path = "a b"
        await #expect(throws: ErrandError.self) { try await world.client.send(call) }
        let request = world.client.request(HookedText(log: log))
        request.cancel()
        await #expect(throws: ErrandError.self) { try await request.value }
        #expect(log.lines == [])
    }

    @Test(arguments: ["prepare", "didReceive"])
    func `are left when the request is cancelled in them`(hook: String) async throws {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let (log, gate) = (FixtureLog(), FixtureGate())
        var call = HookedText(log: log)
        call.onPrepare = { _ in if hook == "prepare" { await gate.pass() } }
        call.onReceive = { _ in if hook == "didReceive" { await gate.pass() } }
        let request = world.client.request(call)
        await request.start()
        await gate.waitUntilReached()
        request.cancel()
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        #expect(log.lines.last == "didFail cancelled")
        #expect(world.transport.received.count == (hook == "prepare" ? 0 : 1))
        await world.expectAtRest()
    }

    @Test func `count against the deadline of the whole request`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        let gate = FixtureGate()
        var call = HookedText(log: FixtureLog())
        call.options = .timeout(total: .seconds(5))
        call.onPrepare = { _ in await gate.pass() }
        let request = world.client.request(call)
        await request.start()
        await gate.waitUntilReached()
        await world.clock.waitForSleeper()
        world.clock.advance(by: .seconds(6))
        let error = await #expect(throws: ErrandError.self) { try await request.value }
        #expect(error?.code == .timedOut)
    }

    @Test func `run on the request's own actor`() async throws {
        let world = FixtureWorld()
        world.transport.route("a", .text("x"))
        var call = HookedText(log: FixtureLog())
        let request = Locked<Request<HookedText>?>(nil)
        call.onPrepare = { _ in
            let request = try #require(request.withLock { $0 })
            request.preconditionIsolated()
        }
        let made = world.client.request(call)
        request.withLock { $0 = made }
        #expect(try await made.value == "x")
    }

    @Test func `of a call that is downloaded or streamed run too, but for the one with the value`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a", .text("x"))
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
        }
        let log = FixtureLog()
        let text = try await client.stream(HookedText(log: log)) { response in
            var data = Data()
            for try await chunk in response.body { data += chunk }
            return data.count
        }
        #expect(text == 1)
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await client.download(HookedText(log: log), to: file)
        #expect(log.lines == ["prepare", "didReceive 200", "prepare", "didReceive 200"])
        server.stop()
    }

    @Test func `are none for an endpoint that has none`() {
        #expect(FixtureText().processing == nil)
        #expect(HookedText(log: FixtureLog()).processing is HookedText)
    }
}

/// A call with all hooks, each of which is logged.
private struct HookedText: ProcessingEndpoint {
    typealias Response = String

    let log: FixtureLog
    var path: EndpointPath = "a"
    var options = RequestOptions()
    var onPrepare: @Sendable (inout HTTPRequest) async throws -> Void = { _ in }
    var onReceive: @Sendable (inout HTTPResponse) async throws -> Void = { _ in }

    init(log: FixtureLog) {
        self.log = log
    }

    func prepare(_ request: inout HTTPRequest) async throws {
        self.log.add("prepare")
        try await self.onPrepare(&request)
    }

    func didReceive(_ response: inout HTTPResponse) async throws {
        self.log.add("didReceive \(response.status.code)")
        try await self.onReceive(&response)
    }

    func didFinish(_ response: TypedResponse<String>) async {
        self.log.add("didFinish \(response.value)")
    }

    func didFail(_ error: ErrandError) async {
        self.log.add("didFail \(error.code)")
    }
}
