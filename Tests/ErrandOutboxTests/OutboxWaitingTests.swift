internal import ErrandLocks
internal import ErrandOutbox
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The outbox: what ends a wait, and what does not (G19)", .timeLimit(.minutes(60)), .paced)
struct OutboxWaitingTests {
    private let world: OutboxWorld

    init() throws {
        self.world = try OutboxWorld()
    }

    /// Waits until the sender of the only queue waits: for the end of a pause, or because there is nothing to send.
    private func waitUntilIdle(_ client: Client) async {
        await self.world.until { client.environment.waitingCount == 1 }
    }

    // MARK: - Pauses

    @Test(arguments: [("3599", 3599), ("3600", 3600), ("3601", 3600), ("86400", 3600)])
    func `a server is left alone for an hour at most`(field: String, seconds: Int) async throws {
        self.world.answer { _, _ in .status(503, headers: ["Retry-After": field]) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        #expect(self.world.pauses.withLock { $0 } == [.seconds(seconds)])
        await outbox.close()
    }

    @Test func `sendNow while a request is sent ends its pause, though something is added after that`() async throws {
        let gate = StubGate()
        self.world.answer { _, number in number == 1 ? StubReply.status(503).held(by: gate) : .status(200) }
        let client = self.world.client()
        let outbox = try await self.world.open(client)
        try await outbox.add(Post("1"))
        await gate.waitUntilReached()
        await outbox.sendNow()
        try await outbox.add(Post("2"))
        gate.open()
        await self.waitUntilIdle(client)
        // No time has passed.
        #expect(self.world.sent == ["1", "1", "2"])
        await outbox.close()
    }

    @Test func `a request that an interceptor sends, and that fails for good, is no reason to give up`() async throws {
        let other = self.world.client()
        let login = FixtureInterceptor { request, next in
            _ = try await other.send(Post("login", path: "login"))
            return try await next(request)
        }
        let mayLogIn = Locked(false)
        self.world.answer { request, _ in
            request.url.path == "/login" && !mayLogIn.withLock { $0 } ? .status(404) : .status(200)
        }
        let client = self.world.client { $0.interceptors = [login] }
        let outbox = try await self.world.open(client)
        try await outbox.add(Post("1"))
        await self.waitUntilIdle(client)
        #expect(self.world.endCount == 0)
        #expect(try await outbox.items().count == 1)
        mayLogIn.withLock { $0 = true }
        await outbox.sendNow()
        await self.world.waitForEnds(1)
        #expect(self.world.sent == ["login", "login", "1"])
        await outbox.close()
    }

    // MARK: - Once

    @Test func `a request is not sent once more while its response is waited for`() async throws {
        struct Get: Endpoint {
            typealias Response = Data
            let path: EndpointPath
        }
        let gate = StubGate()
        self.world.answer { _, _ in StubReply.status(200).held(by: gate) }
        let client = self.world.client { $0.options = $0.options.hedging(.after(.seconds(1))) }
        let outbox = try await self.world.open(client)
        try await outbox.add(Get(path: "stored"))
        await gate.waitUntilReached()
        // Another one of the same client is, later.
        async let plain = client.send(Get(path: "plain"))
        await gate.waitUntilReached(2)
        await self.world.until {
            self.world.clock.advance(by: .seconds(1))
            return self.world.transport.received.count { $0.url.path == "/plain" } == 2
        }
        gate.open()
        _ = try await plain
        await self.world.waitForEnds(1)
        #expect(self.world.transport.received.count { $0.url.path == "/stored" } == 1)
        await outbox.close()
    }

    // MARK: - A client that is shut down

    @Test func `a request that is under way when the client is shut down has not failed`() async throws {
        let gate = StubGate()
        self.world.answer { _, _ in StubReply.status(200).held(by: gate) }
        let client = self.world.client()
        var options = OutboxOptions()
        options.isPermanent = { _ in true }
        let outbox = try await self.world.open(client, options)
        try await outbox.add(Post("1"))
        await gate.waitUntilReached()
        await client.shutdown()
        await self.world.until { self.world.transport.activeCount == 0 }
        await outbox.close()
        #expect(self.world.endCount == 0)
        #expect(try await outbox.items().count == 1)
    }

    @Test func `no request is begun any more when the client is shut down`() async throws {
        let gate = StubGate()
        self.world.answer { _, _ in StubReply.status(200).held(by: gate) }
        let client = self.world.client()
        let outbox = try await self.world.open(client)
        let events = outbox.events()
        try await outbox.add(Post("1"))
        await gate.waitUntilReached()
        await client.shutdown()
        await self.world.until { self.world.transport.activeCount == 0 }
        // Each wakes whoever sends.
        for number in 2...20 { try await outbox.add(Post("\(number)")) }
        let last = try await outbox.add(Post("last"))
        var sendings = 0
        for await event in events {
            if case .sending = event { sendings += 1 }
            if case .added(let item) = event, item.id == last.id { break }
            if sendings > 1 { break }
        }
        #expect(sendings == 1)
        await outbox.close()
        #expect(self.world.endCount == 0)
    }

    // MARK: - The disk

    @Test func `nothing is left on disk of requests that were sent or removed`() async throws {
        let gate = StubGate()
        self.world.answer { _, number in number == 1 ? StubReply.status(200).held(by: gate) : .status(503) }
        let client = self.world.client()
        let outbox = try await self.world.open(client)
        try await outbox.add(Post("sent"))
        let removed = try await outbox.add(Post("removed"))
        await gate.waitUntilReached()
        #expect(try await outbox.remove(removed))
        gate.open()
        await self.world.waitUntilEmpty(outbox)
        await self.waitUntilIdle(client)
        let queue = self.world.folder.appending(path: "default")
        for ending in ["json", "body", "temporary"] { #expect(try self.world.files(in: queue, ending).isEmpty) }
        await outbox.close()
    }

    @Test func `the body of a damaged request stays when something is added`() async throws {
        let queue = try await self.world.interrupted("first")
        let request = try #require(self.world.files(in: queue, "json").first)
        let body = try #require(self.world.files(in: queue, "body").first)
        try Data("{".utf8).write(to: request)
        let outbox = try await self.world.open()
        await self.world.until { (try? await outbox.damagedFiles().count) == 1 }
        try await outbox.add(Post("second"))
        await self.world.waitUntilEmpty(outbox)
        #expect(try String(contentsOf: body, encoding: .utf8) == "first")
        await outbox.close()
    }
}

/// An interceptor made of a closure.
private struct FixtureInterceptor: Interceptor {
    let body: @Sendable (HTTPRequest, InterceptorNext) async throws -> HTTPResponse

    init(_ body: @escaping @Sendable (HTTPRequest, InterceptorNext) async throws -> HTTPResponse) {
        self.body = body
    }

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        try await self.body(request, next)
    }
}
