/// One line of a history in text form.
struct HistoryEvent {
    /// The type of an event.
    enum EventType: String, CaseIterable {
        case invoke, ok, fail, info
    }

    /// The largest number of bytes of a line.
    static let longestLine = 1 << 20

    let line: Int
    let process: String
    let type: EventType
    let name: String
    let value: String?

    /// Parses a line; returns `nil` for an empty line and for a comment.
    init?(parsing text: some StringProtocol, number: Int) throws(HistoryTextError) {
        guard text.utf8.count <= Self.longestLine else {
            throw HistoryTextError(line: number, message: "it has more than \(Self.longestLine) bytes")
        }
        let fields = text.split(maxSplits: 3, whereSeparator: { $0 == " " || $0 == "\t" })
        guard let process = fields.first, !process.hasPrefix("#") else { return nil }
        guard fields.count >= 3 else {
            throw HistoryTextError(line: number, message: "it lacks a process, a type or an operation: `\(text)`")
        }
        guard let type = EventType(rawValue: String(fields[1])) else {
            let types = EventType.allCases.map(\.rawValue).joined(separator: ", ")
            throw HistoryTextError(line: number, message: "`\(fields[1])` is none of the types \(types)")
        }
        self.line = number
        self.process = String(process)
        self.type = type
        self.name = String(fields[2])
        let rest = fields.count > 3 ? fields[3].drop { $0 == " " || $0 == "\t" } : ""
        self.value = rest.isEmpty ? nil : String(rest)
    }

    func error(_ message: String) -> HistoryTextError {
        HistoryTextError(line: self.line, message: message)
    }
}

/// Collects the operations of a history in text form.
struct HistoryReader<Operation: Sendable, Result: Sendable> {
    typealias Entry = History<Operation, Result>.Entry

    private struct Open {
        let index: Int
        let line: Int
        let name: String
    }

    private let limit: Int
    private var entries: [Entry] = []
    /// For each entry, whether it is part of the history.
    private var isKept: [Bool] = []
    /// The open operation of each process.
    private var open: [String: Open] = [:]
    /// The number of calls and ends.
    private(set) var count = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// The operations that took effect, or may have.
    var history: [Entry] { zip(self.entries, self.isKept).filter(\.1).map(\.0) }

    mutating func invoke(_ event: HistoryEvent, _ operation: Operation?) throws(HistoryTextError) {
        if let open = self.open[event.process] {
            throw event.error("process \(event.process) has not ended the operation of line \(open.line)")
        }
        guard let operation else {
            throw event.error("`\(event.name)` with \(Self.text(event.value)) is not an operation")
        }
        guard self.entries.count < self.limit else { throw event.error("more than \(self.limit) operations") }
        self.open[event.process] = Open(index: self.entries.count, line: event.line, name: event.name)
        self.entries.append(Entry(operation: operation, client: event.process, called: self.count, lane: nil))
        self.isKept.append(true)
        self.count += 1
    }

    mutating func end(_ event: HistoryEvent, _ result: (Operation) -> Result?) throws(HistoryTextError) {
        let index = try self.close(event)
        guard let result = result(self.entries[index].operation) else {
            throw event.error("\(Self.text(event.value)) is not a result of `\(event.name)`")
        }
        self.end(index, .returned(result))
    }

    mutating func fail(_ event: HistoryEvent, _ result: (Operation) -> Result?) throws(HistoryTextError) {
        let index = try self.close(event)
        if let result = result(self.entries[index].operation) {
            self.end(index, .returned(result))
        } else {
            self.isKept[index] = false
        }
    }

    mutating func leaveOpen(_ event: HistoryEvent) throws(HistoryTextError) {
        self.end(try self.close(event), .failed(event.value ?? "info"))
    }

    // MARK: - Private helpers

    private mutating func close(_ event: HistoryEvent) throws(HistoryTextError) -> Int {
        guard let open = self.open.removeValue(forKey: event.process) else {
            throw event.error("process \(event.process) has no operation to end")
        }
        guard open.name == event.name else {
            throw event.error("it ends `\(event.name)`, but line \(open.line) invoked `\(open.name)`")
        }
        return open.index
    }

    private mutating func end(_ index: Int, _ outcome: Entry.Outcome) {
        self.entries[index].ended = self.count
        self.entries[index].outcome = outcome
        self.count += 1
    }

    private static func text(_ value: String?) -> String {
        value.map { "`\($0.prefix(100))`" } ?? "no value"
    }
}
