internal import ErrandLocks
internal import ErrandSimulation
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand
@testable internal import ErrandOutbox

@Suite("The outbox: what is added is sent (G19)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct OutboxTests {
    private let world: OutboxWorld

    init() throws {
        self.world = try OutboxWorld()
    }

    @Test func `requests of a queue are sent in order, reported, and removed`() async throws {
        let outbox = try await self.world.open()
        for number in 0..<20 { try await outbox.add(Post("\(number)")) }
        await self.world.waitUntilEmpty(outbox)
        let ends = self.world.ends.withLock { $0 }
        #expect(ends.count == 20)
        for (_, end) in ends {
            guard case .sent(let response) = end else { return #expect(Bool(false), "\(end)") }
            #expect(response.head.status == 200)
        }
        #expect(self.world.transport.peakCount == 1)
        #expect(
            self.world.transport.received.map { $0.headers["Content-Type"] }.allSatisfy {
                $0?.hasPrefix("text/plain") == true
            })
    }

    @Test func `what is sent is what was added, whatever kind of body it has`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            let body: RequestBody
            var method: HTTPMethod { .put }
            var path: EndpointPath { "thing?a=1" }
        }
        let bodies = Locked<[String]>([])
        self.world.answer { request, _ in
            guard case .file(let file) = request.body else { return .status(500) }
            bodies.withLock { $0.append((try? String(contentsOf: file, encoding: .utf8)) ?? "") }
            return .status(201)
        }
        let source = self.world.folder.deletingLastPathComponent().appending(path: "source")
        try Data("file".utf8).write(to: source)
        let chunks = ["a ", "stream"].map { Data($0.utf8) }
        let stream = BodyStream {
            var rest = chunks[...]
            return { () async throws(ErrandError) -> Data? in rest.popFirst() }
        }
        let outbox = try await self.world.open()
        try await outbox.add(Call(body: .bytes(Data("bytes".utf8))))
        try await outbox.add(Call(body: .file(source)))
        try Data("changed".utf8).write(to: source)
        try await outbox.add(Call(body: .stream(stream)))
        await self.world.waitUntilEmpty(outbox)
        #expect(bodies.withLock { $0 } == ["bytes", "file", "a stream"])
        #expect(self.world.transport.received.first?.url.string == "https://api.example.com/thing?a=1")
        #expect(self.world.transport.received.first?.method == .put)
    }

    @Test func `a request without a body is sent without one`() async throws {
        struct Delete: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "orders/1" }
            var method: HTTPMethod { .delete }
        }
        let outbox = try await self.world.open()
        try await outbox.add(Delete())
        await self.world.waitUntilEmpty(outbox)
        let request = try #require(self.world.transport.received.first)
        guard case .none = request.body else { return #expect(Bool(false), "\(request.body)") }
    }

    @Test func `one that fails for now is sent again with the same key, and holds up only its queue`() async throws {
        let gate = Locked(false)
        self.world.answer { request, _ in
            request.headers["X-Queue"] == "b" || gate.withLock { $0 } ? .status(200) : .status(503)
        }
        let outbox = try await self.world.open()
        let first = try await outbox.add(Post("1"), to: "a")
        try await outbox.add(Post("2"), to: "a")
        try await outbox.add(Post("3", fields: ["X-Queue": "b"]), to: "b")
        await self.world.waitForEnds(1)
        await self.world.waitForPause()
        #expect(self.world.ends.withLock { $0.map(\.item.queue) } == ["b"])
        gate.withLock { $0 = true }
        await self.world.passPause()
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.ends.withLock { $0.map(\.item.queue) } == ["b", "a", "a"])
        let keys = self.world.transport.received.filter { $0.headers["X-Queue"] == nil }
            .map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3 && keys[0] == first.idempotencyKey && keys[1] == keys[0] && keys[2] != keys[0])
    }

    @Test func `a key that the call brings is kept`() async throws {
        let outbox = try await self.world.open()
        let item = try await outbox.add(Post("1", fields: ["idempotency-key": "mine"]))
        await self.world.waitUntilEmpty(outbox)
        #expect(item.idempotencyKey == "mine")
        #expect(self.world.transport.received.map { $0.headers["Idempotency-Key"] } == ["mine"])
    }

    @Test(arguments: [400, 403, 404, 410, 422])
    func `one that will never succeed is reported and removed, and the next is sent`(status: Int) async throws {
        self.world.answer { _, number in .status(number == 1 ? HTTPStatus(rawValue: status) : 200) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        try await outbox.add(Post("2"))
        await self.world.waitUntilEmpty(outbox)
        let ends = self.world.ends.withLock { $0.map(\.end) }
        try #require(ends.count == 2)
        guard case .failed(let error) = ends[0], case .sent = ends[1] else {
            return #expect(Bool(false), "\(ends)")
        }
        #expect(error.context.status?.rawValue == status)
    }

    @Test(arguments: [401, 408, 409, 423, 425, 429, 500, 502, 503, 504])
    func `one that may succeed later stays`(status: Int) async throws {
        self.world.answer { _, _ in .status(HTTPStatus(rawValue: status)) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        #expect(try await outbox.items().count == 1)
        #expect(self.world.endCount == 0)
    }

    @Test func `the server's Retry-After is waited for`() async throws {
        self.world.answer { _, number in number == 1 ? .status(429, headers: ["Retry-After": "100"]) : .status(200) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        #expect(self.world.pauses.withLock { $0 } == [.seconds(100)])
        await self.world.passPause()
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.transport.receivedCount == 2)
    }

    @Test func `a network that comes back, or sendNow, ends the wait`() async throws {
        self.world.network.set(.none)
        self.world.answer { _, number in number < 3 ? .failure(.cannotConnect) : .status(200) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        self.world.network.set(NetworkPath(interfaces: [.wifi]))
        await self.world.waitForPause(2)
        await outbox.sendNow()
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.transport.receivedCount == 3)
    }

    @Test func `the network that is there from the start ends no wait`() async throws {
        self.world.answer { _, _ in .status(503) }
        let network = LateMonitor()
        let outbox = try await self.world.open(self.world.client { $0.environment.pathMonitor = network })
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        network.mayTell.withLock { $0 = true }
        await self.world.until { network.isAskedAgain.withLock { $0 } }
        // What it was to do it has done by now; it may take a moment to show.
        for _ in 0..<1000 { await Task.yield() }
        #expect(self.world.pauses.withLock { $0.count } == 1)
        await outbox.sendNow()
        await self.world.waitForPause(2)
        #expect(self.world.transport.receivedCount == 2)
    }

    @Test func `one that becomes too old is not sent any more`() async throws {
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        let sent = self.world.transport.receivedCount
        self.world.seconds.withLock { $0 += 8 * 24 * 60 * 60 }
        await outbox.sendNow()
        await self.world.waitUntilEmpty(outbox)
        guard case .expired? = self.world.ends.withLock({ $0.first?.end }) else {
            return #expect(Bool(false), "\(self.world.ends.withLock { $0 })")
        }
        #expect(self.world.transport.receivedCount == sent)
    }

    @Test func `one that is removed is not sent, and not reported`() async throws {
        self.world.answer { _, number in number == 1 ? .status(503) : .status(200) }
        let outbox = try await self.world.open()
        let first = try await outbox.add(Post("1"))
        let second = try await outbox.add(Post("2"))
        await self.world.waitForPause()
        #expect(try await outbox.remove(first))
        #expect(try await !outbox.remove(first))
        await outbox.sendNow()
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.ends.withLock { $0.map(\.item.id) } == [second.id])
        #expect(self.world.transport.receivedCount == 2)
    }

    // MARK: - Surviving

    @Test func `what was not sent is sent by the next one who opens the folder`() async throws {
        self.world.answer { _, number in number == 1 ? .status(503) : .status(200) }
        let outbox = try await self.world.open()
        let items = [try await outbox.add(Post("1")), try await outbox.add(Post("2"))]
        await self.world.waitForPause()
        await outbox.close()
        await #expect(throws: ErrandError.self) { try await outbox.add(Post("3")) }
        let next = try await self.world.open()
        await self.world.waitUntilEmpty(next)
        #expect(self.world.ends.withLock { $0.map(\.item) } == items)
    }

    @Test func `one that is under way when the outbox is closed stays`() async throws {
        let gate = StubGate()
        self.world.answer { _, _ in .status(200).held(by: gate) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.until { self.world.transport.activeCount == 1 }
        await outbox.close()
        #expect(self.world.endCount == 0)
        #expect(try await outbox.items().count == 1)
    }

    @Test func `an outbox that nobody holds any more stops`() async throws {
        self.world.answer { _, _ in .status(503) }
        var outbox: Outbox? = try await self.world.open()
        try await outbox?.add(Post("1"))
        await self.world.waitForPause()
        outbox = nil
        self.world.acceptAll()
        let next = try await self.world.open()
        await self.world.waitUntilEmpty(next)
        #expect(self.world.endCount == 1)
    }

    @Test func `two outboxes on one folder send each request once, and in order`() async throws {
        let (one, other) = (try await self.world.open(), try await self.world.open())
        for number in 0..<40 { try await (number % 3 == 0 ? one : other).add(Post("\(number)")) }
        await self.world.waitUntilEmpty(one)
        let ids = self.world.ends.withLock { $0.map(\.item.id) }
        #expect(ids.count == 40 && Set(ids).count == 40)
        #expect(self.world.transport.receivedCount == 40)
        #expect(self.world.transport.peakCount == 1)
        await other.close()
    }

    @Test func `a client that is shut down ends the sending, and nothing is lost`() async throws {
        let client = self.world.client()
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open(client)
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        await client.shutdown()
        // Its sender does not wait for the end of the pause.
        await self.world.until { client.environment.waitingCount == 0 }
        await outbox.sendNow()
        #expect(try await outbox.items().count == 1)
        #expect(self.world.endCount == 0)
        await outbox.close()
    }

    // MARK: - Events

    @Test func `events tell what happens`() async throws {
        self.world.answer { _, number in number == 1 ? .status(500) : .status(200) }
        let outbox = try await self.world.open()
        let events = outbox.events()
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        await self.world.passPause()
        var told: [String] = []
        for await event in events {
            switch event {
            case .added: told.append("added")
            case .sending(_, let attempt): told.append("sending \(attempt)")
            case .waiting(_, let error, let delay):
                told.append("waiting \(error.code)")
                #expect(delay >= .seconds(1) && delay <= .seconds(3))
            case .ended(_, .sent): told.append("sent")
            case .ended, .damaged, .problem: told.append("\(event)")
            }
            if told.last == "sent" { break }
        }
        #expect(told.filter { $0 != "added" } == ["sending 1", "waiting unacceptableStatus", "sending 2", "sent"])
    }

    // MARK: - Others on the folder

    @Test func `what another has left is sent, in queues that are new too`() async throws {
        let first = try await self.world.open()
        let stopped = self.world.client()
        await stopped.shutdown()
        let second = try await self.world.open(stopped)
        try await second.add(Post("1"), to: "new")
        await second.close()
        #expect(self.world.sent.isEmpty)
        await self.world.until {
            self.world.clock.advance(by: .seconds(1))
            return self.world.endCount == 1
        }
        #expect(self.world.transport.receivedCount == 1)
        let third = try await self.world.open(stopped)
        try await third.add(Post("2"), to: "newer")
        await third.close()
        await first.sendNow()
        await self.world.waitForEnds(2)
        await first.close()
    }

    @Test func `one that is removed behind another has that wait as before`() async throws {
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        let second = try await outbox.add(Post("2"))
        await self.world.waitForPause()
        #expect(try await outbox.remove(second))
        #expect(try await outbox.items().count == 1)
        #expect(self.world.transport.receivedCount == 1)
        await outbox.close()
    }

    @Test func `a queue that cannot be read is a problem of its own`() async throws {
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"), to: "good")
        await self.world.waitForEnds(1)
        await outbox.close()
        let bad = self.world.folder.appending(path: "bad")
        try FileManager.default.createDirectory(at: bad, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: bad.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bad.path) }
        let again = try await self.world.open()
        try await again.add(Post("2"), to: "good")
        await self.world.waitForEnds(2)
        await again.close()
    }

    @Test func `who was told of an end closes another one, and waits for that`() async throws {
        let box = Locked<[Outbox]>([])
        let (first, second) = (self.world.folder, self.world.folder.appendingPathExtension("other"))
        let isDone = Locked(false)
        let gate = StubGate()
        self.world.answer { _, number in number == 2 ? StubReply.status(200) : StubReply.status(200).held(by: gate) }
        let other = try await Outbox.open(second, client: self.world.client()) { _, _ in }
        try await other.add(Post("held"))
        await gate.waitUntilReached()
        let outbox = try await Outbox.open(first, client: self.world.client()) { _, _ in
            for one in box.withLock({ $0 }) { await one.close() }
            isDone.withLock { $0 = true }
        }
        box.withLock { $0 = [other, outbox] }
        try await outbox.add(Post("told"))
        await self.world.until { isDone.withLock { $0 } }
        #expect(self.world.transport.activeCount == 0, "what the other one had under way is over")
        await outbox.close()
    }

    @Test func `when the first one is removed the next one goes on`() async throws {
        self.world.answer { _, number in .status(number == 1 ? 503 : 200) }
        let outbox = try await self.world.open()
        let first = try await outbox.add(Post("1"))
        try await outbox.add(Post("2"))
        await self.world.waitForPause()
        #expect(try await outbox.remove(first))
        await self.world.waitForEnds(1)
        #expect(self.world.ends.withLock { $0.map(\.item.id) } != [first.id])
        await outbox.close()
    }

    @Test func `one that is removed while it is sent is not reported`() async throws {
        let gate = StubGate()
        self.world.answer { _, _ in StubReply.status(200).held(by: gate) }
        let outbox = try await self.world.open()
        let first = try await outbox.add(Post("1"))
        try await outbox.add(Post("2"))
        await gate.waitUntilReached()
        #expect(try await outbox.remove(first))
        gate.open()
        await self.world.waitForEnds(1)
        #expect(self.world.ends.withLock { $0.map(\.item.id) } != [first.id])
        await outbox.close()
    }

    @Test func `one becomes too old while it waits`() async throws {
        self.world.answer { _, _ in .status(503) }
        var options = OutboxOptions()
        options.maximumAge = .seconds(2)
        options.backoff = Backoff(base: .seconds(300), cap: .seconds(300), jitter: .none)
        let outbox = try await self.world.open(nil, options)
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        self.world.seconds.withLock { $0 += 2 }
        self.world.clock.advance(by: .seconds(2))
        await self.world.waitForEnds(1)
        #expect(self.world.transport.receivedCount == 1)
        await outbox.close()
    }

    // MARK: - The end

    @Test func `it can be closed by who is told of an end, and that is heard to the end`() async throws {
        let box = Locked<Outbox?>(nil)
        let isCancelled = Locked(false)
        let isDone = Locked(false)
        let outbox = try await Outbox.open(self.world.folder, client: self.world.client()) { _, _ in
            await box.withLock { $0 }?.close()
            isCancelled.withLock { $0 = Task.isCancelled }
            isDone.withLock { $0 = true }
        }
        box.withLock { $0 = outbox }
        try await outbox.add(Post("1"))
        await self.world.until { isDone.withLock { $0 } }
        #expect(!isCancelled.withLock { $0 })
        await self.world.waitUntilEmpty(outbox)
    }

    @Test func `no policy of the client's has it answered otherwise, or sent twice`() async throws {
        struct Get: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "a" }
        }
        let outbox = try await self.world.open(
            self.world.client {
                $0.cache = MemoryCache()
                $0.options = $0.options.caching(.fresh(for: .seconds(100))).coalescing().hedging(.after(.zero))
            })
        for _ in 0..<3 { try await outbox.add(Get()) }
        await self.world.waitForEnds(3)
        #expect(self.world.transport.receivedCount == 3)
        await outbox.close()
    }

    @Test func `what a call says of how it is sent is kept`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "a" }
            var timeouts = RequestOptions.timeout(
                connect: .seconds(1), firstByte: .seconds(2), idle: .seconds(3), attempt: .seconds(7),
                authentication: .seconds(5), total: .seconds(60))
            var options: RequestOptions {
                .omittingHeaders(["X-Plain"]).networks(AllowedNetworks(cellular: false)).merging(self.timeouts)
            }
        }
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open(self.world.client { $0.headers = ["X-Plain": "1", "X-Other": "2"] })
        try await outbox.add(Call())
        await self.world.waitForPause()
        let sent = try #require(self.world.transport.received.first)
        #expect(sent.headers["X-Other"] == "2" && !sent.headers.contains("X-Plain"))
        #expect(!sent.allowedNetworks.cellular && sent.allowedNetworks.expensive)
        await outbox.close()
        for timeouts in [Call().timeouts, .withoutTimeout(), .timeout(idle: .seconds(1)), RequestOptions()] {
            var (said, kept) = (EffectiveOptions(), EffectiveOptions())
            said.merge(timeouts)
            let rules = StoredRequest.Rules(timeouts, isCustom: false)
            kept.merge(rules.timeoutOptions(behind: RequestOptions()))
            #expect(kept.timeouts == said.timeouts)
        }
    }

    @Test func `a call that makes its request itself is sent as it made it`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "a" }
            func customRequest() throws -> HTTPRequest? {
                HTTPRequest(url: try HTTPURL("https://api.example.com/own"), headers: ["A": "1"])
            }
        }
        let outbox = try await self.world.open(self.world.client { $0.headers = ["X-Plain": "1"] })
        try await outbox.add(Call())
        await self.world.waitForEnds(1)
        let sent = try #require(self.world.transport.received.first)
        #expect(sent.url.string == "https://api.example.com/own" && sent.headers["A"] == "1")
        #expect(!sent.headers.contains("X-Plain"))
        await outbox.close()
    }
}

/// Tells which network is there only when it may, and then nothing more.
private final class LateMonitor: NetworkPath.Monitor {
    let mayTell = Locked(false)
    let isAskedAgain = Locked(false)
    let path = NetworkPath(interfaces: [.wifi])

    var changes: AsyncStream<NetworkPath> {
        let hasTold = Locked(false)
        return AsyncStream {
            if hasTold.withLock({ $0 }) { self.isAskedAgain.withLock { $0 = true } }
            while !Task.isCancelled {
                if self.mayTell.withLock({ $0 }), hasTold.withLock({ !$0 }) {
                    hasTold.withLock { $0 = true }
                    return self.path
                }
                await Task.yield()
            }
            return nil
        }
    }
}
