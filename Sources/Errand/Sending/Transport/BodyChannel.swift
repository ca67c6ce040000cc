internal import ErrandLocks

internal import struct Foundation.Data

/// What receives the body behind a ``BodyChannel``, as whoever reads the stream sees it.
protocol BodyProducer: Sendable {
    /// Goes on: there is room again. Called once for each time that the channel said it was full.
    func resume()

    /// Ends the exchange, of which nobody wants the rest; one that is over stays as it is.
    func cancel()
}

/// The chunks of a response body between what receives them and the task that reads them.
///
/// It is full when as many bytes as its limit wait in it; then the producer is to pause, until half of them were read.
final class BodyChannel: Sendable {
    private enum End {
        case whole
        case failed(ErrandError)
    }

    private struct State {
        /// What waits to be read, and before it no more places of chunks that were read than half of all.
        var chunks: [Data] = []
        /// The first chunk that was not read.
        var first = 0
        var byteCount = 0
        var isPaused = false
        var end: End?
        var reader: Waiter<Void>?
    }

    private enum Step {
        case chunk(Data, resumes: Bool)
        case end(ErrandError?)
        case wait(Waiter<Void>)
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// How many places for chunks are taken, by those that wait and by those that were read.
    var slotCount: Int { self.state.withLock { $0.chunks.count } }

    // MARK: - From the producer, one call after another

    /// Takes a chunk, or answers false when there are enough: then the producer pauses.
    ///
    /// For one that can keep what is not taken. The channel never holds more than its limit and one chunk then.
    func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard self.hasRoom() else { return false }
        let chunk = unsafe Data(bytes)
        let reader = self.state.withLock { Self.append(chunk, to: &$0) }
        reader?.resume(())
        return true
    }

    /// Takes a chunk, and returns false if it made the channel full: then the producer pauses.
    ///
    /// For one that cannot keep anything. What it still hands over after that is taken too, without another answer.
    func take(_ chunk: Data) -> Bool {
        let (reader, isFull) = self.state.withLock { state in
            let reader = Self.append(chunk, to: &state)
            let isFull = !state.isPaused && state.byteCount >= self.limit
            if isFull { state.isPaused = true }
            return (reader, isFull)
        }
        reader?.resume(())
        return !isFull
    }

    private static func append(_ chunk: Data, to state: inout State) -> Waiter<Void>? {
        state.chunks.append(chunk)
        state.byteCount += chunk.count
        return state.reader.take()
    }

    private func hasRoom() -> Bool {
        self.state.withLock { state in
            state.isPaused = state.byteCount >= self.limit
            return !state.isPaused
        }
    }

    /// No more comes: the body is whole, or broken off by an error.
    func end(_ error: ErrandError?) {
        let reader = self.state.withLock { state in
            if state.end == nil { state.end = error.map { .failed($0) } ?? .whole }
            return state.reader.take()
        }
        reader?.resume(())
    }

    // MARK: - For the reader

    /// The stream over this channel; letting go of it ends the exchange.
    func stream(of producer: any BodyProducer) -> BodyStream {
        let lease = BodyChannelLease(self, producer)
        return BodyStream(endingWith: { producer.cancel() }) {
            { () async throws(ErrandError) in try await lease.next() }
        }
    }

    /// The next chunk, or `nil` at the end.
    fileprivate func next(of producer: any BodyProducer) async throws(ErrandError) -> Data? {
        while true {
            switch self.step() {
            case .chunk(let chunk, let resumes):
                if resumes { producer.resume() }
                return chunk
            case .end(let error):
                if let error { throw error }
                return nil
            case .wait(let waiter):
                guard await waiter.wait() != nil else {
                    producer.cancel()
                    throw .cancelled()
                }
            }
        }
    }

    private func step() -> Step {
        self.state.withLock { state in
            if state.first < state.chunks.count { return self.takeChunk(&state) }
            switch state.end {
            case .whole: return .end(nil)
            case .failed(let error): return .end(error)
            case nil:
                let waiter = Waiter<Void>()
                state.reader = waiter
                return .wait(waiter)
            }
        }
    }

    private func takeChunk(_ state: inout State) -> Step {
        let chunk = state.chunks[state.first]
        state.chunks[state.first] = Data()
        state.first += 1
        // Moves no more chunks than were read since the last time.
        if state.first * 2 >= state.chunks.count {
            state.chunks.removeFirst(state.first)
            state.first = 0
        }
        state.byteCount -= chunk.count
        let resumes = state.isPaused && state.byteCount <= self.limit / 2
        if resumes { state.isPaused = false }
        return .chunk(chunk, resumes: resumes)
    }
}

/// Held by a stream and whoever reads it: when the last of them is gone, nobody wants the rest of the body.
private final class BodyChannelLease: Sendable {
    private let channel: BodyChannel
    private let producer: any BodyProducer

    init(_ channel: BodyChannel, _ producer: any BodyProducer) {
        self.channel = channel
        self.producer = producer
    }

    deinit {
        self.producer.cancel()
    }

    func next() async throws(ErrandError) -> Data? {
        try await self.channel.next(of: self.producer)
    }
}
