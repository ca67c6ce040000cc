/// Where lines go.
///
/// A sink is called from one place at a time, on a thread that nobody else waits for: neither a request nor a thread of
/// Swift's pool. It gets whole lines, in their order, and may take its time; as long as it does, lines collect in a
/// buffer with a bound, and what does not fit is left out and counted. One that never returns keeps its thread, and
/// what it was given, and nothing else.
///
/// One sink may be given to several accessories; then it is called from several places at once, and has to see to it
/// that they do not get into each other's way. The sinks of this module do.
public protocol LogSink: Sendable {
    /// Writes lines, all of them or none.
    ///
    /// - Parameter batch: The lines; at least one. They are valid after the call, too.
    /// - Throws: Anything, when they could not be written. They are counted as dropped, whoever made the accessory is
    ///   told once, and the next lines are tried again.
    func write(_ batch: LogBatch) throws
}

/// Hands each line to a function.
public struct ClosureSink: LogSink {
    private let take: @Sendable (LogLine) throws -> Void

    /// Creates a sink from a function; it keeps the promises of a ``LogSink``.
    public init(_ take: @escaping @Sendable (LogLine) throws -> Void) {
        self.take = take
    }

    /// Hands on each line; those before one that is refused have been handed on then.
    ///
    /// - Throws: What the function throws.
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
    /// Hands each line to a function.
    public static func closure(_ take: @escaping @Sendable (LogLine) throws -> Void) -> ClosureSink {
        ClosureSink(take)
    }
}

/// Why only some lines of a batch were written, or all of them with a problem beside.
struct PartialWrite: Error, CustomStringConvertible {
    let written: Int
    let cause: any Error

    var description: String { "\(self.cause)" }
}
