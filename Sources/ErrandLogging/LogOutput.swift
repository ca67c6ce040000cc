internal import Foundation

/// The end of the way of lines: formats records, hands the lines to the sink, and copes when that throws.
struct LogOutput {
    private var formatter: LineFormatter
    private let sink: any LogSink
    private let date: @Sendable () -> Date
    private let onProblem: @Sendable (String) -> Void
    private var batch = LogBatch()
    /// The lines of the batch that tell of missing ones, and of how many.
    private var gaps: [(line: Int, count: Int)] = []
    /// How many lines are missing that the log does not tell of yet.
    private var lost = 0
    /// The problems that were told.
    private var told: Set<String> = []

    /// About how many bytes are written at once.
    private static let batchSize = 64 << 10
    /// A sink that says something else each time has been heard often enough then.
    private static let toldLimit = 8

    init(
        _ formatter: LineFormatter, to sink: any LogSink, date: @escaping @Sendable () -> Date,
        onProblem: @escaping @Sendable (String) -> Void
    ) {
        self.formatter = formatter
        self.sink = sink
        self.date = date
        self.onProblem = onProblem
    }

    /// Writes records, and behind them how many did not fit into the buffer.
    ///
    /// - Parameters:
    ///   - records: The records, all of which are there; none is left, but room for as many.
    ///   - dropped: How many did not fit.
    mutating func write(_ records: inout [LogRecord?], dropped: Int) {
        for index in records.indices {
            // Taken out: to copy a record costs more than to write it.
            guard let record = records[index].take() else { continue }
            self.addLost()
            self.formatter.write(record, to: &self.batch)
            if self.batch.bytes.count >= Self.batchSize { self.endBatch() }
        }
        records.removeAll(keepingCapacity: true)
        self.lost += dropped
        self.addLost()
        if self.batch.count > 0 { self.endBatch() }
    }

    /// Tells of the lines that are missing at this place.
    private mutating func addLost() {
        guard self.lost > 0 else { return }
        self.gaps.append((line: self.batch.count, count: self.lost))
        self.formatter.writeGap(self.lost, at: self.date().timeIntervalSince1970, to: &self.batch)
        self.lost = 0
    }

    private mutating func endBatch() {
        do {
            try self.sink.write(self.batch)
        } catch {
            self.lose(from: (error as? PartialWrite)?.written ?? 0)
            self.tell("\(error)")
        }
        self.batch.removeAll()
        self.gaps = []
    }

    /// Counts the lines from one on as missing, and those of which they told.
    private mutating func lose(from line: Int) {
        let gaps = self.gaps.filter { $0.line >= line }
        self.lost += self.batch.count - line - gaps.count + gaps.reduce(0) { $0 + $1.count }
    }

    private mutating func tell(_ problem: String) {
        guard self.told.count < Self.toldLimit, self.told.insert(problem).inserted else { return }
        self.onProblem(problem)
    }
}
