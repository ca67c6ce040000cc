internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Hands out calls and counts how many were taken.
private struct CountingSource: Sequence, Sendable {
    let count: Int
    let taken: FixtureLog

    func makeIterator() -> AnyIterator<FixtureText> {
        var index = 0
        return AnyIterator {
            guard index < self.count else { return nil }
            defer { index += 1 }
            self.taken.add("\(index)")
            return FixtureText("\(index)")
        }
    }
}

@Suite("Streamed outcomes (G4, G10)", .timeLimit(.minutes(60)), .paced)
struct StreamedOutcomesTests {
    private let world = FixtureWorld(isRecording: true)
    private let gate = StubGate()

    private func all<E>(_ outcomes: BatchOutcomes<E>) async -> [BatchOutcomes<E>.Outcome] {
        var all: [BatchOutcomes<E>.Outcome] = []
        for await outcome in outcomes { all.append(outcome) }
        return all
    }

    /// Lets each path `0`, `1`, … answer when its gate opens.
    private func gates(_ count: Int) -> [StubGate] {
        (0..<count).map { index in
            let gate = StubGate()
            self.world.transport.route("\(index)", StubReply.text("\(index)").held(by: gate))
            return gate
        }
    }

    @Test func `come in the order of the input`() async throws {
        let gates = self.gates(3)
        var outcomes = self.world.client.outcomes(of: (0..<3).map { FixtureText("\($0)") }).makeAsyncIterator()
        let opening = Task {
            for gate in gates { await gate.waitUntilReached() }
            for gate in gates.reversed() { gate.open() }
        }
        for index in 0..<3 {
            let outcome = try #require(await outcomes.next())
            #expect(outcome.index == index)
            #expect(outcome.endpoint.path == "\(index)")
            #expect(try outcome.result.get() == "\(index)")
        }
        #expect(await outcomes.next() == nil)
        #expect(await outcomes.next() == nil)
        await opening.value
        await self.world.expectAtRest()
    }

    @Test func `come as they are there`() async throws {
        let gates = self.gates(3)
        let endpoints = (0..<3).map { FixtureText("\($0)") }
        var outcomes = self.world.client.outcomes(of: endpoints, order: .completion).makeAsyncIterator()
        let opening = Task {
            for gate in gates { await gate.waitUntilReached() }
            gates[2].open()
        }
        #expect(await outcomes.next()?.index == 2)
        gates[0].open()
        #expect(await outcomes.next()?.index == 0)
        gates[1].open()
        #expect(await outcomes.next()?.index == 1)
        #expect(await outcomes.next() == nil)
        await opening.value
    }

    @Test(arguments: [1, 3, 6, 0])
    func `are fetched so many at a time`(width: Int) async {
        self.world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let (world, gate) = (self.world, self.gate)
        let task = Task {
            await self.all(world.client.outcomes(of: (0..<20).map { FixtureText("\($0)") }, width: width))
        }
        await gate.waitUntilReached(max(1, width))
        gate.open()
        #expect(await task.value.map(\.index) == Array(0..<20))
        #expect(self.world.transport.peakCount == max(1, width))
    }

    @Test(arguments: [BatchOutcomes<FixtureText>.Order.input, .completion])
    func `take no more from the source than the window holds`(order: BatchOutcomes<FixtureText>.Order) async {
        self.world.transport.route("*", .text("x"))
        let taken = FixtureLog()
        let outcomes = self.world.client.outcomes(of: CountingSource(count: 500, taken: taken), width: 4, order: order)
        #expect(taken.lines.isEmpty)
        var read = 0
        for await _ in outcomes {
            read += 1
            #expect(taken.lines.count <= read + 4)
        }
        #expect(read == 500)
        await self.world.expectAtRest()
    }

    @Test func `take no more from the source while the first in line is held up`() async {
        let first = StubGate()
        self.world.transport.route("0", StubReply.text("x").held(by: first))
        self.world.transport.route("*", .text("x"))
        let taken = FixtureLog()
        let outcomes = self.world.client.outcomes(of: CountingSource(count: 100, taken: taken), width: 4)
        let task = Task { await self.all(outcomes).count }
        await fixtureUntil { await self.world.client.record.snapshot().count == 2 && taken.lines.count == 4 }
        #expect(taken.lines.count == 4)
        first.open()
        #expect(await task.value == 100)
    }

    @Test func `of a loop that is left cancel what is on its way`() async {
        self.world.transport.route("0", .text("x"))
        self.world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let taken = FixtureLog()
        for await outcome in self.world.client.outcomes(of: CountingSource(count: 100, taken: taken), width: 3) {
            #expect(outcome.index == 0)
            await self.gate.waitUntilReached(2)
            break
        }
        await fixtureUntil { await self.world.client.record.count == 0 }
        await self.world.expectAtRest()
        #expect(taken.lines.count <= 4)
        let batch = self.world.recorder.ids(of: .batch)
        #expect(batch.count == 1)
        await fixtureUntil { batch.allSatisfy { self.world.recorder.end(of: $0)?.isCancelled == true } }
    }

    @Test func `of a loop that is never begun start nothing`() async {
        let taken = FixtureLog()
        _ = self.world.client.outcomes(of: CountingSource(count: 5, taken: taken)).makeAsyncIterator()
        #expect(taken.lines.isEmpty)
        #expect(self.world.recorder.entries.isEmpty)
    }

    @Test func `end when the task that reads is cancelled, which sees them out`() async {
        self.world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let world = self.world
        let task = Task { await self.all(world.client.outcomes(of: (0..<10).map { FixtureText("\($0)") }, width: 3)) }
        await self.gate.waitUntilReached(3)
        task.cancel()
        #expect(await task.value.isEmpty)
        #expect(self.world.transport.receivedCount == 3)
        await self.world.expectAtRest()
    }

    @Test func `end when everything is cancelled`() async {
        self.world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let world = self.world
        let task = Task { await self.all(world.client.outcomes(of: (0..<10).map { FixtureText("\($0)") }, width: 3)) }
        await self.gate.waitUntilReached(3)
        await self.world.client.cancelAll()
        #expect(await task.value.map(\.response.fixtureFailure?.code) == [.cancelled, .cancelled, .cancelled])
        await self.world.expectAtRest()
    }

    @Test func `carry failures and go on`() async throws {
        self.world.transport.route("1", .status(500))
        self.world.transport.route("*", .text("x"))
        let outcomes = await self.all(self.world.client.outcomes(of: (0..<4).map { FixtureText("\($0)") }))
        #expect(outcomes.map(\.response.fixtureFailure?.code) == [nil, .unacceptableStatus, nil, nil])
        #expect(outcomes[1].response.fixtureFailure?.context.index == 1)
        #expect(outcomes[0].response.fixtureSuccess?.source == .network)
    }

    @Test(arguments: [BatchOutcomes<FixtureText>.Order.input, .completion])
    func `end at the first failure if they are to`(order: BatchOutcomes<FixtureText>.Order) async {
        self.world.transport.route("1", .status(500))
        self.world.transport.route("*", StubReply.text("x").held(by: self.gate))
        let outcomes = await self.all(
            self.world.client.outcomes(
                of: (0..<100).map { FixtureText("\($0)") }, width: 3, order: order, failure: .failFast))
        let codes = outcomes.map { (index: $0.index, code: $0.response.fixtureFailure?.code) }
        #expect(codes.filter { $0.code == .unacceptableStatus }.map(\.index) == [1])
        #expect(codes.filter { $0.code == .cancelled }.count == outcomes.count - 1)
        #expect((2...3).contains(outcomes.count))
        if order == .completion { #expect(outcomes.first?.index == 1) }
        await self.world.expectAtRest()
    }

    @Test func `may come from a source that is asynchronous`() async {
        self.world.transport.route("*", .text("x"))
        let (stream, continuation) = AsyncStream.makeStream(of: FixtureText.self)
        let world = self.world
        let task = Task { await self.all(world.client.outcomes(of: stream, width: 2)).map(\.index) }
        for index in 0..<5 {
            continuation.yield(FixtureText("\(index)"))
            await fixtureUntil { world.transport.receivedCount == index + 1 }
        }
        continuation.finish()
        #expect(await task.value == Array(0..<5))
    }

    @Test func `leave a source that keeps them waiting when they are cancelled`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: FixtureText.self)
        let world = self.world
        let task = Task { await self.all(world.client.outcomes(of: stream)).count }
        await fixtureUntil { await world.client.record.count == 1 }
        task.cancel()
        #expect(await task.value == 0)
        await self.world.expectAtRest()
        continuation.finish()
    }

    @Test func `are a run of their own for each loop`() async {
        self.world.transport.route("*", .text("x"))
        let outcomes = self.world.client.outcomes(of: [FixtureText("1"), FixtureText("2")])
        for _ in 1...2 { #expect(await self.all(outcomes).count == 2) }
        #expect(self.world.transport.receivedCount == 4)
        #expect(self.world.recorder.ids(of: .batch).count == 2)
    }

    @Test func `of nothing are none`() async {
        #expect(await self.all(self.world.client.outcomes(of: [] as [FixtureText])).isEmpty)
        await self.world.expectAtRest()
    }

    @Test func `hand tag and id of their run on to their requests`() async throws {
        self.world.transport.route("*", .text("x"))
        let options = RequestOptions.tag("all")
        _ = await self.all(self.world.client.outcomes(of: [FixtureText("1")], options: options))
        let batch = try #require(self.world.recorder.ids(of: .batch).first)
        let child = try #require(self.world.recorder.entries.first { $0.activity.kind == .request }?.activity)
        #expect(child.tag == "all")
        #expect(child.parent == batch)
    }
}
