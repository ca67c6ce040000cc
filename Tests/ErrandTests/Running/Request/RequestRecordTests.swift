internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The record (G3, G7)", .timeLimit(.minutes(60)), .paced)
struct RequestRecordTests {
    private let now = Date(timeIntervalSinceReferenceDate: 1_000)
    private let gate = StubGate()

    private func makeWorld(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> FixtureWorld {
        let now = self.now
        let world = FixtureWorld {
            $0.environment.date = { now }
            configure(&$0)
        }
        world.transport.route("*", StubReply.text("x").held(by: self.gate))
        return world
    }

    @Test func `holds what is in flight and nothing else`() async throws {
        let world = self.makeWorld()
        let record = world.client.record
        let request = world.client.request(FixtureText())
        #expect(await record.count == 0)
        #expect(await record.contains(request.id) == false)
        #expect(await record.entry(request.id) == nil)
        await request.start()
        #expect(await record.count == 1)
        #expect(await record.contains(request.id))
        self.gate.open()
        _ = try await request.value
        #expect(await record.count == 0)
        #expect(await record.contains(request.id) == false)
    }

    @Test func `tells what it holds`() async throws {
        let world = self.makeWorld()
        let request = world.client.request(
            FixtureText("http://Other.test/x"), options: .tag("screen"))
        await request.start()
        await self.gate.waitUntilReached()
        world.clock.advance(by: .seconds(30))
        let entry = try #require(await world.client.record.entry(request.id))
        #expect(entry.id == request.id)
        #expect(entry.kind == .request)
        #expect(entry.name == "FixtureText")
        #expect(entry.state == .running)
        #expect(entry.host == "other.test:80")
        #expect(entry.tag == "screen")
        #expect(entry.since == self.now.addingTimeInterval(-30))
        self.gate.open()
        _ = try await request.value
    }

    @Test func `lists batches and chains beside their requests, oldest first`() async throws {
        let world = self.makeWorld()
        let batch = world.client.batch(FixtureText("1"), FixtureData(path: "2"), options: .tag("b"))
        let chain = world.client.chain(FixtureText("3"), options: .tag("c"))
        try await batch.start()
        try await chain.start()
        await self.gate.waitUntilReached(3)
        let entries = await world.client.record.snapshot()
        #expect(entries.map(\.id) == entries.map(\.id).sorted())
        #expect(entries.map(\.kind) == [.batch, .request, .request, .chain, .request])
        #expect(entries.map(\.name) == ["batch", "FixtureText", "FixtureData", "chain", "FixtureText"])
        #expect(entries.map(\.tag) == ["b", "b", "b", "c", "c"])
        #expect(entries.map(\.host).map { $0 == nil } == [true, false, false, true, false])
        #expect(entries.allSatisfy { $0.state == .running })
        self.gate.open()
        _ = try await batch.value
        _ = try await chain.value
        await world.expectAtRest()
    }

    @Test func `streams the count, the latest for a slow reader`() async throws {
        let world = self.makeWorld()
        var counts = await world.client.record.counts.makeAsyncIterator()
        #expect(await counts.next() == 0)
        let requests = ["1", "2", "3"].map { world.client.request(FixtureText($0)) }
        for request in requests { await request.start() }
        #expect(await counts.next() == 3)
        self.gate.open()
        for request in requests { _ = try await request.value }
        #expect(await counts.next() == 0)
    }

    @Test func `streams each change to a reader that keeps up`() async throws {
        let world = self.makeWorld()
        self.gate.open()
        var counts = await world.client.record.counts.makeAsyncIterator()
        #expect(await counts.next() == 0)
        for _ in 1...3 {
            let hold = FixtureGate()
            let options = RequestOptions.accessories([FixtureHooks.holding(.didStart, at: hold)])
            let task = Task { try await world.client.send(FixtureText("held"), options: options) }
            #expect(await counts.next() == 1)
            hold.open()
            _ = try await task.value
            #expect(await counts.next() == 0)
        }
    }

    @Test func `streams on when another reader has left`() async throws {
        let world = self.makeWorld()
        self.gate.open()
        var counts = await world.client.record.counts.makeAsyncIterator()
        #expect(await counts.next() == 0)
        for _ in 1...20 {
            for await count in await world.client.record.counts where count == 0 { break }
            let hold = FixtureGate()
            let options = RequestOptions.accessories([FixtureHooks.holding(.didStart, at: hold)])
            let task = Task { try await world.client.send(FixtureText("held"), options: options) }
            #expect(await counts.next() == 1)
            hold.open()
            _ = try await task.value
            #expect(await counts.next() == 0)
        }
    }

    @Test func `cancels by id`() async throws {
        let world = self.makeWorld()
        let (one, two) = (world.client.request(FixtureText("1")), world.client.request(FixtureText("2")))
        for request in [one, two] { await request.start() }
        await self.gate.waitUntilReached(2)
        #expect(await world.client.record.cancel(one.id))
        let error = await #expect(throws: ErrandError.self) { try await one.value }
        #expect(error?.code == .cancelled)
        #expect(await world.client.record.cancel(one.id) == false)
        self.gate.open()
        #expect(try await two.value == "x")
        await world.expectAtRest()
    }

    @Test func `cancels by tag: requests, batches and chains`() async throws {
        let world = self.makeWorld()
        let tagged = RequestOptions.tag("screen")
        let request = world.client.request(FixtureText("1"), options: tagged)
        let other = world.client.request(FixtureText("2"), options: .tag("other"))
        let batch = world.client.batch(of: [FixtureText("3"), FixtureText("4")], options: tagged)
        let chain = world.client.chain(FixtureText("5"), options: tagged)
        await request.start()
        await other.start()
        try await batch.start()
        try await chain.start()
        await self.gate.waitUntilReached(5)
        #expect(await world.client.record.cancel(tag: "nobody's") == 0)
        #expect(await world.client.record.cancel(tag: "screen") == 6)
        await #expect(throws: ErrandError.self) { try await request.value }
        let batchError = await #expect(throws: ErrandError.self) { try await batch.value }
        #expect(batchError?.code == .cancelled)
        #expect(await batch.failedRequest == nil)
        let chainError = await #expect(throws: ErrandError.self) { try await chain.value }
        #expect(chainError?.code == .cancelled)
        self.gate.open()
        #expect(try await other.value == "x")
        await world.expectAtRest()
    }

    @Test func `cancels everything, batches and chains as such (G7, D15)`() async throws {
        let world = self.makeWorld()
        let recorder = EventRecorder()
        let options = RequestOptions.accessories([recorder])
        let request = world.client.request(FixtureText("1"), options: options)
        let batch = world.client.batch(of: [FixtureText("2"), FixtureText("3")], options: options)
        let chain = world.client.chain(FixtureText("4"), options: options).then { FixtureText($0) }
        await request.start()
        try await batch.start()
        try await chain.start()
        await self.gate.waitUntilReached(4)
        await world.client.cancelAll()
        await world.client.cancelAll()
        let codes = [
            await #expect(throws: ErrandError.self) { try await request.value }?.code,
            await #expect(throws: ErrandError.self) { try await batch.value }?.code,
            await #expect(throws: ErrandError.self) { try await chain.value }?.code,
        ]
        #expect(codes == [.cancelled, .cancelled, .cancelled])
        #expect(world.transport.receivedCount == 4)
        await fixtureUntil { recorder.end(of: request.id) != nil }
        for id in [request.id, batch.id, chain.id] {
            #expect(recorder.hooks(of: id) == FixtureHook.names)
            #expect(recorder.end(of: id)?.isCancelled == true)
        }
        await world.expectAtRest()
    }

    @Test func `lets what is started after a cancellation live`() async throws {
        let world = self.makeWorld()
        await world.client.cancelAll()
        self.gate.open()
        #expect(try await world.client.send(FixtureText()) == "x")
    }

    @Test func `a chain suspended by its tag between two steps goes on by that tag`() async throws {
        let (world, hold) = (FixtureWorld(), FixtureGate())
        world.transport.route("*", .text("x"))
        let chain = world.client.chain(FixtureText("a"), options: .tag("t")).then { _ in
            await hold.pass()
            return FixtureText("b")
        }
        try await chain.start()
        await hold.waitUntilReached()
        #expect(await world.client.record.suspend(tag: "t") == 1)
        #expect(chain.isSuspended)
        #expect(await world.client.record.resume(tag: "t") == 1)
        #expect(!chain.isSuspended)
        hold.open()
        #expect(try await chain.value == "x")
        await world.expectAtRest()
    }
}
