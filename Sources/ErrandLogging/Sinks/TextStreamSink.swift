internal import Errand
internal import ErrandLocks

/// Writes to a text stream, which has a lock around it.
public final class TextStreamSink<Stream: TextOutputStream>: LogSink {
    /// Held while the stream writes: only the writers of logs and ``withStream(_:)`` ever wait for it.
    private let stream: Locked<Stream>

    /// Takes over a stream.
    public init(_ stream: sending Stream) {
        self.stream = Locked(stream)
    }

    /// Writes the lines in one piece.
    public func write(_ batch: LogBatch) {
        let text = batch.text
        self.stream.withLock { $0.write(text) }
    }

    /// Returns what a function reads from the stream, such as its text; waits while lines are written.
    public func withStream<Result: Sendable>(_ read: (borrowing Stream) -> Result) -> Result {
        self.stream.withLock { read($0) }
    }
}
