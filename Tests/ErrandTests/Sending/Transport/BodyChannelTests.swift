internal import ErrandLocks
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// The channel by itself, with a producer that only counts what it is told.
@Suite(.timeLimit(.minutes(60)), .paced)
struct BodyChannelTests {
    private final class Producer: BodyProducer {
        private let state = Locked((resumptions: 0, cancellations: 0))

        var resumptions: Int { self.state.withLock { $0.resumptions } }
        var cancellations: Int { self.state.withLock { $0.cancellations } }

        func resume() { self.state.withLock { $0.resumptions += 1 } }
        func cancel() { self.state.withLock { $0.cancellations += 1 } }
    }

    private let producer = Producer()

    private func chunk(_ count: Int) -> Data {
        Data(repeating: 1, count: count)
    }

    // MARK: - Full and not

    @Test func `is full at its limit, and has room when half was read`() async throws {
        let channel = BodyChannel(limit: 100)
        var reader = channel.stream(of: self.producer).makeAsyncIterator()
        #expect(channel.take(self.chunk(60)))
        #expect(!channel.take(self.chunk(40)))
        _ = try await reader.next()
        #expect(self.producer.resumptions == 1)
        _ = try await reader.next()
        #expect(self.producer.resumptions == 1)
        #expect(channel.take(self.chunk(99)))
    }

    @Test func `takes what still comes when it is full, and says so once`() async throws {
        let channel = BodyChannel(limit: 10)
        var reader = channel.stream(of: self.producer).makeAsyncIterator()
        #expect([20, 20, 20].map { channel.take(self.chunk($0)) } == [false, true, true])
        for resumptions in [0, 0, 1] {
            #expect(try await reader.next()?.count == 20)
            #expect(self.producer.resumptions == resumptions)
        }
        #expect(!channel.take(self.chunk(10)))
    }

    @Test(arguments: [-1, 0, 1])
    func `is full with one byte when its limit is the smallest`(limit: Int) async throws {
        let channel = BodyChannel(limit: limit)
        var reader = channel.stream(of: self.producer).makeAsyncIterator()
        for number in 1...3 {
            #expect(!channel.take(self.chunk(1)))
            #expect(try await reader.next() == self.chunk(1))
            #expect(self.producer.resumptions == number)
        }
    }

    @Test(arguments: [1, 3, 100])
    func `keeps no places of chunks that were read, however long its reader is behind`(backlog: Int) async throws {
        let channel = BodyChannel(limit: .max)
        var reader = channel.stream(of: self.producer).makeAsyncIterator()
        for number in 0..<backlog { _ = channel.take(Data("\(number)".utf8)) }
        for number in 0..<10_000 {
            _ = channel.take(Data("\(number + backlog)".utf8))
            #expect(try await reader.next() == Data("\(number)".utf8))
            #expect(channel.slotCount <= 2 * (backlog + 1))
        }
    }

    // MARK: - Ends

    @Test(arguments: [nil, ErrandError(.connectionLost, "a planned loss")])
    func `gives what came before it ends`(error: ErrandError?) async throws {
        let channel = BodyChannel(limit: 1)
        var reader = channel.stream(of: self.producer).makeAsyncIterator()
        _ = channel.take(Data("a".utf8))
        _ = channel.take(Data("b".utf8))
        channel.end(error)
        // The first end is the one that counts.
        channel.end(.cancelled())
        #expect(try await reader.next() == Data("a".utf8))
        #expect(try await reader.next() == Data("b".utf8))
        for _ in 0..<2 {
            do throws(ErrandError) {
                #expect(try await reader.next() == nil)
                #expect(error == nil)
            } catch let thrown {
                #expect(thrown.code == error?.code)
            }
        }
    }

    @Test func `wakes a reader that waits, with a chunk and with the end`() async throws {
        let channel = BodyChannel(limit: 10)
        let stream = channel.stream(of: self.producer)
        async let read = streamingAll(stream)
        for number in 0..<100 {
            _ = channel.take(self.chunk(number % 5))
            await Task.yield()
        }
        channel.end(nil)
        #expect(try await read == self.chunk(200))
    }

    @Test func `a reader that is cancelled cancels the producer`() async throws {
        let channel = BodyChannel(limit: 10)
        let stream = channel.stream(of: self.producer)
        let task = Task { try await streamingAll(stream) }
        task.cancel()
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(self.producer.cancellations > 0)
    }

    @Test func `cancels the producer when the last who holds the stream is gone`() async throws {
        let channel = BodyChannel(limit: 10)
        do {
            let stream = channel.stream(of: self.producer)
            var reader = stream.makeAsyncIterator()
            _ = channel.take(self.chunk(1))
            _ = try await reader.next()
            #expect(self.producer.cancellations == 0)
        }
        #expect(self.producer.cancellations == 1)
    }

    @Test func `can be read once`() async throws {
        let channel = BodyChannel(limit: 10)
        channel.end(nil)
        let stream = channel.stream(of: self.producer)
        #expect(try await streamingAll(stream).isEmpty)
        #expect(await streamingFailure { _ = try await streamingAll(stream) }?.code == .bodyAlreadyRead)
    }
}
