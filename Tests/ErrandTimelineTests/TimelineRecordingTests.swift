internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation
internal import TestEffort
internal import Testing

/// What an accessory collects, over a stub and a clock that stands still.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TimelineRecordingTests {
    @Test func `a request has its phases, its answer and its size`() async throws {
        let (world, head, body) = (TimelineWorld(), StubGate(), StubGate())
        world.stub.route("/v1/a", .text("hello").held(by: head).held(by: body, at: .body))
        async let value = world.client.send(GetText("a"))
        await head.waitUntilReached()
        world.clock.advance(by: .milliseconds(10))
        head.open()
        await body.waitUntilReached()
        world.clock.advance(by: .milliseconds(5))
        body.open()
        let text = try await value
        #expect(text == "hello")
        let span = try world.span()
        #expect(span.story == ["wait 0-10", "receive 10-15"])
        #expect(span.kind == .request && span.name == "GetText" && span.outcome == .finished)
        #expect(span.method == "GET" && span.url == "https://api.test/v1/a")
        #expect(span.status == 200 && span.bodySize == 5 && span.attemptCount == 1 && span.failure == nil)
        #expect(span.interval.duration == .milliseconds(15))
        #expect(span.attempts.map(\.status) == [200] && span.attempts.map(\.bytesReceived) == [5])
        try world.accessory.timeline.checkInvariants()
    }

    @Test func `a batch has its children, and one of them waits for a slot`() async throws {
        let world = TimelineWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
        let gate = StubGate()
        world.stub.route("/v1/*", .text("x").held(by: gate))
        let batch = world.client.batch(of: [GetText("a"), GetText("b")])
        async let values = batch.value
        await gate.waitUntilReached()
        await world.waitUntilQueued()
        world.clock.advance(by: .milliseconds(20))
        gate.release()
        await gate.waitUntilReached(2)
        world.clock.advance(by: .milliseconds(7))
        gate.release()
        let count = try await values.count
        #expect(count == 2)
        let spans = world.spans
        #expect(spans.map(\.kind) == [.batch, .request, .request])
        #expect(spans.dropFirst().map(\.parent) == [spans[0].id, spans[0].id])
        #expect(Set(spans.dropFirst().map(\.position)) == [0, 1])
        #expect(spans[0].endedChildren == 2 && spans[0].outcome == .finished)
        let stories = spans.dropFirst().map(\.story).sorted { $0.count < $1.count }
        #expect(stories == [["wait 0-20"], ["queue 0-20", "wait 20-27"]])
        try world.accessory.timeline.checkInvariants()
    }

    @Test func `a chain has its steps, and a batch made inside one stands by itself`() async throws {
        let world = TimelineWorld()
        world.stub.route("/v1/*", .text("x"))
        let client = world.client
        let chain = client.chain()
        try await chain.add(GetText("one")) { _, chain in
            _ = try await client.batch(of: [GetText("in/1"), GetText("in/2")]).value
            try await chain.add(GetText("two"))
        }
        try await chain.start()
        try await chain.value
        let spans = world.spans
        let (chains, batches) = (spans.filter { $0.kind == .chain }, spans.filter { $0.kind == .batch })
        try #require(chains.count == 1 && batches.count == 1)
        #expect(batches[0].parent == nil)
        #expect(spans.filter { $0.parent == chains[0].id }.map(\.position) == [0, 1])
        #expect(spans.count { $0.parent == batches[0].id } == 2)
        #expect(chains[0].endedChildren == 2)
        try world.accessory.timeline.checkInvariants()
    }

    @Test func `tries that failed are marked, and the last one is not`() async throws {
        let world = TimelineWorld()
        world.stub.route("/v1/a", .failure(.connectionLost), .failure(.connectionLost), .text("x"))
        _ = try await world.client.send(GetText("a", interceptors: [TryAgain(times: 3)]))
        let span = try world.span()
        #expect(span.attemptCount == 3 && span.outcome == .finished)
        #expect(span.attempts.map(\.number) == [1, 2, 3])
        #expect(span.attempts.map(\.failure) == ["connectionLost", "connectionLost", nil])
    }

    @Test func `a failure has its code, and its status where there was one`() async throws {
        let world = TimelineWorld()
        world.stub.route("/v1/gone", .status(410))
        world.stub.route("/v1/lost", .failure(.connectionLost))
        world.stub.route("/v1/number", .json("\"seven\""))
        _ = await world.client.batch(of: [GetText("gone"), GetText("lost")], failure: .collectAll).outcomes
        _ = try? await world.client.send(GetNumber(path: "number"))
        let requests = world.spans.filter { $0.kind == .request }.sorted { $0.url ?? "" < $1.url ?? "" }
        #expect(requests.map(\.outcome) == [.failed, .failed, .failed])
        #expect(requests.map(\.failure) == ["unacceptableStatus", "connectionLost", "decodingFailed"])
        #expect(requests.map(\.status) == [410, nil, 200])
        #expect(requests.map { $0.attempts.first?.failure } == [nil, "connectionLost", nil])
    }

    @Test(arguments: [false, true])
    func `what was cancelled says so, in the queue and under way`(isQueued: Bool) async throws {
        let world = TimelineWorld { $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1) }
        let gate = StubGate()
        world.stub.route("/v1/*", .text("x").held(by: gate))
        let first = world.client.request(GetText("a"))
        await first.start()
        await gate.waitUntilReached()
        let second = world.client.request(GetText("b"))
        await second.start()
        await world.waitUntilQueued()
        world.clock.advance(by: .milliseconds(3))
        let cancelled = isQueued ? second : first
        cancelled.cancel()
        _ = try? await cancelled.value
        gate.open()
        _ = try await (isQueued ? first : second).value
        let span = try #require(world.spans.first { $0.id == cancelled.id.rawValue })
        #expect(span.outcome == .cancelled && span.failure == "cancelled")
        #expect(span.story == [isQueued ? "queue 0-3" : "wait 0-3"])
        #expect(span.attemptCount == (isQueued ? 0 : 1))
    }

    @Test func `an answer from the cache says so, and a miss why`() async throws {
        let world = TimelineWorld()
        world.stub.route("/v1/a", .text("x"))
        for _ in 0..<2 { _ = try await world.client.send(GetText("a", caching: .fresh(for: .seconds(60)))) }
        #expect(world.spans.map(\.outcome) == [.finished, .cached])
        #expect(world.spans.map(\.attemptCount) == [1, 0])
        let notes = world.spans.map(\.notes)
        #expect(notes[0].count == 1 && notes[0][0].hasPrefix("the cache had no response: "))
        #expect(notes[1].count == 1 && notes[1][0].hasPrefix("the cache had a response, "))
    }

    @Test func `a redirection is one exchange more`() async throws {
        let world = TimelineWorld()
        world.stub.route("/v1/a", .data(.init(), status: 302, headers: ["Location": "/v1/b?token=s3cret"]))
        world.stub.route("/v1/b", .text("x"))
        _ = try await world.client.send(GetText("a"))
        let span = try world.span()
        #expect(span.attempts.map(\.status) == [302, 200] && span.outcome == .finished)
    }

    @Test func `what runs is there too, until now`() async throws {
        let (world, gate) = (TimelineWorld(), StubGate())
        world.stub.route("/v1/a", .text("x").held(by: gate))
        let request = world.client.request(GetText("a"))
        await request.start()
        await gate.waitUntilReached()
        world.clock.advance(by: .milliseconds(4))
        let span = try world.span()
        #expect(span.outcome == .running && span.story == ["wait 0-4"] && span.status == nil)
        gate.open()
        _ = try await request.value
        #expect(try world.span().outcome == .finished)
        #expect(span.outcome == .running)
    }

    @Test func `secrets are not kept`() async throws {
        let world = TimelineWorld { $0.credentials.origin = .bearer("s3cret") }
        world.stub.route("/v1/a", .text("s3cret"))
        _ = try await world.client.send(GetText("https://ann:s3cret@api.test/v1/a?token=s3cret&page=2#s3cret"))
        #expect(try world.span().url == "https://api.test/v1/a?token=***&page=2")
        let timeline = world.accessory.timeline
        #expect(!"\(timeline)".contains("s3cret"))
        #expect(!timeline.svg().contains("s3cret") && !timeline.html().contains("s3cret"))
    }

    @Test func `an accessory that is given twice counts everything once`() async throws {
        let world = TimelineWorld()
        world.stub.route("/v1/a", .failure(.connectionLost), .text("x"))
        _ = try await world.client.send(
            GetText("a", interceptors: [TryAgain(times: 2)]), options: .accessories([world.accessory]))
        let span = try world.span()
        #expect(span.attempts.map(\.failure) == ["connectionLost", nil] && span.outcome == .finished)
        try world.accessory.timeline.checkInvariants()
    }

    @Test func `given to one request it sees that alone`() async throws {
        let (accessory, stub) = (TimelineAccessory(), StubTransport())
        stub.route("/*", .text("x"))
        let client = Client(baseURL: "https://api.test/") { $0.transport = stub }
        _ = try await client.send(GetText("a"))
        _ = try await client.send(GetText("b"), options: .tag("this").accessories([accessory]))
        #expect(accessory.timeline.spans.map(\.tag) == ["this"])
    }

    @Test func `keeps the first ones, counts the others, and forgets when told to`() async throws {
        let world = TimelineWorld(limit: 3)
        world.stub.route("/v1/*", .text("x"))
        _ = try await world.client.batch(of: (0..<10).map { GetText("\($0)") }).value
        #expect(world.spans.count == 3 && world.accessory.timeline.omitted == 8)
        #expect(world.spans.allSatisfy { $0.outcome == .finished })
        world.accessory.clear()
        #expect(world.accessory.timeline == Timeline())
        _ = try await world.client.send(GetText("a"))
        #expect(try world.span().url == "https://api.test/v1/a")
    }

    @Test func `what is under way when it forgets is not seen any more`() async throws {
        let (world, gate) = (TimelineWorld(), StubGate())
        world.stub.route("/v1/a", .text("x").held(by: gate))
        let request = world.client.request(GetText("a"))
        await request.start()
        await gate.waitUntilReached()
        world.accessory.clear()
        gate.open()
        _ = try await request.value
        #expect(world.accessory.timeline == Timeline())
    }

    @Test func `of endless tries and texts it keeps a bounded amount`() async throws {
        let world = TimelineWorld()
        world.stub.route(where: { _ in true }) { _, use in use < 200 ? .failure(.connectionLost) : .text("x") }
        let path = "a?" + String(repeating: "x", count: 100_000)
        _ = try await world.client.send(GetText(path, interceptors: [TryAgain(times: 300)]))
        let span = try world.span()
        #expect(span.attemptCount == 200 && span.attempts.count == 64)
        #expect((span.url ?? "").count == 2001)
        try world.accessory.timeline.checkInvariants()
    }

    @Test func `is kept as JSON and read again`() async throws {
        let world = TimelineWorld()
        world.stub.route("/v1/*", .text("x"))
        _ = try await world.client.batch(of: [GetText("a"), GetText("b")]).value
        let timeline = world.accessory.timeline
        let data = try JSONEncoder().encode(timeline)
        #expect(try JSONDecoder().decode(Timeline.self, from: data) == timeline)
        let interval = Timeline.Interval(start: .milliseconds(2), end: .seconds(1))
        let text = String(decoding: try JSONEncoder().encode(interval), as: UTF8.self)
        #expect(text.contains("\"start\":2000000") && text.contains("\"end\":1000000000"))
    }
}
