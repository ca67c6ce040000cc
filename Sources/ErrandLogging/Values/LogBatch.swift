/// The severity of a line.
public enum LogSeverity: Sendable, Hashable, CaseIterable {
    /// Normal operation, including cancelled work.
    case info
    /// A condition that the operator of the app should know about.
    case warning
    /// A request, batch or chain failed.
    case error
}

/// One line of a log.
public struct LogLine: Sendable, Hashable {
    /// The text, without a line break at its end or inside, and without terminal control characters.
    public let text: String
    /// The severity of the line.
    public let severity: LogSeverity

    /// Creates a line, for example to test a sink.
    ///
    /// - Parameters:
    ///   - text: The text; line breaks are replaced with spaces.
    ///   - severity: The severity of the line.
    public init(_ text: String, severity: LogSeverity = .info) {
        self.text = String(
            String.UnicodeScalarView(text.unicodeScalars.map { Character($0).isNewline ? " " : $0 }))
        self.severity = severity
    }

    init(text: String, severity: LogSeverity) {
        self.text = text
        self.severity = severity
    }
}

/// Lines that are written together.
public struct LogBatch: Sendable {
    /// All lines in UTF-8, each terminated by a line feed.
    public private(set) var bytes: [UInt8] = []

    /// The end offset of each line, after its line feed.
    private(set) var ends: [Int] = []
    private var severities: [LogSeverity] = []

    /// The number of lines.
    public var count: Int { self.ends.count }

    /// All lines as one text, each terminated by a line feed.
    public var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// The lines.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    public var lines: [LogLine] {
        self.ends.indices.map { index in
            let start = index == 0 ? 0 : self.ends[index - 1]
            return LogLine(
                text: String(decoding: self.bytes[start..<self.ends[index] - 1], as: UTF8.self),
                severity: self.severities[index])
        }
    }

    init() {}

    /// Creates a batch of lines, for example to test a sink, or to pass on a subset of the lines received.
    public init(_ lines: [LogLine]) {
        for line in lines { self.add(line.severity) { $0.append(contentsOf: line.text.utf8) } }
    }

    /// Adds a line that a closure writes.
    mutating func add(_ severity: LogSeverity, _ write: (inout [UInt8]) -> Void) {
        write(&self.bytes)
        self.bytes.append(UInt8(ascii: "\n"))
        self.ends.append(self.bytes.count)
        self.severities.append(severity)
    }

    /// Removes all lines, and keeps the capacity.
    mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.ends.removeAll(keepingCapacity: true)
        self.severities.removeAll(keepingCapacity: true)
    }
}
