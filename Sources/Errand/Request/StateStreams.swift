/// Everyone who watches the state of a request, batch or chain.
struct StateStreams: Sendable {
    private var continuations: [AsyncStream<RequestState>.Continuation] = []

    /// Makes a stream that begins with the present state and ends after a terminal one.
    mutating func add(showing state: RequestState, isOver: Bool) -> AsyncStream<RequestState> {
        let (stream, continuation) = AsyncStream.makeStream(of: RequestState.self)
        continuation.yield(state)
        if isOver {
            continuation.finish()
        } else {
            self.continuations.append(continuation)
        }
        return stream
    }

    /// Ends all streams: the state will not change any more.
    mutating func finish() {
        for continuation in self.continuations { continuation.finish() }
        self.continuations = []
    }

    /// Shows a new state to all.
    mutating func publish(_ state: RequestState, isOver: Bool) {
        for continuation in self.continuations {
            continuation.yield(state)
            if isOver { continuation.finish() }
        }
        if isOver { self.continuations = [] }
    }
}
