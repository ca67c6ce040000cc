internal import ErrandLocks

internal import struct Foundation.Data

/// The producer of a body, as its ``BodyChannel`` and the reader see it.
protocol BodyProducer: Sendable {
    /// Resumes after a pause.
    ///
    /// Called once for each time the channel reported that it was full.
    func resume()

    /// Ends the exchange, because the rest of the body is not needed.
    ///
    /// Has no effect on a finished one.
    func cancel()
}

/// A queue of response body chunks between the transport and the reading task.
///
/// The channel is full when its limit of unread bytes is reached; the producer then pauses until half of them have been
/// read.
final class BodyChannel: Sendable {
    private enum End {
        case whole
        case failed(ErrandError)
    }

    private struct State {
        /// The chunks, including at most as many read ones as unread ones at the front.
        var chunks: [Data] = []
        /// The index of the first unread chunk.
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

    /// The number of chunks in the array, read and unread.
    var slotCount: Int { self.state.withLock { $0.chunks.count } }

    // MARK: - From the producer, one call after another

    /// Appends a chunk and returns true; if the channel is full, returns false and the producer pauses.
    ///
    /// For producers that can keep the bytes. The channel then never holds more than its limit and one chunk.
    func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard self.hasRoom() else { return false }
        let chunk = unsafe Data(bytes)
        let reader = self.state.withLock { Self.append(chunk, to: &$0) }
        reader?.resume(())
        return true
    }

    /// Appends a chunk, and returns false if it made the channel full: the producer then pauses.
    ///
    /// For producers that cannot keep bytes. Chunks that still arrive during the pause are appended too.
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

    /// Ends the body, which is complete, or failed with an error.
    func end(_ error: ErrandError?) {
        let reader = self.state.withLock { state in
            if state.end == nil { state.end = error.map { .failed($0) } ?? .whole }
            return state.reader.take()
        }
        reader?.resume(())
    }

    // MARK: - For the reader

    /// Returns a stream over this channel; releasing it ends the exchange.
    func stream(of producer: any BodyProducer) -> BodyStream {
        let lease = BodyChannelLease(self, producer)
        return BodyStream(endingWith: { producer.cancel() }) {
            { () async throws(ErrandError) in try await lease.next() }
        }
    }

    /// Returns the next chunk, or `nil` at the end.
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
        // Removes as many chunks as were read since the last removal, so moves are amortized.
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

/// Retained by a stream and its reader: releasing the last reference cancels the body.
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
