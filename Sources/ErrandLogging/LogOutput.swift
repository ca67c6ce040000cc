internal import Foundation

/// The last stage of logging: formats records, passes the lines to the sink, and handles errors of the sink.
struct LogOutput {
    private var formatter: LineFormatter
    private let sink: any LogSink
    private let date: @Sendable () -> Date
    private let onProblem: @Sendable (String) -> Void
    private var batch = LogBatch()
    /// The lines of the batch that report dropped lines, and the number that each reports.
    private var gaps: [(line: Int, count: Int)] = []
    /// The number of dropped lines that the log does not report yet.
    private var lost = 0
    /// The problems that were reported.
    private var told: Set<String> = []

    /// The approximate number of bytes that are written at once.
    private static let batchSize = 64 << 10
    /// The number of distinct problems to report; further ones are ignored.
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

    /// Writes records, followed by the number of records that did not fit into the buffer.
    ///
    /// - Parameters:
    ///   - records: The records, without `nil`. Emptied, with its capacity kept.
    ///   - dropped: The number of records that did not fit.
    mutating func write(_ records: inout [LogRecord?], dropped: Int) {
        for index in records.indices {
            // Taken out, since copying a record costs more than writing it.
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

    /// Reports the lines that are missing here.
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

    /// Counts the lines from one on as dropped, including those that they reported.
    private mutating func lose(from line: Int) {
        let gaps = self.gaps.filter { $0.line >= line }
        self.lost += self.batch.count - line - gaps.count + gaps.reduce(0) { $0 + $1.count }
    }

    private mutating func tell(_ problem: String) {
        guard self.told.count < Self.toldLimit, self.told.insert(problem).inserted else { return }
        self.onProblem(problem)
    }
}
