internal import Errand
internal import ErrandLocks

/// Writes to a text stream, guarded by a lock.
public final class TextStreamSink<Stream: TextOutputStream>: LogSink {
    /// Locked while the stream writes; only log writers and ``withStream(_:)`` wait for it.
    private let stream: Locked<Stream>

    /// Creates a sink that takes ownership of a stream.
    public init(_ stream: sending Stream) {
        self.stream = Locked(stream)
    }

    /// Writes the lines in one piece.
    public func write(_ batch: LogBatch) {
        let text = batch.text
        self.stream.withLock { $0.write(text) }
    }

    /// Calls a closure with the stream, for example to read its text, and returns its result; waits while lines are
    /// written.
    public func withStream<Result: Sendable>(_ read: (borrowing Stream) -> Result) -> Result {
        self.stream.withLock { read($0) }
    }
}
