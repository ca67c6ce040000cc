internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Readers of streams", .timeLimit(.minutes(60)), .paced)
struct StreamReadersTests {
    private let world = FixtureWorld()
    private let gate = StubGate()

    init() {
        self.world.transport.route("*", .text("x").held(by: self.gate))
    }

    private func add(to streams: inout StateStreams) -> AsyncStream<RequestState> {
        let (stream, continuation) = AsyncStream.makeStream(of: RequestState.self)
        streams.add(continuation, showing: .running, isOver: false)
        self.tell(&streams)
        return stream
    }

    private func tell(_ streams: inout StateStreams) {
        var isTelling = false
        while let notice = streams.next(isTelling: isTelling) {
            isTelling = true
            notice()
        }
    }

    @Test func `of states are let go of when they leave a request`() async throws {
        var streams = StateStreams()
        for _ in 0..<100 { _ = self.add(to: &streams) }
        #expect(streams.count == 0)
        let kept = self.add(to: &streams)
        var iterator: AsyncStream<RequestState>.Iterator? = self.add(to: &streams)
            .makeAsyncIterator()
        #expect(await iterator?.next() == .running)
        #expect(streams.count == 2)
        iterator = nil
        #expect(streams.count == 1)
        let hasReaders = streams.note(.finished, isOver: true)
        #expect(hasReaders)
        self.tell(&streams)
        #expect(await fixtureAll(kept) == [.running, .finished])
        #expect(streams.count == 0)
    }

    @Test func `of answers are let go of when they leave a request`() async throws {
        let streams = ResponseStreams<String>()
        for _ in 0..<100 { _ = streams.add(endingWith: nil) }
        #expect(streams.count == 0)
        let kept = streams.add(endingWith: nil)
        #expect(streams.count == 1)
        streams.finish(.failure(.cancelled()))
        #expect(streams.count == 0)
        await #expect(throws: ErrandError.self) { for try await _ in kept {} }
    }

    @Test func `of the progress are let go of when they leave a batch`() async throws {
        let batch = self.world.client.batch(of: [FixtureText("a"), FixtureText("b")])
        try await batch.start()
        await self.gate.waitUntilReached(2)
        for _ in 0..<100 {
            for await _ in await batch.progressUpdates { break }
        }
        #expect(batch.progressReaders.count == 0)
        let progress = await batch.progressUpdates
        let reader = Task { for await _ in progress {} }
        await fixtureUntil { batch.progressReaders.count == 1 }
        reader.cancel()
        await fixtureUntil { batch.progressReaders.count == 0 }
        let last = await batch.progressUpdates
        self.gate.open()
        _ = try await batch.value
        #expect(await fixtureAll(last).last == BatchProgress(finished: 2, total: 2))
        #expect(batch.progressReaders.count == 0)
    }
}
