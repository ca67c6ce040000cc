/// A destination for log lines.
///
/// A sink is called serially, on a thread that neither a request nor the Swift concurrency pool waits for. It receives
/// whole lines in order, and may block: meanwhile lines collect in a bounded buffer, and those that do not fit are
/// dropped and counted. A sink that never returns blocks only its own thread.
///
/// If one sink is given to several accessories, it is called concurrently and must synchronize the calls itself, as the
/// sinks of this module do.
public protocol LogSink: Sendable {
    /// Writes all lines, or none.
    ///
    /// - Parameter batch: The lines; at least one. They remain valid after the call.
    /// - Throws: Any error if the lines could not be written. They are counted as dropped, the problem is reported
    ///   once, and the next lines are tried again.
    func write(_ batch: LogBatch) throws
}

/// Passes each line to a closure.
public struct ClosureSink: LogSink {
    private let take: @Sendable (LogLine) throws -> Void

    /// Creates a sink from a closure, which must meet the requirements of a ``LogSink``.
    public init(_ take: @escaping @Sendable (LogLine) throws -> Void) {
        self.take = take
    }

    /// Passes on each line until the closure throws.
    ///
    /// - Throws: The error of the closure.
    public func write(_ batch: LogBatch) throws {
        for (index, line) in batch.lines.enumerated() {
            do {
                try self.take(line)
            } catch {
                throw PartialWrite(written: index, cause: error)
            }
        }
    }
}

extension LogSink where Self == ClosureSink {
    /// Passes each line to a closure.
    public static func closure(_ take: @escaping @Sendable (LogLine) throws -> Void) -> ClosureSink {
        ClosureSink(take)
    }
}

/// The reason why only some lines of a batch were written, or why there was a problem although all were.
struct PartialWrite: Error, CustomStringConvertible {
    let written: Int
    let cause: any Error

    var description: String { "\(self.cause)" }
}
