/// The streams that observe the responses of a request, isolated to its actor.
final class ResponseStreams<Value: Sendable> {
    typealias Response = TypedResponse<Value>

    private let readers = StreamReaders<AsyncThrowingStream<Response, any Error>.Continuation>()
    /// The cached response that was shown first, until the end.
    private var shown: Response?

    var count: Int { self.readers.count }

    deinit {
        for continuation in self.readers.removeAll() { continuation.finish(throwing: ErrandError.cancelled()) }
    }

    /// Creates a stream that begins with the shown response and ends with the outcome.
    func add(
        endingWith outcome: Result<Response, ErrandError>?
    ) -> AsyncThrowingStream<Response, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Response.self)
        if let shown { continuation.yield(shown) }
        if let outcome {
            Self.end(continuation, outcome)
        } else {
            let leave = self.readers.add(continuation)
            continuation.onTermination = { _ in leave() }
        }
        return stream
    }

    /// Publishes a response before the final one.
    func publish(_ response: Response) {
        self.shown = response
        for continuation in self.readers.all { continuation.yield(response) }
    }

    /// Ends all streams.
    func finish(_ outcome: Result<Response, ErrandError>) {
        for continuation in self.readers.removeAll() { Self.end(continuation, outcome) }
    }

    private static func end(
        _ continuation: AsyncThrowingStream<Response, any Error>.Continuation, _ outcome: Result<Response, ErrandError>
    ) {
        switch outcome {
        case .success(let response):
            continuation.yield(response)
            continuation.finish()
        case .failure(let error):
            continuation.finish(throwing: error)
        }
    }
}
