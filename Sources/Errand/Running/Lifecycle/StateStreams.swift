/// Everyone who watches the state of a request, batch or chain.
struct StateStreams: Sendable {
    /// Made for the first of them: most requests have none.
    private var readers: StreamReaders<AsyncStream<RequestState>.Continuation>?

    /// How many there are.
    var count: Int { self.readers?.count ?? 0 }

    /// Makes a stream that begins with the present state and ends after a terminal one.
    mutating func add(showing state: RequestState, isOver: Bool) -> AsyncStream<RequestState> {
        let (stream, continuation) = AsyncStream.makeStream(of: RequestState.self)
        continuation.yield(state)
        if isOver {
            continuation.finish()
        } else {
            let readers = self.readers ?? StreamReaders()
            self.readers = readers
            let leave = readers.add(continuation)
            continuation.onTermination = { _ in leave() }
        }
        return stream
    }

    /// Takes all of them out, to be ended: the state will not change any more.
    mutating func removeAll() -> [AsyncStream<RequestState>.Continuation] {
        self.readers?.removeAll() ?? []
    }

    /// Shows a new state to all.
    mutating func publish(_ state: RequestState, isOver: Bool) {
        guard let readers = self.readers else { return }
        for continuation in readers.all { continuation.yield(state) }
        if isOver { for continuation in readers.removeAll() { continuation.finish() } }
    }
}
