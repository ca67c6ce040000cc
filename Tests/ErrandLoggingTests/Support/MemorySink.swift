internal import ErrandLocks
internal import ErrandLogging

/// Keeps the lines it is given.
final class MemorySink: LogSink {
    private let state = Locked<[LogLine]>([])

    var lines: [LogLine] { self.state.withLock { $0 } }
    var texts: [String] { self.lines.map(\.text) }

    func write(_ batch: LogBatch) {
        self.state.withLock { $0 += batch.lines }
    }
}
